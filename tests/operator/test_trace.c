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
            CHECK(records - (int64_t)p->points[p->count - 1].step <= p->stride);
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
    CHECK_TEXT(buf_text(&json),
               "{\"steps\":[[10,1]],\"saves\":[[20,1,1],[30,5,1],[40,7,0],[70,9,1]],\"interruptions\":[]}");
    trace_clear(&t);
}

/* Those that a result lists replace what was known of them; those before them stay. */
TEST(a_trace_keeps_interruptions_that_no_result_lists_any_more) {
    struct trace t = {0};
    CLEANUP_BUF struct buf json;
    buf_init(&json, 1 << 20);
    struct ledger_interruption listed[16];
    struct ledger_result r = {.interruptions = listed};
    for (int newest = 1; newest <= TRACE_INTERRUPTIONS + 40; newest++) {
        r.interruption_count = newest < 16 ? newest : 16;
        r.older.count = newest - r.interruption_count;
        for (int i = 0; i < r.interruption_count; i++) {
            int number = (int)r.older.count + i + 1;
            listed[i] = (struct ledger_interruption){.number = number, .at_ms = 1000 * number};
            snprintf(listed[i].node, sizeof listed[i].node, number == newest ? "?" : "n%d", number);
        }
        trace_add_interruptions(&t, &r);
        size_t all = (size_t)newest < TRACE_INTERRUPTIONS ? (size_t)newest : TRACE_INTERRUPTIONS;
        REQUIRE(t.interruption_count == all);
        CHECK_INT(t.interruptions[0].number, newest - (int)all + 1);
        CHECK_INT(t.interruptions[all - 1].number, newest);
        CHECK_TEXT(t.interruptions[all - 1].node, "?");
        CHECK(all < 2 || strcmp(t.interruptions[all - 2].node, "?") != 0); /* its node is known by now */
    }
    r.interruption_count = 2; /* three were one */
    r.older.count = 1;
    listed[0] = (struct ledger_interruption){.number = 2, .at_ms = 7, .node = "a\"b"};
    listed[1] = (struct ledger_interruption){.number = 3, .at_ms = 8};
    trace_clear(&t);
    trace_add_interruptions(&t, &r);
    trace_write(&t, &json);
    CHECK_TEXT(buf_text(&json), "{\"steps\":[],\"saves\":[],\"interruptions\":[[7,\"a\\\"b\"],[8,\"\"]]}");
    r.interruption_count = 0;
    trace_add_interruptions(&t, &r);
    CHECK_INT(t.interruption_count, 0);
    trace_clear(&t);
}
