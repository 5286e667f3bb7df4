/* Cloud Monitoring: the requests, and how the exporter continues when the API refuses one. The server here has the
 * API's rules: a token, at most 200 series a request, one point each, newer than the series' last by five seconds. The
 * real client's opinion of the bytes is asked in tests/recorder/cloud_monitoring.py. */
#include "harness.h"

#include "base/jscan.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "export/push/monitoring.h"
#include "export/pushed.h"
#include "rawserver.h"

#include <errno.h>
#include <stdlib.h>

/* ---- one status ---- */

#define NOW_S (clock_wall().us / 1000000)

struct life {
    const char *name, *uid, *conditions;
    int64_t start_s, through_s, productive_ms;
};

static void put(struct fleet *fleet, const struct life *l) {
    char start[RFC3339_SIZE], through[RFC3339_SIZE];
    rfc3339_format(start, l->start_s * 1000000000, 0);
    rfc3339_format(through, l->through_s * 1000000000, 3);
    CLEANUP_FREE char *object = mem_format(
        "{\"metadata\":{\"namespace\":\"research\",\"name\":\"%s\",\"uid\":\"%s\"},"
        "\"spec\":{\"targetRef\":{\"kind\":\"JobSet\",\"name\":\"%s\"}},"
        "\"status\":{\"phase\":\"Training\",\"target\":{\"uid\":\"t1\",\"accelerator\":\"TPU v5e\"},"
        "\"goodputPPM\":{\"scheduling\":900000,\"runtime\":800000,\"job\":720000},"
        "\"time\":{\"start\":\"%s\",\"observedThrough\":\"%s\",\"wallMilliseconds\":100000,\"availableMilliseconds\":"
        "90000,"
        "\"productiveMilliseconds\":%lld},\"conditions\":[%s],"
        "\"badput\":[{\"family\":\"Scheduling\",\"bucket\":\"QueueWait\",\"milliseconds\":6000},"
        "{\"family\":\"Scheduling\",\"bucket\":\"FailureDetection\",\"milliseconds\":4000},"
        "{\"family\":\"Runtime\",\"bucket\":\"FailureDetection\",\"milliseconds\":1500},"
        "{\"family\":\"Runtime\",\"bucket\":\"Custom/profiling\",\"milliseconds\":2500},"
        "{\"family\":\"Runtime\",\"bucket\":\"ImagePull\",\"milliseconds\":14000}],"
        "\"interruptions\":{\"total\":3,\"byCause\":[{\"cause\":\"NodeFailure\",\"count\":3}]},"
        "\"steps\":{\"last\":18211,\"idealMilliseconds\":2400,\"deviationMilliseconds\":-40},"
        "\"windows\":[{\"windowSeconds\":3600,\"scheduling\":\"95.00%%\",\"runtime\":\"88.00%%\",\"job\":\"83.60%%\"},"
        "{\"windowSeconds\":60,\"milliseconds\":60000,\"scheduling\":\"90.00%%\",\"runtime\":\"80.00%%\",\"job\":\"72."
        "00%%\","
        "\"badput\":["
        "{\"bucket\":\"QueueWait\",\"family\":\"Scheduling\",\"milliseconds\":10000},"
        "{\"bucket\":\"FailureDetection\",\"family\":\"Scheduling\",\"milliseconds\":4000},"
        "{\"bucket\":\"FailureDetection\",\"family\":\"Runtime\",\"milliseconds\":1000}]}]}"
        "}",
        l->name, l->uid, l->name, start, through, (long long)l->productive_ms, l->conditions ? l->conditions : "");
    CHECK_INT(fleet_put(fleet, "research", l->name, slice_of(object)), 0);
}

#define FINISHED "{\"type\":\"Finished\",\"status\":\"True\",\"reason\":\"Succeeded\"}"

/* ---- the server ---- */

struct series {
    int64_t end_ns;
    int points;
    char value[48];
};

