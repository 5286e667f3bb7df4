#include "export/push/monitoring.h"

#include "base/jmembers.h"
#include "base/jsonlog.h"
#include "base/map.h"
#include "base/mem.h"
#include "export/push/identity.h"
#include "export/push/round.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ENDPOINT "https://monitoring.googleapis.com"
#define SPACING_MS INT64_C(5000) /* the API takes one point of a series in five seconds */
#define MAX_JOB ((size_t)1 << 20)

struct monitoring {
    struct http_client *http;
    struct gcp_tokens *tokens;
    struct round *round;
    struct push_figures figures;
    struct monitoring_place place;
    char *url;
    bool is_name_namespaced;
    struct map names; /* workload id -> struct round_job that writes its series */
};

/* Two jobs with the same workload ID would write to the same series. */
static bool takes_name(struct monitoring *m, struct round_job *job, const char *workload_id) {
    struct round_job *other = map_get(&m->names, slice_of(workload_id));
    if (other == NULL || other->is_final) {
        map_put(&m->names, slice_of(workload_id), job);
        other = job;
    }
    if (other == job)
        return true;
    if (job->note == 0) /* logged once */
        jsonlog(JSONLOG_WARNING, "not pushed to Cloud Monitoring: another JobGoodput has the same workload_id",
                "namespace", LOG_S(job->namespace_), "name", LOG_S(job->name), "workload_id", LOG_S(workload_id),
                "other_namespace", LOG_S(other->namespace_), "other_name", LOG_S(other->name), "set",
                LOG_S("--cloud-monitoring-namespaced"), NULL);
    job->note = 1;
    m->figures.points_dropped++;
    return false;
}

static void begin(void *context, struct buf *body) {
    (void)context;
    buf_append_text(body, "{\"timeSeries\":[");
}

static int append(void *context, struct round_job *job, const struct round_now *now, struct buf *body, int count) {
    struct monitoring *m = context;
    struct push_identity identity;
    CLEANUP_BUF struct buf text = {0};
    struct jwrite w;
    int left_out = 0;
    if (!push_identity_read(fleet_object(now->job), &identity))
        return 0;
    CLEANUP_FREE char *workload_id =
        m->is_name_namespaced ? mem_format("%s/%s", job->namespace_, identity.run) : mem_strdup(identity.run);
    if (!takes_name(m, job, workload_id))
        return ROUND_LATER;
    struct monitoring_job one = {job->namespace_,      job->name,    workload_id,
                                 identity.accelerator, now->numbers, now->end_ms};
    buf_init(&text, MAX_JOB);
    jwrite_init(&w, &text);
    jwrite_array(&w);
    int series = monitoring_series_write(&m->place, &one, &w, &left_out);
    jwrite_array_end(&w);
    if (count > 0 && count + series > MONITORING_MAX_SERIES)
        return ROUND_NO_ROOM;
    m->figures.points_dropped += left_out;
    if (series == 0)
        return 0;
    if (count > 0)
        buf_append_char(body, ',');
    buf_append(body, text.data + 1, text.size_bytes - 2); /* without its brackets */
    return series;
}

static void end(void *context, struct buf *body) {
    (void)context;
    buf_append_text(body, "]}");
}

static void changed(void *context, const struct fleet_job *job) {
    round_changed(((struct monitoring *)context)->round, job);
}

static void deleted(void *context, const struct fleet_job *job) {
    struct monitoring *m = context;
    const struct round_job *known = round_find(m->round, job);
    for (size_t i = m->names.count; i-- > 0;) /* the last entry takes the place of a removed one, and was visited */
        if (map_at(&m->names, i) == known)
            map_remove(&m->names, map_key_at(&m->names, i));
    round_deleted(m->round, job);
}

static void tick(void *context) {
    round_tick(((struct monitoring *)context)->round);
}

/* ---- answers: google.rpc.Status with a CreateTimeSeriesSummary in its details ---- */

static bool is_old(const char *text) {
    return strstr(text, "Points must be written in order") != NULL ||
           strstr(text, "more frequently than the maximum sampling period") != NULL;
}

struct reading {
    struct monitoring_answer a;
    bool is_other;
    char text[512];       /* of an error */
    int64_t total, taken; /* of a detail */
};

/* Reads one of the summary's errors: {"status": {"code", "message"}, "pointCount"}. */
static void read_error(struct jscan *j, void *reading) {
    static const struct jmember status[] = {JMEMBER(struct reading, text, "message")};
    static const struct jmember rows[] = {JMEMBER_OBJECT("status", status)};
    struct reading *r = reading;
    r->text[0] = '\0';
    jmembers_read(j, JMEMBERS(rows), r);
    r->is_other = r->is_other || (r->text[0] != '\0' && !is_old(r->text));
}

static void read_detail(struct jscan *j, void *reading) {
    static const struct jmember rows[] = {JMEMBER(struct reading, total, "totalPointCount"),
                                          JMEMBER(struct reading, taken, "successPointCount"),
                                          JMEMBER_ELEMENTS("errors", read_error)};
    struct reading *r = reading;
    r->total = -1;
    r->taken = 0; /* 0 is not written in JSON */
    jmembers_read(j, JMEMBERS(rows), r);
    if (r->total >= 0 && r->taken >= 0 && r->taken <= r->total) {
        r->a.total = r->total;
        r->a.taken = r->taken;
    }
}

