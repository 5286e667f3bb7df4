/* What step lines say of FLOP/s, and how long saves took to be durable: summed once, whatever is read again, and kept
 * by a checkpoint. */
#include "fact_list.h"
#include "harness.h"
#include "ledger/checkpoint.h"
#include "ledger/evaluate.h"
#include "ledger/totals.h"

static void add_step(struct ledger *l, int process, int64_t step, int64_t at_ms, int64_t duration_ms, int64_t milli) {
    struct record r = fact_record(RECORD_STEP_END, process, step, at_ms, step);
    r.duration_ms = duration_ms;
    r.tflops_milli = milli;
    ledger_add_record(l, &r);
}

/* Steps of 2 s at 100 TFLOP/s, every fifth at 250 for its own 0.8 s; a line of five steps without a duration. */
static void train(struct ledger *l, int process, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++)
        add_step(l, process, i, i * 2000, i % 5 == 4 ? 800 : 2000, i % 5 == 4 ? 250000 : 100000);
    add_step(l, process, to + 4, (to + 4) * 2000, RECORD_NONE, 100000);
}

static void check(struct ledger *l, int64_t lines, int64_t steps, int64_t fast) {
    struct ledger_result r;
    ledger_evaluate(l, 40000000, &r);
    REQUIRE(r.flops_count == 2);
    CHECK(ledger_flops_min_milli(r.flops[0].class) <= 100000 && ledger_flops_min_milli(r.flops[0].class + 1) > 100000);
    CHECK_INT(r.flops[0].lines, lines);
    CHECK_INT(r.flops[0].steps, steps);
    CHECK_INT(r.flops[0].mflop, steps * 200000000);
    CHECK_INT(r.flops[1].lines, fast);
    CHECK_INT(r.flops[1].mflop, fast * 200000000);
    ledger_result_done(&r);
}

TEST(flops_of_lines_are_summed_once) {
    static const struct ledger_options options = {.has_log = true};
    struct ledger *l = fact_ledger(&options, 1), *again;
    CLEANUP_ERROR struct error *err = NULL;
    CLEANUP_BUF struct buf saved;
    buf_init(&saved, 1 << 20);
    int process = ledger_add_process(l, 7, NULL, 1000, TIME_OPEN);
    train(l, process, 1, 5001); /* the first line has no number of steps; long enough to be settled in part */
    add_step(l, process, 5006, 20000000, 2000, -5);
    check(l, 4000, 4004, 1000);
    REQUIRE(ledger_save(l, LEDGER_SAVE_ALL, &saved) == 0);
    again = ledger_load(buf_slice(&saved), NULL, &err);
    REQUIRE(again != NULL);
    process = ledger_add_process(again, 7, NULL, 1000, TIME_OPEN);
    train(again, process, 1, 5001);
    check(again, 4000, 4004, 1000);
    ledger_free(again);
    ledger_free(l);
}

/* ---- saves ---- */

struct log {
    struct ledger *ledger;
    int process;
    int64_t line;
};

static struct log log_new(void) {
    static const struct ledger_options options = {.has_log = true};
    struct log log = {.ledger = fact_ledger(&options, 1)};
    log.process = ledger_add_process(log.ledger, 7, NULL, 1000, TIME_OPEN);
    return log;
}

static void add_record(struct log *log, enum record_kind kind, int64_t at_s, int64_t step, int64_t took_s,
                       bool is_async) {
    struct record r = fact_record(kind, log->process, ++log->line, at_s * 1000, step);
    r.duration_ms = took_s >= 0 ? took_s * 1000 : RECORD_NONE;
    r.is_async = is_async;
    r.is_derived = kind == RECORD_SAVE_DURABLE && took_s == 0; /* here: it was complete at that time at the latest */
    ledger_add_record(log->ledger, &r);
}

static void check_saves(struct log *log, int64_t count, int64_t seconds) {
    struct ledger_result r;
    ledger_evaluate(log->ledger, 40000000, &r);
    CHECK_INT(r.durable_saves, count);
    CHECK_INT(r.durable_ms, seconds * 1000);
    ledger_result_done(&r);
}

/* Saves of Orbax: started, blocking for 1 s, written, and final on all hosts after 9 s; the second begins before the
 * first is final. The ledger is saved and read back before each record, and each record is added twice. */
TEST(a_save_is_timed_until_it_is_final) {
    static const struct {
        enum record_kind kind;
        int64_t at_s, step, took_s;
    } saves[] = {
        {RECORD_SAVE_START, 10, 20, -1},  {RECORD_SAVE_BLOCKED, 11, 20, 1},  {RECORD_SAVE_START, 17, 40, -1},
        {RECORD_SAVE_WRITTEN, 18, 20, 8}, {RECORD_SAVE_DURABLE, 19, 20, -1}, {RECORD_SAVE_DURABLE, 19, 20, -1},
        {RECORD_SAVE_BLOCKED, 20, 40, 3}, {RECORD_SAVE_DURABLE, 28, 40, -1}, {RECORD_SAVE_DURABLE, 29, 60, -1}};
    struct log log = log_new();
    for (size_t i = 0; i < sizeof saves / sizeof *saves; i++) {
        CLEANUP_BUF struct buf saved;
        buf_init(&saved, 1 << 20);
        for (int twice = 0; twice < 2; twice++) {
            add_record(&log, saves[i].kind, saves[i].at_s, saves[i].step, saves[i].took_s, true);
            log.line -= twice == 0;
        }
        REQUIRE(ledger_save(log.ledger, LEDGER_SAVE_ALL, &saved) == 0);
        ledger_free(log.ledger);
        log.ledger = ledger_load(buf_slice(&saved), NULL, NULL);
        REQUIRE(log.ledger != NULL);
        log.process = ledger_add_process(log.ledger, 7, NULL, 1000, TIME_OPEN);
    }
    check_saves(&log, 2, 9 + 11);
    ledger_free(log.ledger);
}

/* A synchronous save is usable when it blocks no more; where lines call some final, only those count. */
TEST(a_synchronous_save_is_durable_when_it_ends) {
    struct log log = log_new();
    add_record(&log, RECORD_SAVE_BLOCKED, 20, 10, 5, false);
    check_saves(&log, 1, 5);
    add_record(&log, RECORD_SAVE_START, 40, 30, -1, false);
    add_record(&log, RECORD_SAVE_BLOCKED, 42, 30, -1, false);
    check_saves(&log, 2, 7);
    add_record(&log, RECORD_SAVE_DURABLE, 43, 30, -1, false);
    check_saves(&log, 1, 3);
    ledger_free(log.ledger);
}

/* The end of the blocking, or the start of the next save (torchtitan, the recorder's statistics), is not the time when
 * the save is durable. */
TEST(a_save_that_no_line_ends_is_not_timed) {
    struct log log = log_new();
    add_record(&log, RECORD_SAVE_START, 10, RECORD_NONE, -1, false);
    add_record(&log, RECORD_SAVE_BLOCKED, 11, RECORD_NONE, 1, true);
    check_saves(&log, 0, 0);
    add_record(&log, RECORD_SAVE_DURABLE, 60, 9, 0, true);
    add_record(&log, RECORD_SAVE_DURABLE, 60, RECORD_NONE, 0, true);
    check_saves(&log, 0, 0);
    add_record(&log, RECORD_SAVE_DURABLE, 61, RECORD_NONE, -1, true); /* nothing is under way */
    check_saves(&log, 0, 0);
    ledger_free(log.ledger);
}
