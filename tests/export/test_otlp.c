/* OTLP/HTTP: the wire format, what is asked again and what is not, and that a span sent again is the same span. What
 * OpenTelemetry's own package reads out of it is asked in tests/recorder/otlp.py. */
#include "harness.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "export/push/otlp.h"
#include "export/push/otlp_wire.h"
#include "export/pushed.h"
#include "rawserver.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

TEST(fields_are_encoded_as_in_the_guide) {
    CLEANUP_BUF struct buf b;
    buf_init(&b, 4096);
    otlp_uint(&b, 1, 150);            /* protobuf.dev, "A Simple Message": 08 96 01 */
    otlp_text(&b, 2, "testing");      /* "Length-Delimited Records": 12 07 74 65 73 74 69 6e 67 */
    size_t inner = otlp_begin(&b, 3); /* "Submessages": 1a 03 08 96 01 */
    otlp_uint(&b, 1, 150);
    otlp_end(&b, inner);
    otlp_double(&b, 4, 1);
    otlp_text(&b, 5, "");
    otlp_text(&b, 5, "a\xC3(\xF0\x9F\x98\x80");
    static const char expected[] = "\x08\x96\x01\x12\x07testing\x1a\x03\x08\x96\x01\x21\0\0\0\0\0\0\xF0\x3F"
                                   "\x2a\x09"
                                   "a\xEF\xBF\xBD(\xF0\x9F\x98\x80";
    CHECK(slice_equal(buf_slice(&b), (struct slice){expected, sizeof expected - 1}));
    buf_clear(&b);
    inner = otlp_begin(&b, 16); /* a length of two bytes moves what is inside */
    for (int i = 0; i < 100; i++)
        otlp_uint(&b, 1, 1);
    otlp_end(&b, inner);
    CHECK_INT(b.size_bytes, 2 + 2 + 200);
    CHECK(memcmp(b.data, "\x82\x01\xC8\x01\x08\x01", 6) == 0);
}

/* Every truncation, too: read as far as it goes. */
TEST(answers_are_read) {
    CLEANUP_BUF struct buf b;
    struct otlp_answer a;
    buf_init(&b, 4096);
    size_t partial = otlp_begin(&b, 1);
    otlp_uint(&b, 1, 3);
    otlp_text(&b, 2, "too old");
    otlp_end(&b, partial);
    otlp_read_answer(buf_slice(&b), false, &a);
    CHECK_INT(a.rejected, 3);
    CHECK_TEXT(a.text, "too old");
    for (size_t i = 0; i < b.size_bytes; i++) {
        otlp_read_answer((struct slice){b.data, i}, false, &a);
        CHECK_INT(a.rejected, 0); /* the message is not whole */
    }
    otlp_read_answer(SLICE("\x08\x03\x12\x03"
                           "bad"),
                     true, &a);
    CHECK_TEXT(a.text, "bad");
    otlp_read_answer(SLICE("<html>"), true, &a);
    CHECK_TEXT(a.text, "");
    otlp_read_answer((struct slice){0}, false, &a);
    CHECK_INT(a.rejected, 0);
}

/* ---- against a collector ---- */

struct collector {
    struct rawserver *server;
    struct buf metrics, spans; /* bodies of what it took last */
    int metrics_requests, spans_requests;
    int faults, status; /* the next N requests; 0: a reset; 200: body */
    const char *headers, *body;
    bool saw_header;
};

static void on_request(void *context, struct rawconn *c, struct slice request) {
    struct collector *s = context;
    const char *end = slice_find(request, "\r\n\r\n");
    struct slice body = slice_skip(request, (size_t)(end + 4 - request.data));
    bool is_metrics = slice_starts(request, "POST /v1/metrics ");
    CHECK(is_metrics || slice_starts(request, "POST /v1/traces "));
    CHECK(slice_contains(request, "Content-Type: application/x-protobuf\r\n"));
    s->saw_header = s->saw_header || slice_contains(request, "x-key: secret\r\n");
    *(is_metrics ? &s->metrics_requests : &s->spans_requests) += 1;
    if (s->faults > 0) {
        s->faults--;
        if (s->status == 0)
            rawconn_reset(c);
        else
            rawconn_reply(c, s->status, s->headers ? s->headers : "", s->body ? s->body : "");
        if (s->status != 200)
            return;
    } else {
        rawconn_reply(c, 200, "", "");
    }
    struct buf *kept = is_metrics ? &s->metrics : &s->spans;
    buf_clear(kept);
    buf_append_slice(kept, body);
}