struct api {
    struct loop *loop;
    struct rawserver *server;
    struct map series; /* metric and resource, as JSON -> struct series */
    int tokens, requests, points, refused, max_in_a_request;
    int faults, status; /* the next N are answered so; 0: a reset; 1: half an answer to what was taken */
    const char *headers, *body;
    bool is_strict; /* a token holds for one request */
};

/* One element of timeSeries. False: it is not taken. */
static bool take(struct api *api, struct jscan *j) {
    struct slice key, metric = {0}, resource = {0}, raw;
    CLEANUP_BUF struct buf name;
    int64_t end_ns = 0;
    char end[64] = "", value[48] = "";
    buf_init(&name, 8192);
    if (!jscan_object(j))
        return false;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "metric"))
            CHECK(jscan_raw(j, &metric));
        else if (slice_is(key, "resource"))
            CHECK(jscan_raw(j, &resource));
        else if (slice_is(key, "points") && jscan_raw(j, &raw)) {
            const char *at = slice_find(raw, "\"endTime\":\""), *number = slice_find(raw, "Value\":");
            CHECK(at != NULL && number != NULL);
            slice_copy(end, sizeof end, slice_range(at + 11, strchr(at + 11, '"')));
            slice_copy(value, sizeof value, slice_range(number + 7, strchr(number + 7, '}')));
        } else
            jscan_skip(j);
    }
    struct slice s = slice_of(end);
    CHECK(rfc3339_take(&s, &end_ns, NULL));
    buf_append_slice(&name, metric);
    buf_append_slice(&name, resource);
    struct series *known = map_get(&api->series, buf_slice(&name));
    if (known == NULL) {
        known = mem_new(struct series);
        map_put(&api->series, buf_slice(&name), known);
    }
    if (known->points > 0 && end_ns < known->end_ns + 5000000000)
        return false;
    known->end_ns = end_ns;
    known->points++;
    memcpy(known->value, value, sizeof value);
    return true;
}

