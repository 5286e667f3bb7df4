/* Not a pass or fail (the machine may be busy): prints the figures that are promised, so that a change that
 * costs much is seen. */
#include "harness.h"

#include "base/buf.h"
#include "base/jscan.h"
#include "base/jwrite.h"
#include "base/mem.h"
#include "steplog/steplog.h"

static void on_record(void *context, const struct record *r) {
    (void)r;
    (*(int64_t *)context)++;
}

TEST(recorder_lines_a_second) {
    enum { LINES = 10000, ROUNDS = 20 };
    CLEANUP_BUF struct buf b;
    buf_init(&b, LINES * 128);
    for (int i = 0; i < LINES; i++)
        buf_format(&b, "{\"job_name\": \"llama3-70b\", \"step_count\": %d, \"step_start_time\": %d.%06d}\n", i,
                   1795227105 + i, i * 37 % 1000000);
    int64_t records = 0, start_us = clock_mono().us;
    struct steplog *s = steplog_new(STEPLOG_AUTO, "llama3-70b", on_record, &records);
    for (int i = 0; i < ROUNDS; i++)
        steplog_feed(s, buf_slice(&b), false);
    steplog_free(s);
    int64_t us = clock_mono().us - start_us;
    CHECK_INT(records, LINES * ROUNDS);
    printf(" %.1f million lines/s, %.0f MB/s ", (double)records / (double)us,
           (double)b.size_bytes * (double)ROUNDS / (double)us);
}

/* A document of the shape and size of a pod event: 7.8 KB, mostly strings, depth 9. */
static void write_event(struct buf *b) {
    struct jwrite w;
    jwrite_init(&w, b);
    jwrite_object(&w);
    jwrite_member_text(&w, "type", "MODIFIED");
    jwrite_key(&w, "object");
    jwrite_object(&w);
    for (int part = 0; b->size_bytes < 7600; part++) {
        char key[16];
        snprintf(key, sizeof key, "part%d", part);
        jwrite_key(&w, key);
        jwrite_array(&w);
        jwrite_object(&w);
        jwrite_member_text(&w, "name", "JOB_COMPLETION_INDEX");
        jwrite_member_text(&w, "fieldPath", "metadata.annotations['batch.kubernetes.io/job-completion-index']");
        jwrite_member_int(&w, "observedGeneration", part);
        jwrite_member_bool(&w, "ready", true);
        jwrite_object_end(&w);
        jwrite_array_end(&w);
    }
    jwrite_object_end(&w);
    jwrite_object_end(&w);
}

TEST(a_pod_event_is_skimmed) {
    CLEANUP_BUF struct buf b;
    buf_init(&b, 10000);
    write_event(&b);
    int64_t start_us = clock_mono().us, keys = 0;
    for (int i = 0; i < 2000; i++) {
        struct jscan j;
        struct slice key;
        jscan_init(&j, buf_slice(&b));
        CHECK(jscan_object(&j));
        while (jscan_key(&j, &key)) {
            keys++;
            jscan_skip(&j);
        }
        CHECK(jscan_at_end(&j));
    }
    CHECK_INT(keys, 4000);
    printf(" %.1f us for %zu bytes ", (double)(clock_mono().us - start_us) / 2000, b.size_bytes);
}