struct rig {
    struct pushed p;
    struct collector collector;
};

static void begin(struct rig *r) {
    pushed_begin(&r->p, otlp_make);
}

static struct rig *rig_new(void) {
    struct rig *r = mem_new(struct rig);
    pushed_init(&r->p);
    r->collector.server = rawserver_new(r->p.loop, on_request, &r->collector);
    buf_init(&r->collector.metrics, 1 << 20);
    buf_init(&r->collector.spans, 1 << 20);
    r->p.flags =
        (struct runtime_flags){.otlp_endpoint = rawserver_url(r->collector.server), .otlp_interval_us = 1000000};
    begin(r);
    return r;
}

static void rig_free(struct rig *r) {
    r->p.exporter.free(r->p.exporter.context);
    rawserver_free(r->collector.server);
    buf_done(&r->collector.metrics);
    buf_done(&r->collector.spans);
    pushed_done(&r->p);
    free(r);
}

/* A job of two executions; `more` is part of the second one, `rest` follows the list. */
static void observe(struct rig *r, int64_t through_s, const char *first, const char *second, const char *rest) {
    int64_t start_s = clock_wall().us / 1000000 / 1000 * 1000 - 5000; /* the same in a test */
    char t[5][RFC3339_SIZE];
    const int64_t at_s[] = {0, 10, 20, 60, through_s};
    for (size_t i = 0; i < ARRAY_SIZE(t); i++)
        rfc3339_format(t[i], (start_s + at_s[i]) * 1000000000, 0);
    CLEANUP_FREE char *object = mem_format(
        "{\"metadata\":{\"namespace\":\"n\",\"name\":\"j\",\"uid\":\"u1\"},\"spec\":{\"targetRef\":{\"kind\":"
        "\"JobSet\","
        "\"name\":\"j\"}},\"status\":{\"time\":{\"start\":\"%s\",\"observedThrough\":\"%s\",\"wallMilliseconds\":1000%"
        "s},"
        "\"executions\":[{\"number\":1,\"start\":\"%s\",\"availableAt\":\"%s\",\"firstStepAt\":\"%s\",\"end\":\"%s\","
        "\"cause\":\"NodeFailure\",\"lostSteps\":3,\"lostWorkMilliseconds\":100%s},{\"number\":2,\"start\":\"%s\"%s}]}"
        "}",
        t[0], t[4], rest, t[0], t[1], t[2], t[3], first, t[3], second);
    CHECK_INT(fleet_put(&r->p.fleet, "n", "j", slice_of(object)), 0);
    pushed_job_changed(&r->p, "n", "j");
}

/* Protobuf has texts as they are. */
static bool resource_has(const struct rig *r, const char *text) {
    return slice_contains(buf_slice(&r->collector.metrics), text);
}

TEST(the_resource_names_the_cluster_that_the_flag_names) {
    struct rig *r = rig_new();
    observe(r, 100, "", "", "");
    CHECK(pushed_until(&r->p, pushed_has_delivered));
    CHECK(resource_has(r, "k8s.namespace.name") && !resource_has(r, "k8s.cluster.name"));
    rig_free(r);
    r = rig_new();
    r->p.fleet.cluster_name = "prod-1";
    observe(r, 100, "", "", "");
    CHECK(pushed_until(&r->p, pushed_has_delivered));
    CHECK(resource_has(r, "k8s.cluster.name") && resource_has(r, "prod-1"));
    rig_free(r);
}

static bool has_spans(const struct pushed *p) {
    const struct rig *r = (const struct rig *)p;
    return r->collector.spans.size_bytes > 0 && p->exporter.figures->delivered > 1;
}

/* The numbers of the second execution's steps are not known yet: nothing of the first one's end is settled. */
TEST(spans_are_sent_once_they_are_settled_and_the_same_by_a_successor) {
    struct rig *r = rig_new();
    observe(r, 100, "", "", "");
    CHECK(pushed_until(&r->p, pushed_has_delivered));
    CHECK_INT(r->collector.spans_requests, 0);
    observe(r, 110, ",\"catchUpMilliseconds\":50", ",\"firstStepAt\":\"2026-11-01T00:00:00Z\"", "");
    CHECK(pushed_until(&r->p, has_spans));
    CHECK_INT(r->collector.spans_requests, 1);
    CLEANUP_BUF struct buf before;
    buf_init(&before, 1 << 20);
    buf_append_slice(&before, buf_slice(&r->collector.spans));
    CHECK(slice_contains(buf_slice(&before), "interruption") && slice_contains(buf_slice(&before), "NodeFailure"));
    r->p.exporter.free(r->p.exporter.context);
    buf_clear(&r->collector.spans);
    begin(r);
    pushed_job_changed(&r->p, "n", "j");
    CHECK(pushed_until(&r->p, has_spans));
    CHECK(slice_equal(buf_slice(&before), buf_slice(&r->collector.spans)));
    rig_free(r);
}