static void create(struct api *api, struct rawconn *c, struct slice body, bool is_lost) {
    struct jscan j;
    struct slice key;
    int total = 0, taken = 0;
    jscan_init(&j, body);
    CHECK(jscan_object(&j) && jscan_key(&j, &key) && slice_is(key, "timeSeries") && jscan_array(&j));
    while (jscan_element(&j)) {
        total++;
        taken += take(api, &j) ? 1 : 0;
    }
    CHECK(!jscan_key(&j, &key) && jscan_at_end(&j));
    CHECK(total > 0 && total <= 200);
    api->max_in_a_request = total > api->max_in_a_request ? total : api->max_in_a_request;
    api->points += taken;
    api->refused += total - taken;
    if (is_lost) {
        rawconn_send(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
        rawconn_close(c);
        return;
    }
    CLEANUP_FREE char *summary = mem_format(
        "{\"error\":{\"code\":400,\"message\":\"One or more TimeSeries could not be written: Points must be written in "
        "order. One or more of the points specified had an older end time than the most recent point.\",\"status\":"
        "\"INVALID_ARGUMENT\",\"details\":[{\"@type\":\"type.googleapis.com/google.monitoring.v3."
        "CreateTimeSeriesSummary\",\"totalPointCount\":%d,\"successPointCount\":%d,\"errors\":[{\"status\":{\"code\":3}"
        ","
        "\"pointCount\":%d}]}]}}",
        total, taken, total - taken);
    rawconn_reply(c, taken == total ? 200 : 400, "", taken == total ? "{}" : summary);
}

static void on_request(void *context, struct rawconn *c, struct slice request) {
    struct api *api = context;
    const char *end = slice_find(request, "\r\n\r\n");
    struct slice body = slice_skip(request, (size_t)(end + 4 - request.data));
    char token[160];
    if (!slice_starts(request, "POST /v3/projects/p/timeSeries")) {
        snprintf(token, sizeof token, "{\"access_token\":\"token-%d\",\"expires_in\":3599}", ++api->tokens);
        rawconn_reply(c, 200, "", token);
        return;
    }
    snprintf(token, sizeof token, "Authorization: Bearer token-%d\r\n", api->tokens);
    api->requests++;
    CHECK(slice_contains(request, token));
    if (api->faults > 0 && api->status == 0)
        rawconn_reset(c);
    else if (api->faults > 0 && api->status > 1)
        rawconn_reply(c, api->status, api->headers ? api->headers : "", api->body ? api->body : "");
    else
        create(api, c, body, api->faults > 0);
    api->faults -= api->faults > 0 ? 1 : 0;
}

/* ---- the rig ---- */

struct rig {
    struct pushed p;
    struct api api;
};

static void observe(struct rig *r, const struct life *l) {
    put(&r->p.fleet, l);
    pushed_job_changed(&r->p, "research", l->name);
}

static void rig_begin(struct rig *r) {
    pushed_begin(&r->p, monitoring_make);
}

static struct rig *rig_new(void) {
    struct rig *r = mem_new(struct rig);
    pushed_init(&r->p);
    r->api.loop = r->p.loop;
    r->api.server = rawserver_new(r->p.loop, on_request, &r->api);
    map_init(&r->api.series, free);
    setenv("GCE_METADATA_HOST", rawserver_url(r->api.server) + 7, 1);
    setenv("CLOUDSDK_CONFIG", "/nonexistent", 1);
    unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
    r->p.flags = (struct runtime_flags){.cloud_monitoring_project = "p",
                                        .cloud_monitoring_location = "us-east5-a",
                                        .cloud_monitoring_replica_id = "0",
                                        .cluster_name = "",
                                        .cloud_monitoring_interval_us = 5000000,
                                        .cloud_monitoring_endpoint = rawserver_url(r->api.server)};
    rig_begin(r);
    return r;
}

static void rig_free(struct rig *r) {
    r->p.exporter.free(r->p.exporter.context);
    rawserver_free(r->api.server);
    map_done(&r->api.series);
    pushed_done(&r->p);
    free(r);
}

static bool is_delivered_twice(const struct pushed *p) {
    return p->exporter.figures->delivered > 1;
}

#define RESOURCE                                                                                                       \
    "{\"type\":\"compute.googleapis.com/Workload\",\"labels\":{\"location\":\"us-east5-a\",\"workload_id\":\"llama\"," \
    "\"replica_id\":\"0\"}}"
#define TASK                                                                                                           \
    "{\"type\":\"generic_task\",\"labels\":{\"project_id\":\"p\",\"location\":\"us-east5-a\",\"namespace\":"           \
    "\"research\",\"job\":\"llama\",\"task_id\":\"0\"}}"

static const char *value_of(struct rig *r, const char *type, const char *labels, bool is_custom) {
    CLEANUP_FREE char *key = mem_format("{\"type\":\"%s.googleapis.com/%s\",\"labels\":{%s}}%s",
                                        is_custom ? "custom" : "compute", type, labels, is_custom ? TASK : RESOURCE);
    const struct series *s = map_get(&r->api.series, slice_of(key));
    return s ? s->value : "(none)";
}

TEST(the_library_s_series_are_written_as_it_writes_them) {
    struct rig *r = rig_new();
    observe(r, &(struct life){"llama", "u1", NULL, NOW_S - 100, NOW_S, 72000});
    CHECK(pushed_until(&r->p, pushed_has_delivered));
#define V5E "\"accelerator_type\":\"TPU-v5e\""
    CHECK_TEXT(value_of(r, "workload/goodput_time", "\"goodput_source\":\"TOTAL\"," V5E, false), "72.000");
    CHECK_TEXT(value_of(r, "workload/badput_time", "\"badput_source\":\"INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION\"," V5E,
                        false),
               "5.500");
    CHECK_TEXT(value_of(r, "workload/badput_time", "\"badput_source\":\"CUSTOM_BADPUT_EVENTS.PROFILING\"," V5E, false),
               "2.500");
    CHECK_TEXT(value_of(r, "workload/badput_time", "\"badput_source\":\"OTHER\"," V5E, false), "14.000");
    /* Without the wait for the first machines: 72 + 5.5 + 2.5 + 14. */
    CHECK_TEXT(value_of(r, "workload/total_elapsed_time", V5E ",\"window_type\":\"cumulative\"", false), "94.000");
    CHECK_TEXT(value_of(r, "workload/disruptions", V5E ",\"window_type\":\"cumulative\"", false), "\"3\"");
    CHECK_TEXT(value_of(r, "workload/max_productive_steps", V5E, false), "\"18211\"");
    CHECK_TEXT(value_of(r, "workload/step_time_deviation", V5E, false), "-0.040");
    CHECK_TEXT(value_of(r, "workload/performance", "", false), "2.400");
    CHECK_TEXT(value_of(r, "workload/interval_goodput",
                        "\"goodput_source\":\"TOTAL\"," V5E ",\"rolling_window_size\":\"3600\"", false),
               "88.0000");
    /* 45 s productive and 5 s of detecting a failure, while the library's clock ran; not the 10 s in the queue. */
    CHECK_TEXT(value_of(r, "workload/interval_goodput",
                        "\"goodput_source\":\"TOTAL\"," V5E ",\"rolling_window_size\":\"60\"", false),
               "90.0000");
    CHECK_TEXT(value_of(r, "workload/interval_badput",
                        "\"badput_source\":\"INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION\"," V5E
                        ",\"rolling_window_size\":\"60\"",
                        false),
               "10.0000");
    CHECK_TEXT(value_of(r, "goodput/ratio", "\"kind\":\"scheduling\"", true), "0.900000");
    CHECK_TEXT(value_of(r, "goodput/interruptions", "\"cause\":\"NodeFailure\"", true), "\"3\"");
    CHECK_TEXT(value_of(r, "goodput/badput_time", "\"family\":\"Scheduling\",\"bucket\":\"QueueWait\"", true), "6.000");
    CHECK_TEXT(value_of(r, "goodput/wall_time", "", true), "100.000");
    CHECK_INT(r->p.exporter.figures->points_delivered, r->api.points);
    CHECK_INT(r->p.exporter.figures->points_dropped, 0);
    rig_free(r);
}

/* A job without steps: what is not known has no point. */
TEST(what_is_not_known_is_not_written) {
    struct rig *r = rig_new();
    CHECK_INT(
        fleet_put(
            &r->p.fleet, "research", "llama",
            SLICE("{\"metadata\":{\"name\":\"llama\"},\"spec\":{\"targetRef\":{\"name\":\"llama\"}},\"status\":{}}")),
        0);
    pushed_job_changed(&r->p, "research", "llama");
    observe(r, &(struct life){"other", "u2", NULL, NOW_S - 100, NOW_S, 1});
    CHECK(pushed_until(&r->p, pushed_has_delivered));
    CHECK_TEXT(
        value_of(r, "workload/goodput_time", "\"goodput_source\":\"TOTAL\",\"accelerator_type\":\"unknown\"", false),
        "(none)");
    CHECK_TEXT(
        value_of(r, "workload/disruptions", "\"accelerator_type\":\"unknown\",\"window_type\":\"cumulative\"", false),
        "(none)");
    rig_free(r);
}

/* Every fault that passes: the same points come later, each once. */
TEST(passing_faults_lose_and_double_nothing) {
    static const struct {
        int status, count;
        const char *headers;
    } faults[] = {{401, 1, ""}, {429, 1, "Retry-After: 0\r\n"}, {500, 1, ""}, {503, 1, ""}, {0, 1, ""}, {1, 1, ""}};
    for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
        struct rig *r = rig_new();
        r->api.status = faults[i].status;
        r->api.faults = faults[i].count;
        r->api.headers = faults[i].headers;
        observe(r, &(struct life){"llama", "u1", NULL, NOW_S - 100, NOW_S, 72000});
        CHECK(pushed_until(&r->p, pushed_has_delivered));
        CHECK_INT(r->api.requests, 2);
        CHECK_INT(r->api.tokens, faults[i].status == 401 ? 2 : 1);
        if (faults[i].status != 0) /* curl itself asks again where a connection that was kept is reset */
            CHECK_INT(r->p.exporter.figures->retried, 1);
        CHECK_INT(r->p.exporter.figures->failed, 0);
        CHECK_INT(r->p.exporter.figures->points_dropped, 0);
        CHECK_INT(r->p.exporter.figures->points_delivered,
                  r->api.points); /* the lost answer's were taken the first time */
        for (size_t s = 0; s < r->api.series.count; s++)
            CHECK_INT(((struct series *)r->api.series.entries[s].value)->points, 1);
        rig_free(r);
    }
}

