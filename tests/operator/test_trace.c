/* What the page is told beside a status: bounded, even, and the saves that are known to be whole. */
#include "base/buf.h"
#include "harness.h"
#include "operator/job/trace.h"

#include <stdlib.h>

static void tell(struct trace *t, enum record_kind kind, int64_t at_ms, int64_t step) {
    struct record r = {.kind = kind, .at_ms = at_ms, .step = step};
    trace_add(t, &r);
}

/* However many were told, so many are kept, from the first on and as far apart as each other. */
TEST(a_trace_is_bounded_and_even) {
    for (int most = 32; most <= 256; most *= 2)
        for (int told = 1; told < 5000; told = told * 3 + 1) {
            struct trace t = {.most_points = (size_t)most};
            for (int i = 0; i < told; i++)
                tell(&t, RECORD_STEP_END, 1000 * i, i);
            const struct trace_points *p = &t.steps;
            REQUIRE(p->count > 0 && p->count <= (size_t)most);
            CHECK(told > most || p->count == (size_t)told);
            CHECK(told <= most || p->count >= (size_t)most / 2);
            CHECK_INT(p->points[0].step, 0);
            CHECK(told - p->points[p->count - 1].step <= p->stride);
            for (size_t i = 1; i < p->count; i++)
                CHECK_INT(p->points[i].step - p->points[i - 1].step, p->stride);
            trace_clear(&t);
            CHECK_INT(t.most_points, most);
            CHECK_INT(t.steps.count, 0);
        }
}

TEST(a_save_is_durable_when_that_is_told) {
    struct trace t = {0};
    CLEANUP_BUF struct buf json;
    buf_init(&json, 1 << 16);
    tell(&t, RECORD_STEP_END, 10, 1);
    tell(&t, RECORD_SAVE_START, 20, RECORD_NONE); /* of the last step */
    tell(&t, RECORD_SAVE_DURABLE, 25, RECORD_NONE);
    tell(&t, RECORD_SAVE_START, 30, 5);
    tell(&t, RECORD_SAVE_START, 40, 7);
    tell(&t, RECORD_RESTORE_END, 60, 5);  /* what could be restored was whole; nothing is known of 7 */
    tell(&t, RECORD_RESTORE_END, 61, 6);  /* a restore proves no save that was never told */
    tell(&t, RECORD_SAVE_DURABLE, 70, 9); /* its beginning was not told */
    trace_write(&t, &json);
    CHECK_TEXT(buf_text(&json), "{\"steps\":[[10,1]],\"saves\":[[20,1,1],[30,5,1],[40,7,0],[70,9,1]]}");
    trace_clear(&t);
}
