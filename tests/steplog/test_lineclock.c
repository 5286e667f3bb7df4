/* Logs without stamps: lines are taken at the time that they carry themselves. The real runs' logs (their clock was
 * UTC) give the same records, next to the same times, whether the kubelet's stamps are there or not. */
#include "harness.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "steplog/lineclock.h"
#include "steplog/steplog.h"

#define NOW_MS INT64_C(1795300000000) /* 2026-11-22 */
#define MAX 4096

struct list {
    struct record records[MAX];
    int count;
};

static void on_record(void *context, const struct record *r) {
    struct list *l = context;
    if (r->kind != RECORD_SIGN_OF_LIFE && l->count < MAX)
        l->records[l->count++] = *r;
}

static struct steplog_counts read_log(struct slice bytes, bool stamped, struct list *l) {
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, l);
    if (!stamped)
        steplog_use_line_clocks(s, NOW_MS);
    l->count = 0;
    steplog_feed(s, bytes, stamped);
    steplog_end(s);
    struct steplog_counts counts = steplog_counts_get(s);
    steplog_free(s);
    return counts;
}

static void take_stamps_off(struct slice bytes, struct buf *out) {
    struct slice line;
    int64_t ns;
    while (slice_take_line(&bytes, &line)) {
        if (rfc3339_take(&line, &ns, NULL))
            slice_take_char(&line, ' ');
        buf_append_slice(out, line);
        buf_append_char(out, '\n');
    }
}

static void check_run(const char *folder, int attempt, int64_t within_ms) {
    static struct list with, without;
    char path[256];
    size_t size = 0;
    CLEANUP_BUF struct buf plain;
    buf_init(&plain, 1 << 20);
    snprintf(path, sizeof path, "tests/data/trainer-logs/%s/attempt-%d.log", folder, attempt);
    CLEANUP_FREE char *data = harness_read_file(path, &size);
    REQUIRE(data != NULL);
    take_stamps_off((struct slice){data, size}, &plain);
    read_log((struct slice){data, size}, true, &with);
    struct steplog_counts counts = read_log(buf_slice(&plain), false, &without);
    CHECK(counts.own_clock > 0);
    CHECK_INT(without.count, with.count);
    for (int i = 0; i < with.count && i < without.count; i++) {
        const struct record *a = &with.records[i], *b = &without.records[i];
        CHECK_INT(b->kind, a->kind);
        CHECK_INT(b->step, a->step);
        CHECK_INT(b->received_ms, RECORD_NONE); /* nobody else's word */
        if (b->at_ms == TIME_UNKNOWN || b->at_ms < a->at_ms - within_ms || b->at_ms > a->at_ms + within_ms)
            harness_fail(path, (int)a->line, "at %" PRId64 ", stamped %" PRId64, b->at_ms, a->at_ms);
    }
}

TEST(lines_own_clocks_stand_in_for_stamps) {
    for (int i = 1; i <= 3; i++) {
        check_run("maxtext/restarts", i, 20);
        check_run("torchtitan/restarts", i, 20);
        check_run("deepspeed/restarts-info", i, 20);
    }
}