TEST(a_refusal_is_not_a_delivery_and_is_not_retried_at_once) {
    struct rig *r = rig_new();
    r->api.status = 403;
    r->api.faults = 1;
    r->api.body = "{\"error\":{\"code\":403,\"message\":\"Permission monitoring.timeSeries.create denied\"}}";
    observe(r, &(struct life){"llama", "u1", NULL, NOW_S - 100, NOW_S, 72000});
    CHECK(pushed_until(&r->p, pushed_has_failed));
    CHECK_INT(r->api.requests, 1);
    CHECK_INT(r->p.exporter.figures->points_delivered, 0);
    CHECK(r->p.exporter.figures->points_dropped > 20);
    CHECK(pushed_until(&r->p, pushed_has_delivered)); /* with the next round, as soon as the role is given */
    CHECK_INT(r->p.exporter.figures->points_delivered, r->api.points);
    rig_free(r);
}

/* Whoever leads next writes the same point of the same status: it is there already. */
TEST(a_successor_continues_the_series) {
    struct rig *r = rig_new();
    int64_t now_s = NOW_S;
    observe(r, &(struct life){"llama", "u1", NULL, now_s - 100, now_s - 60, 72000});
    CHECK(pushed_until(&r->p, pushed_has_delivered));
    int points = r->api.points;
    r->p.exporter.free(r->p.exporter.context);
    rig_begin(r);
    pushed_job_changed(&r->p, "research", "llama");
    CHECK(pushed_until(&r->p, pushed_has_delivered));
    CHECK_INT(r->api.points, points);
    CHECK_INT(r->api.refused, points);
    CHECK_INT(r->p.exporter.figures->points_dropped, 0);
    observe(r, &(struct life){"llama", "u1", FINISHED, now_s - 100, now_s - 60, 73000});
    CHECK(pushed_until(&r->p,
                       is_delivered_twice)); /* ten seconds behind the end: the settled numbers get their own point */
    CHECK_INT(r->api.points, 2 * points);
    CHECK_TEXT(value_of(r, "workload/goodput_time", "\"goodput_source\":\"TOTAL\"," V5E, false), "73.000");
    rig_free(r);
}

