/* What step lines say of FLOP/s: summed once, whatever is read again, and kept by a checkpoint. */
#include "harness.h"
#include "ledger/ledger.h"

#include <stdlib.h>

static void say(struct ledger *l, int process, int64_t step, int64_t at_ms, int64_t duration_ms, int64_t milli) {
    struct record r = RECORD_INIT;
    r.kind = RECORD_STEP_END;
    r.process = process;
    r.line = r.step = step;
    r.at_ms = at_ms;
    r.duration_ms = duration_ms;
    r.tflops_milli = milli;
    ledger_add_record(l, &r);
}

/* Steps of 2 s at 100 TFLOP/s, every fifth at 250 for its own 0.8 s; a line of five steps without a duration. */
static void train(struct ledger *l, int process, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++)
        say(l, process, i, i * 2000, i % 5 == 4 ? 800 : 2000, i % 5 == 4 ? 250000 : 100000);
    say(l, process, to + 4, (to + 4) * 2000, RECORD_NONE, 100000);
}

static void check(struct ledger *l, int64_t lines, int64_t steps, int64_t fast) {
    struct ledger_result r;
    ledger_evaluate(l, 40000000, &r);
    REQUIRE(r.flops_count == 2);
    CHECK(ledger_flops_least_milli(r.flops[0].class) <= 100000 &&
          ledger_flops_least_milli(r.flops[0].class + 1) > 100000);
    CHECK_INT(r.flops[0].lines, lines);
    CHECK_INT(r.flops[0].steps, steps);
    CHECK_INT(r.flops[0].mflop, steps * 200000000);
    CHECK_INT(r.flops[1].lines, fast);
    CHECK_INT(r.flops[1].mflop, fast * 200000000);
    ledger_result_done(&r);
}

TEST(flops_of_lines_are_summed_once) {
    static const struct ledger_options options = {.has_log = true};
    struct ledger *l = ledger_new(&options), *again;
    CLEANUP_ERROR struct error *err = NULL;
    CLEANUP_BUF struct buf saved;
    buf_init(&saved, 1 << 20);
    ledger_set_span(l, 0, TIME_OPEN, OUTCOME_RUNNING);
    ledger_set_required(l, 0, 1);
    int process = ledger_add_process(l, 7, 1000, TIME_OPEN);
    train(l, process, 1, 5001); /* the first line tells no number of steps; long enough to be settled in part */
    say(l, process, 5006, 20000000, 2000, -5);
    check(l, 4000, 4004, 1000);
    REQUIRE(ledger_save(l, LEDGER_SAVE_ALL, &saved) == 0);
    again = ledger_load(buf_slice(&saved), NULL, &err);
    REQUIRE(again != NULL);
    process = ledger_add_process(again, 7, 1000, TIME_OPEN);
    train(again, process, 1, 5001);
    check(again, 4000, 4004, 1000);
    ledger_free(again);
    ledger_free(l);
}
