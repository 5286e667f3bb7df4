/* An elastic job that trains on with k of its n slices: whose chips stand still. */
#include "fact_list.h"
#include "harness.h"
#include "ledger/evaluate.h"

enum { CHIPS = 16, STEP_MS = 1000 };

static struct ledger *begin(int *ret_process, int64_t lost_ms) {
    struct ledger *l = fact_ledger(&(struct ledger_options){.has_log = true, .ideal_step_ms = STEP_MS}, 4);
    for (uint32_t slot = 0; slot < 4; slot++) {
        struct ledger_occupancy life = fact_running(slot + 1, slot, 0, CHIPS / 4);
        if (slot == 3)
            life.lost_ms = life.ended_ms = life.released_ms = lost_ms;
        ledger_add_occupancy(l, &life);
    }
    *ret_process = ledger_add_process(l, 1, "pod-0", 0, TIME_OPEN);
    return l;
}

static void add_record(struct ledger *l, int process, enum record_kind kind, int64_t line, int64_t at_ms,
                       int64_t active) {
    struct record r = fact_record(kind, process, line, at_ms, kind == RECORD_STEP_END ? active : RECORD_NONE);
    if (kind == RECORD_ELASTIC_SLICES) {
        r.active = active;
        r.total = 4;
    }
    ledger_add_record(l, &r);
}

/* 1,000 steps of 1 s; from 200 s to 500 s three slices train, then two until 600 s. */
static void train(struct ledger *l, int process) {
    for (int64_t step = 1; step <= 1000; step++) {
        if (step == 201 || step == 501 || step == 601)
            add_record(l, process, RECORD_ELASTIC_SLICES, 2 * step - 1, (step - 1) * STEP_MS,
                       step == 201   ? 3
                       : step == 501 ? 2
                                     : 4);
        add_record(l, process, RECORD_STEP_END, 2 * step, step * STEP_MS, step);
    }
}

/* (4 - 3) / 4 of 16 chips for 300 s and (4 - 2) / 4 for 100 s; not a millisecond of it is anyone's but Productive's. */
TEST(slices_that_are_down_take_their_share_of_the_chips_and_no_time) {
    int process;
    struct ledger *l = begin(&process, TIME_OPEN);
    struct ledger_result r;
    train(l, process);
    ledger_evaluate(l, 1000000, &r);
    check_identities(&r, "slices down");
    const struct ledger_bucket *down = result_bucket(&r, BUCKET_ELASTIC_SLICE_DOWN);
    REQUIRE(down != NULL);
    CHECK_INT(r.productive_ms, 1000000);
    CHECK_INT(down->ms, 0);
    CHECK_INT(down->count, 1);
    CHECK_INT(down->chip_ms, 4 * 300000 + 8 * 100000);
    CHECK_INT(down->largest_ms, 400000);
    CHECK_TEXT(bucket_name(down->bucket), "ElasticSliceDown");
    CHECK_TEXT(down->evidence, "3 of 4 slices train (log of pod-0, line 401)");
    CHECK_INT(r.chip_ms_allocated, (int64_t)CHIPS * 1000000);
    CHECK_INT(r.chip_ms_productive, r.chip_ms_allocated - down->chip_ms);
    CHECK_INT(r.chip_ms_waiting, 0);
    ledger_result_done(&r);
    ledger_free(l);
}

/* Where the objects show the slice deleted its chips are not allocated: they are waited for, not lost. Steps prove that
 * the job trained on, so it was available all the same. */
TEST(chips_of_a_deleted_slice_are_waited_for) {
    int process;
    struct ledger *l = begin(&process, 200000);
    struct ledger_result r;
    train(l, process);
    ledger_evaluate(l, 600000, &r);
    check_identities(&r, "a deleted slice");
    CHECK_INT(r.available_ms, 600000);
    CHECK_INT(r.productive_ms, 600000);
    CHECK_INT(r.chip_ms_allocated, 16 * 200000 + 12 * 400000);
    CHECK_INT(r.chip_ms_waiting, 4 * 400000);
    const struct ledger_bucket *down = result_bucket(&r, BUCKET_ELASTIC_SLICE_DOWN);
    REQUIRE(down != NULL);
    CHECK_INT(down->chip_ms, 4 * 100000); /* two of four train, and three are allocated */
    ledger_result_done(&r);
    ledger_free(l);
}

/* Waiting for slices, and restarting with them, is not training time. */
TEST(waiting_for_slices_is_not_a_step) {
    int process;
    struct ledger *l = begin(&process, TIME_OPEN);
    struct ledger_result r;
    for (int64_t step = 1; step <= 10; step++)
        add_record(l, process, RECORD_STEP_END, step, step * STEP_MS, step);
    add_record(l, process, RECORD_ELASTIC_WAIT_START, 11, 10000, 0);
    add_record(l, process, RECORD_ELASTIC_WAIT_END, 12, 17000, 0);
    add_record(l, process, RECORD_ELASTIC_REINIT_START, 13, 17000, 0);
    add_record(l, process, RECORD_ELASTIC_REINIT_END, 14, 20000, 0);
    add_record(l, process, RECORD_STEP_END, 15, 21000, 11);
    ledger_evaluate(l, 21000, &r);
    check_identities(&r, "a wait for slices");
    CHECK_INT(r.productive_ms, 11000);
    REQUIRE(result_bucket(&r, BUCKET_ELASTIC_REINIT) != NULL);
    CHECK_INT(result_bucket(&r, BUCKET_ELASTIC_REINIT)->ms, 10000);
    ledger_result_done(&r);
    ledger_free(l);
}