TEST(two_jobs_of_one_name_do_not_write_into_one_series) {
    struct rig *r = rig_new();
    int64_t now_s = NOW_S;
    observe(r, &(struct life){"llama", "u1", NULL, now_s - 100, now_s, 72000});
    CHECK_INT(fleet_put(&r->p.fleet, "other", "llama", fleet_object(fleet_find(&r->p.fleet, "research", "llama"))), 0);
    pushed_job_changed(&r->p, "other", "llama");
    CHECK(pushed_until(&r->p, pushed_has_delivered));
    CHECK_INT(r->p.exporter.figures->points_dropped, 1);
    CHECK_INT(r->api.refused, 0);
    for (size_t s = 0; s < r->api.series.count; s++)
        CHECK_INT(((struct series *)r->api.series.entries[s].value)->points, 1);
    /* The first one goes: its name is free. */
    r->p.exporter.deleted(r->p.exporter.context, fleet_find(&r->p.fleet, "research", "llama"));
    fleet_remove(&r->p.fleet, "research", "llama");
    CHECK(pushed_until(&r->p, is_delivered_twice));
    rig_free(r);
}

static bool has_sixty(const struct pushed *p) {
    return p->exporter.figures->points_delivered >= 60 * 25;
}

TEST(many_jobs_go_in_requests_of_at_most_200_series) {
    struct rig *r = rig_new();
    for (int i = 0; i < 60; i++) {
        char name[32];
        snprintf(name, sizeof name, "job-%d", i);
        observe(r, &(struct life){name, "u", NULL, NOW_S - 100, NOW_S, 72000});
    }
    CHECK(pushed_until(&r->p, has_sixty));
    CHECK(r->api.max_in_a_request > 150 && r->api.max_in_a_request <= 200);
    CHECK_INT(r->api.refused, 0);
    CHECK_INT(r->p.exporter.figures->points_dropped, 0);
    rig_free(r);
}