/* Every line, and when it says that it was written; -1: it does not say. */
TEST(lines_own_clocks) {
    static const struct {
        const char *line;
        int64_t ms;
    } lines[] = {
        {"I1121 02:16:42.931111 140 metric_logger.py:1] completed step: 1, seconds: 1.0, x", 1795227402931},
        {"W1231 23:59:59.5001 140 m.py:1] completed step: 1, seconds: 1.0, x", 1767225599500}, /* last year's */
        {" [2026-02-05 16:03:52.889599] iteration        1/  9 | elapsed time per iteration (ms): 1.0 | x",
         1770307432889},
        {"[2026-11-21 02:21:47,130] [INFO] [logging.py:123:log_dist] [Rank 0] step=11, skipped=0", 1795227707130},
        {"[rank0]:[titan] 2026-11-21 02:23:05,598 - root - INFO - step: 11  loss:  7.7  tps: 121  tflops: 1",
         1795227785598},
        {"2026-11-21T02:16:42Z completed step: 3, seconds: 1.0, x", 1795227402000},
        {"[NeMo I 2025-06-18 16:53:08 nemo_logging:393] Successfully saved checkpoint from iteration      49 to /x",
         1750265588000},
        {"2026/11/21 02:21:47 step: 3 loss: 1.0", 1795227707000},
        {"[2026/11/21 02:21:47] ppocr INFO: epoch: [3/9], global_step: 3, lr: 0.1, loss: 1.0", 1795227707000},
        {"11/21/2026 02:21:47 - INFO - __main__ -   step: 3 loss: 1.0", 1795227707000},
        {"11/21 02:21:47 - mmengine - INFO - Iter(train) [ 3/9]  lr: 1.0e-04  time: 1.0  loss: 1.0", 1795227707000},
        {"\x1b[32m[11/21 02:21:47 d2.utils.events]: \x1b[0m eta: 0:00:01  iter: 3  total_loss: 1.0", 1795227707000},
        {"12-31 23:59:59, step: 3 loss: 1.0", 1767225599000}, /* last year's */
        {"[1121 02:21:47 @base.py:275] step: 3 loss: 1.0", 1795227707000},
        {"\x1b[32m2026-11-21 02:21:47.130\x1b[0m | INFO | step: 3 loss: 1.0", 1795227707130},
        {"2026-11/21 02:21:47 step: 3 loss: 1.0", -1},
        {"21/11/2026 02:21:47 step: 3 loss: 1.0", -1},  /* a month of 21 */
        {"Epoch 11/21 02:21:47 step: 3 loss: 1.0", -1}, /* a share, and what passed */
        {"Training epoch 0, iteration 64/99 | global_step: 64 | x", -1},
        {"completed step: 2, seconds: 1.0, x", -1},
        {"I1321 02:16:42.9 140 m.py:1] completed step: 1, seconds: 1.0, x", -1},
        {"I1121 25:16:42.9 140 m.py:1] completed step: 1, seconds: 1.0, x", -1},
        {"[2026-13-21 02:21:47,130] [INFO] [logging.py:123:log_dist] [Rank 0] step=11, skipped=0", -1},
        {"x2026-11-21 02:21:47 completed step: 2, seconds: 1.0, x", -1},
    };
    static struct list l;
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        char text[256];
        snprintf(text, sizeof text, "%s\n", lines[i].line);
        struct steplog_counts c = read_log(slice_of(text), false, &l);
        CHECK_INT(l.count, 1);
        CHECK_INT(c.own_clock, lines[i].ms >= 0);
        if (l.records[0].at_ms != (lines[i].ms >= 0 ? lines[i].ms : TIME_UNKNOWN))
            harness_fail(lines[i].line, 0, "at %" PRId64, l.records[0].at_ms);
    }
}

/* A run over the day of now, and over the end of a year: the year is that of the line before, give or take one. */
TEST(a_date_without_a_year_is_near_the_line_before) {
    static struct list l;
    read_log(
        SLICE("11/20 23:00:00 completed step: 1, seconds: 1.0, x\n12/31 23:00:00 completed step: 2, seconds: 1.0, x\n"
              "01/01 01:00:00 completed step: 3, seconds: 1.0, x\n"),
        false, &l);
    CHECK_INT(l.count, 3);
    CHECK_INT(l.records[1].at_ms - l.records[0].at_ms, INT64_C(41) * 86400000);
    CHECK_INT(l.records[2].at_ms - l.records[1].at_ms, INT64_C(7200000));
}

/* An object in JSON, of which nothing stamped the line: how W&B, MLflow and loggers name their times. */
TEST(clocks_in_json) {
    static const struct {
        const char *line;
        int64_t ms;
        bool has_zone;
    } lines[] = {
        {"{\"_step\":3,\"_runtime\":26.1,\"_timestamp\":1795227402.931,\"loss\":1.5}", 1795227402931, true},
        {"{\"key\": \"loss\", \"value\": 1.5, \"timestamp\": 1795227402931, \"step\": 3}", 1795227402931, true},
        {"{\"@timestamp\":\"2026-11-21T02:16:42.931Z\",\"message\":\"step 3 loss 1.5\"}", 1795227402931, true},
        {"{\"level\":\"info\",\"ts\":1795227402.931,\"msg\":\"step 3 loss 1.5\"}", 1795227402931, true},
        {"{\"time\":\"2026-11-21T04:16:42.931+02:00\",\"step\":3,\"loss\":1.5}", 1795227402931, true},
        {"{\"asctime\": \"2026-11-21 02:16:42,931\", \"message\": \"step 3 loss 1.5\"}", 1795227402931, false},
        {"{\"step\":3,\"time\":643.61,\"timestamp\":\"2026-11-21T02:16:42Z\"}", 1795227402000, true}, /* a duration */
        {"{\"step\":3,\"time\":643.61}", -1, false},
        {"{\"step\":3,\"time\":\"02:16:42\"}", -1, false},
        {"{\"step\":3,\"metrics\":{\"timestamp\":1795227402}}", -1, false},
        {"{\"step\":3,\"timestamp\":", -1, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        bool has_zone = false;
        int64_t ms = lineclock_ms(slice_of(lines[i].line), NOW_MS, &has_zone);
        if (ms != (lines[i].ms >= 0 ? lines[i].ms : TIME_UNKNOWN) ||
            (ms != TIME_UNKNOWN && has_zone != lines[i].has_zone))
            harness_fail(lines[i].line, 0, "%" PRId64 ", zone %d", ms, has_zone);
    }
}