void monitoring_read_answer(struct slice body, struct monitoring_answer *a) {
    static const struct jmember error[] = {JMEMBER(struct reading, a.text, "message"),
                                           JMEMBER_ELEMENTS("details", read_detail)};
    static const struct jmember rows[] = {JMEMBER_OBJECT("error", error)};
    struct reading r = {.a = {.total = -1, .taken = -1}};
    struct jscan j;
    jscan_init(&j, body);
    jmembers_read(&j, JMEMBERS(rows), &r);
    bool is_json = jscan_error(&j, NULL) == NULL;
    *a = r.a;
    if (!is_json)
        a->total = a->taken = -1;
    a->is_old_only = is_json && is_old(a->text) && !r.is_other;
}

static enum sender_verdict judge(void *context, const struct sender_reply *reply, int64_t *dropped,
                                 char text[static SENDER_TEXT]) {
    const struct monitoring *m = context;
    struct monitoring_answer a;
    int status = reply->status;
    if (status >= 200 && status < 300)
        return SENDER_DELIVERED;
    monitoring_read_answer(reply->body, &a);
    if (status == 400 && a.is_old_only && (a.taken >= 0 || reply->was_retried))
        return SENDER_DELIVERED; /* written by an earlier try or by an earlier leader */
    const char *what =
        status == 400   ? "Cloud Monitoring refuses points of project"
        : status == 401 ? "Cloud Monitoring does not accept the controller's token for project"
        : status == 403
            ? "the controller's Google account may not write metrics: give it roles/monitoring.metricWriter "
              "(permission monitoring.timeSeries.create) on project"
        : status == 404 ? "Cloud Monitoring does not know the project"
        : status == 429 ? "Cloud Monitoring's quota is used up; points are written later for project"
                        : "Cloud Monitoring fails for project";
    snprintf(text, SENDER_TEXT, "%s %s: HTTP status %d%s%.300s", what, m->place.project, status, a.text[0] ? ": " : "",
             a.text);
    if (status == 400) { /* the other points were written, and a retry would be refused again */
        *dropped = a.taken >= 0 && a.total >= a.taken ? a.total - a.taken : 0;
        return a.taken >= 0 ? SENDER_DELIVERED : SENDER_REFUSED;
    }
    return status == 408 || status == 429 || status >= 500 ? SENDER_RETRY : SENDER_REFUSED;
}

/* ---- making ---- */

static void monitoring_free(void *context) {
    struct monitoring *m = context;
    round_free(m->round);
    gcp_tokens_free(m->tokens);
    http_client_free(m->http);
    map_done(&m->names);
    free(m->url);
    free(m);
}

static int check(const struct runtime_flags *f, struct error **err) {
    static const char *const more = "-.:";
    const char *p = f->cloud_monitoring_project;
    for (; *p != '\0'; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || strchr(more, *p) != NULL))
            return error_set(err, EINVAL, "--cloud-monitoring-project: \"%s\" is not the ID of a Google Cloud project",
                             f->cloud_monitoring_project);
    if (f->cloud_monitoring_location == NULL || f->cloud_monitoring_location[0] == '\0')
        return error_set(err, EINVAL,
                         "--cloud-monitoring-project needs --cloud-monitoring-location: the zone or region of the "
                         "series, such as us-east5-a");
    return 0;
}

int monitoring_make(const struct push_options *options, struct push_exporter *exporter, struct error **err) {
    const struct runtime_flags *f = options->flags;
    if (f->cloud_monitoring_project == NULL || f->cloud_monitoring_project[0] == '\0')
        return 0;
    if (check(f, err) < 0)
        return -EINVAL;
    static const char *const headers[] = {"Content-Type: application/json", NULL};
    struct monitoring *m = mem_new(struct monitoring);
    m->place = (struct monitoring_place){.project = f->cloud_monitoring_project,
                                         .location = f->cloud_monitoring_location,
                                         .replica_id = f->cloud_monitoring_replica_id,
                                         .cluster = f->cluster_name};
    m->is_name_namespaced = f->cloud_monitoring_namespaced;
    m->figures.exporter = "cloud-monitoring";
    m->url =
        mem_format("%s/v3/projects/%s/timeSeries?prettyPrint=false",
                   f->cloud_monitoring_endpoint ? f->cloud_monitoring_endpoint : ENDPOINT, f->cloud_monitoring_project);
    map_init(&m->names, NULL);
    m->http = http_client_new(options->loop);
    m->tokens = gcp_tokens_new(options->loop, m->http, f->google_credentials);
    struct round_options how = {.fleet = options->fleet,
                                .url = m->url,
                                .headers = headers,
                                .interval_us = f->cloud_monitoring_interval_us,
                                .spacing_ms = SPACING_MS,
                                .sender = {.name = "Cloud Monitoring", .tokens = m->tokens}};
    m->round =
        round_new(options->loop, m->http, &how, &(struct round_handler){begin, append, end, judge, m}, &m->figures);
    *exporter = (struct push_exporter){changed, deleted, tick, monitoring_free, &m->figures, m};
    return 1;
}