TEST(old_jobs_are_left_alone) {
    struct rig *r = rig_new();
    observe(r, &(struct life){"llama", "u1", FINISHED, NOW_S - 200000, NOW_S - 100000, 72000});
    observe(r, &(struct life){"new", "u2", NULL, NOW_S - 100, NOW_S, 72000});
    CHECK(pushed_until(&r->p, pushed_has_delivered));
    CHECK_TEXT(value_of(r, "workload/max_productive_steps", V5E, false), "(none)");
    CHECK_INT(r->p.exporter.figures->points_delivered, r->api.points);
    rig_free(r);
}

TEST(wrong_flags_are_one_sentence) {
    struct fleet fleet = {0};
    struct push_exporter exporter;
    CLEANUP_ERROR struct error *err = NULL;
    struct runtime_flags flags = {.cloud_monitoring_project = "p"};
    CHECK_INT(monitoring_make(&(struct push_options){NULL, &fleet, &flags}, &exporter, &err), -EINVAL);
    CHECK_TEXT(error_text(err),
               "--cloud-monitoring-project needs --cloud-monitoring-location: the zone or region of the "
               "series, such as us-east5-a");
    error_free(err);
    err = NULL;
    flags.cloud_monitoring_project = "p/timeSeries?x";
    CHECK_INT(monitoring_make(&(struct push_options){NULL, &fleet, &flags}, &exporter, &err), -EINVAL);
    CHECK(strstr(error_text(err), "is not the ID of a Google Cloud project") != NULL);
    flags.cloud_monitoring_project = NULL;
    CHECK_INT(monitoring_make(&(struct push_options){NULL, &fleet, &flags}, &exporter, &err), 0);
}

TEST(answers_of_the_api_are_read) {
    struct monitoring_answer a;
    monitoring_read_answer(
        SLICE("{\"error\":{\"code\":400,\"message\":\"One or more TimeSeries could not be written: x\","
              "\"details\":[{\"@type\":\"y\",\"totalPointCount\":7,\"successPointCount\":5,\"errors\":"
              "[{\"status\":{\"code\":3,\"message\":\"bad label\"},\"pointCount\":2}]}]}}"),
        &a);
    CHECK_INT(a.total, 7);
    CHECK_INT(a.taken, 5);
    CHECK(!a.is_old_only);
    monitoring_read_answer(SLICE("<html>not JSON"), &a);
    CHECK_INT(a.taken, -1);
    CHECK(!a.is_old_only);
    monitoring_read_answer(
        SLICE("{\"error\":{\"message\":\"Points must be written in order.\",\"details\":[{\"totalPointCount\":2"), &a);
    CHECK_INT(a.taken, -1);
    CHECK(!a.is_old_only); /* cut off */
}