TEST(retryable_codes_are_retried_and_no_others) {
    static const struct {
        int status;
        const char *headers;
        bool is_retried;
    } faults[] = {{429, "Retry-After: 0\r\n", true},
                  {502, "", true},
                  {503, "Retry-After: 1\r\n", true},
                  {504, "", true},
                  {0, "", true},
                  {400, "", false},
                  {401, "", false},
                  {404, "", false},
                  {413, "", false},
                  {500, "", false}};
    for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
        struct rig *r = rig_new();
        r->p.flags.otlp_interval_us = 1000000;
        r->collector.status = faults[i].status;
        r->collector.faults = 1;
        r->collector.headers = faults[i].headers;
        observe(r, 100, "", "", "");
        CHECK(pushed_until(&r->p, faults[i].is_retried ? pushed_has_delivered : pushed_has_failed));
        CHECK_INT(r->p.exporter.figures->failed, faults[i].is_retried ? 0 : 1);
        CHECK_INT(r->collector.metrics_requests, faults[i].is_retried ? 2 : 1);
        if (!faults[i].is_retried)
            CHECK(r->p.exporter.figures->points_dropped > 0 && r->p.exporter.figures->points_delivered == 0);
        rig_free(r);
    }
}

/* OTLP: what is rejected must not be sent again. */
TEST(a_partial_success_is_a_delivery) {
    struct rig *r = rig_new();
    r->collector.status = 200;
    r->collector.faults = 1;
    r->collector.body = "\x0a\x08\x08\x02\x12\x04"
                        "dups";
    observe(r, 100, "", "", "");
    CHECK(pushed_until(&r->p, pushed_has_delivered));
    CHECK_INT(r->p.exporter.figures->points_dropped, 2);
    CHECK_INT(r->p.exporter.figures->retried, 0);
    CHECK_INT(r->collector.metrics_requests, 1);
    rig_free(r);
}

static int make(struct runtime_flags *flags, struct error **err) {
    struct fleet fleet = {0};
    struct push_exporter exporter;
    struct loop *loop = loop_new(NULL);
    int result = otlp_make(&(struct push_options){loop, &fleet, flags}, &exporter, err);
    if (result == 1)
        exporter.free(exporter.context);
    loop_free(loop);
    return result;
}

TEST(wrong_flags_are_one_sentence) {
    static const char *const endpoints[] = {"collector:4318", "ftp://x", "http://", "https://a b"};
    for (size_t i = 0; i < ARRAY_SIZE(endpoints); i++) {
        CLEANUP_ERROR struct error *err = NULL;
        struct runtime_flags flags = {.otlp_endpoint = endpoints[i]};
        CHECK_INT(make(&flags, &err), -EINVAL);
        CHECK(strstr(error_text(err), "such as http://collector:4318") != NULL);
    }
    char path[] = "/tmp/goodput-headers-XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    struct runtime_flags flags = {.otlp_endpoint = "https://collector:4318/", .otlp_headers = path};
    CHECK_INT(make(&flags, NULL), 1); /* an empty file has no headers */
    CLEANUP_ERROR struct error *err = NULL;
    CHECK(write(fd, "x-key: secret\nsecret\n", 21) == 21);
    CHECK_INT(make(&flags, &err), -EINVAL);
    CHECK(strstr(error_text(err), "line 2 is not \"Name: value\"") != NULL &&
          strstr(error_text(err), "secret") == NULL);
    close(fd);
    unlink(path);
    error_free(err);
    err = NULL;
    CHECK(make(&flags, &err) < 0);
    CHECK(strstr(error_text(err), "No such file") != NULL);
}

TEST(headers_of_the_file_are_sent) {
    char path[] = "/tmp/goodput-headers-XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0 && write(fd, "\r\nx-key: secret\r\n", 17) == 17);
    close(fd);
    struct rig *r = rig_new();
    r->p.exporter.free(r->p.exporter.context);
    r->p.flags.otlp_headers = path;
    begin(r);
    observe(r, 100, "", "", "");
    CHECK(pushed_until(&r->p, pushed_has_delivered));
    CHECK(r->collector.saw_header);
    rig_free(r);
    unlink(path);
}
