/* What the page gets besides a status: bounded, even, and the saves that are known to be durable. */
#include "base/buf.h"
#include "harness.h"
#include "operator/job/trace.h"

#include <stdlib.h>

static void add_record(struct trace *t, enum record_kind kind, int64_t at_ms, int64_t step) {
    struct record r = {.kind = kind, .at_ms = at_ms, .step = step};
    trace_add(t, &r);
}

/* However many records come, at most max_points are kept, from the first on and evenly spaced. */
TEST(a_trace_is_bounded_and_even) {
    for (int max_points = 32; max_points <= 256; max_points *= 2)
        for (int records = 1; records < 5000; records = records * 3 + 1) {
            struct trace t = {.max_points = (size_t)max_points};
            for (int i = 0; i < records; i++)
                add_record(&t, RECORD_STEP_END, 1000 * i, i);
            const struct trace_points *p = &t.steps;
            REQUIRE(p->count > 0 && p->count <= (size_t)max_points);
            CHECK(records > max_points || p->count == (size_t)records);
            CHECK(records <= max_points || p->count >= (size_t)max_points / 2);
            CHECK_INT(p->points[0].step, 0);
            CHECK(records - p->points[p->count - 1].step <= p->stride);
            for (size_t i = 1; i < p->count; i++)
                CHECK_INT(p->points[i].step - p->points[i - 1].step, p->stride);
            trace_clear(&t);
            CHECK_INT(t.max_points, max_points);
            CHECK_INT(t.steps.count, 0);
        }
}

TEST(a_save_is_durable_when_a_record_says_so) {
    struct trace t = {0};
    CLEANUP_BUF struct buf json;
    buf_init(&json, 1 << 16);
    add_record(&t, RECORD_STEP_END, 10, 1);
    add_record(&t, RECORD_SAVE_START, 20, RECORD_NONE); /* of the last step */
    add_record(&t, RECORD_SAVE_DURABLE, 25, RECORD_NONE);
    add_record(&t, RECORD_SAVE_START, 30, 5);
    add_record(&t, RECORD_SAVE_START, 40, 7);
    add_record(&t, RECORD_RESTORE_END, 60, 5);  /* what could be restored was whole; nothing is known of 7 */
    add_record(&t, RECORD_RESTORE_END, 61, 6);  /* a restore proves no save that was never recorded */
    add_record(&t, RECORD_SAVE_DURABLE, 70, 9); /* its start was not recorded */
    trace_write(&t, &json);
    CHECK_TEXT(buf_text(&json), "{\"steps\":[[10,1]],\"saves\":[[20,1,1],[30,5,1],[40,7,0],[70,9,1]]}");
    trace_clear(&t);
}
