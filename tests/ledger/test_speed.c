/* How long the large cases take. Prints what it measured; fails only far above the promise,
 * because the machine may be busy. GOODPUT_BENCH=1 runs them at full size; without it they are a tenth. */
#include "base/clock.h"
#include "fact_list.h"
#include "harness.h"
#include "ledger/evaluate.h"

#include <stdlib.h>

static int64_t scale(int64_t n) {
    return getenv("GOODPUT_BENCH") != NULL ? n : n / 10;
}

static double ms_since(struct mono_time from) {
    return (double)(clock_mono().us - from.us) / 1000;
}

/* A step a second, a checkpoint every 100, a restart every `restart_every` (0: none). */
static void run_steps(const char *name, int64_t steps, int64_t restart_every) {
    struct ledger_options options = {.has_log = true, .windows_ms = {3600000, 43200000}, .window_count = 2};
    struct ledger *l = ledger_new(&options);
    ledger_set_required(l, 0, 1);
    struct ledger_occupancy life = fact_running(1, 0, 0, 0);
    ledger_add_occupancy(l, &life);
    struct mono_time begin = clock_mono();
    int64_t at = 0, line = 0, step = 0, started = 0;
    int process = ledger_add_process(l, 1, NULL, 0, TIME_OPEN);
    struct record r = RECORD_INIT;
    for (int64_t i = 0; i < steps; i++, step++) {
        if (restart_every > 0 && i > 0 && i % restart_every == 0) {
            ledger_add_process(l, (uint64_t)(i / restart_every), NULL, started, at);
            ledger_add_restart(l, 1, at, at + 10000);
            started = at += 30000;
            process = ledger_add_process(l, (uint64_t)(i / restart_every) + 1, NULL, at, TIME_OPEN);
            line = 0;
            step -= 3;
        }
        r.kind = RECORD_STEP_END;
        r.process = process;
        r.line = ++line;
        r.at_ms = at += 1000;
        r.step = step;
        r.duration_ms = 1000;
        ledger_add_record(l, &r);
        if (i % 100 == 99) {
            r.kind = RECORD_SAVE_DURABLE;
            r.line = ++line;
            ledger_add_record(l, &r);
        }
    }
    double added = ms_since(begin);
    begin = clock_mono();
    ledger_set_span(l, 0, TIME_OPEN, OUTCOME_RUNNING);
    struct ledger_result result;
    ledger_evaluate(l, at, &result);
    double evaluated = ms_since(begin);
    check_identities(&result, name);
    CHECK_INT(result.step_count, steps);
    printf("ledger: %s, %" PRId64 " steps: added in %.1f ms, evaluated in %.1f ms (%d interruptions)\n", name, steps,
           added, evaluated, result.interruption_count);
    CHECK(added + evaluated < 10000);
    ledger_result_done(&result);
    ledger_free(l);
}

TEST(a_million_steps) {
    run_steps("one process", scale(1000000), 0);
}

TEST(a_million_steps_with_restarts) {
    run_steps("a restart every 100 steps", scale(1000000), 100);
}

/* 12,736 pods (the 50,944-chip job), each execution ends by a node failure; times are whole seconds, as objects have.
 */
TEST(large_job_with_ten_executions) {
    int64_t pods = scale(12736), executions = 10, at = 0;
    uint64_t random = 5, id = 0;
    struct ledger_options options = {.has_log = false};
    struct ledger *l = ledger_new(&options);
    ledger_set_required(l, 0, pods);
    struct mono_time begin = clock_mono();
    for (int64_t e = 0; e < executions; e++, at += 3600000)
        for (int64_t p = 0; p < pods; p++) {
            struct ledger_occupancy life = fact_life(++id, (uint32_t)p, at + random_below(&random, 20) * 1000);
            life.bound_ms = life.created_ms + random_below(&random, 60) * 1000;
            life.pull_start_ms = life.bound_ms + 1000;
            life.pull_end_ms = life.pull_start_ms + random_below(&random, 120) * 1000;
            life.running_ms = life.pull_end_ms + random_below(&random, 20) * 1000;
            life.chips = 4;
            if (e + 1 < executions)
                life.lost_ms = life.released_ms = at + 3500000 + random_below(&random, 30) * 1000;
            snprintf(life.name, sizeof life.name, "slice %d/%d on node gke-tpu-%06d", (int)(p / 64), (int)(p % 64),
                     (int)p);
            ledger_add_occupancy(l, &life);
        }
    double added = ms_since(begin);
    ledger_set_span(l, 0, TIME_OPEN, OUTCOME_RUNNING);
    begin = clock_mono();
    struct ledger_result result;
    ledger_evaluate(l, at, &result);
    double evaluated = ms_since(begin);
    ledger_result_done(&result);
    begin = clock_mono();
    ledger_evaluate(l, at, &result);
    printf("ledger: the same again with nothing new: evaluated in %.1f ms\n", ms_since(begin));
    check_identities(&result, "large job");
    CHECK_INT(result.interruption_count, executions - 1);
    printf("ledger: %" PRId64 " lives of %" PRId64 " slots: added in %.1f ms, evaluated in %.1f ms\n",
           pods * executions, pods, added, evaluated);
    CHECK(evaluated < 2000);
    ledger_result_done(&result);
    ledger_free(l);
}
