/* Steps of a program that buffers its output: their lines come many at once (ledger/bursts.h). */
#include "fact_list.h"
#include "harness.h"

#define SECOND INT64_C(1000)

enum { STEPS = 20, WRITES = 12 };

struct writes {
    int64_t took_ms[WRITES], stated_ms; /* stated_ms: RECORD_NONE */
    bool evaluates_between, checkpoints;
};

static int64_t bucket_ms(const struct ledger_result *r, enum bucket bucket) {
    for (int i = 0; i < r->bucket_count; i++)
        if (r->buckets[i].bucket == bucket)
            return r->buckets[i].ms;
    return 0;
}

static struct ledger *reloaded(struct ledger *l, int *process) {
    struct buf saved;
    struct error *err = NULL;
    buf_init(&saved, 1 << 20);
    CHECK_INT(ledger_save(l, LEDGER_SAVE_ALL, &saved), 0);
    struct ledger *again = ledger_load(buf_slice(&saved), NULL, &err);
    CHECK(again != NULL);
    *process = ledger_add_process(again, 1, "a", 0, TIME_OPEN);
    buf_done(&saved);
    ledger_free(l);
    return again;
}

/* A process that starts at 0 and whose steps come 20 at once. */
static struct ledger_result result_of(const struct writes *w, int64_t *end_ms) {
    struct ledger_options options = {.has_log = true};
    struct ledger *l = fact_ledger(&options, 1);
    struct ledger_occupancy life = fact_running(1, 0, 0, 0);
    struct ledger_result r;
    int64_t at_ms = 0, line = 0;
    ledger_add_occupancy(l, &life);
    int process = ledger_add_process(l, 1, "a", 0, TIME_OPEN);
    for (int i = 0; i < WRITES; i++) {
        at_ms += w->took_ms[i];
        for (int k = 0; k < STEPS; k++) {
            struct record step = fact_record(RECORD_STEP_END, process, ++line, at_ms + k / 10, i * STEPS + k);
            step.duration_ms = w->stated_ms;
            step.same_write = k >= 7 ? k : 0;
            step.process = process;
            ledger_add_record(l, &step);
            if (w->evaluates_between && k % 3 == 0) {
                ledger_evaluate(l, at_ms + k / 10, &r);
                ledger_result_done(&r);
            }
            if (w->checkpoints && (i * STEPS + k) % 13 == 0)
                l = reloaded(l, &process);
        }
    }
    *end_ms = at_ms + 1;
    ledger_evaluate(l, *end_ms, &r);
    ledger_free(l);
    return r;
}

/* As long as they state; the first write holds start-up, so its first step states none. */
TEST(steps_of_a_burst_take_what_they_state) {
    struct writes w = {.took_ms = {90 * SECOND}, .stated_ms = 2 * SECOND};
    int64_t end_ms;
    for (int i = 1; i < WRITES; i++)
        w.took_ms[i] = STEPS * 2 * SECOND + (i % 3 == 0) * 5 * SECOND;
    struct ledger_result r = result_of(&w, &end_ms);
    int64_t stated_ms = (WRITES * STEPS - 1) * 2 * SECOND;
    CHECK_INT(r.productive_ms, stated_ms);
    CHECK_INT(bucket_ms(&r, BUCKET_UNATTRIBUTED), end_ms - stated_ms);
    CHECK_INT(r.last_step, WRITES * STEPS - 1);
    CHECK_INT(r.step_count, WRITES * STEPS);
    ledger_result_done(&r);
}

/* Also where something else is in every write, so that even the fastest is longer than its steps. */
TEST(steps_of_a_burst_take_no_longer_than_they_state) {
    struct writes w = {.stated_ms = 2 * SECOND};
    int64_t end_ms;
    for (int i = 0; i < WRITES; i++)
        w.took_ms[i] = STEPS * 2 * SECOND + 50 * SECOND;
    struct ledger_result r = result_of(&w, &end_ms);
    int64_t stated_ms = (WRITES * STEPS - 1) * 2 * SECOND;
    CHECK_INT(r.productive_ms, stated_ms);
    CHECK_INT(bucket_ms(&r, BUCKET_UNATTRIBUTED), end_ms - stated_ms);
    ledger_result_done(&r);
}

/* Two writes are too few to learn the usual step from. */
TEST(a_write_counts_what_it_states_before_any_pace_is_known) {
    struct ledger_options options = {.has_log = true};
    struct ledger *l = fact_ledger(&options, 1);
    struct ledger_occupancy life = fact_running(1, 0, 0, 0);
    struct ledger_result r;
    ledger_add_occupancy(l, &life);
    int process = ledger_add_process(l, 1, "a", 0, TIME_OPEN);
    for (int i = 0; i < 2 * STEPS; i++) {
        struct record step = fact_record(RECORD_STEP_END, process, i + 1, (i / STEPS + 1) * 100 * SECOND, i);
        step.duration_ms = 2 * SECOND;
        step.same_write = i % STEPS >= 2 ? i % STEPS : 0;
        ledger_add_record(l, &step);
    }
    ledger_evaluate(l, 200 * SECOND, &r);
    CHECK_INT(bucket_ms(&r, BUCKET_UNATTRIBUTED) + r.productive_ms, 200 * SECOND);
    CHECK_INT(r.productive_ms, (2 * STEPS - 1) * 2 * SECOND);
    ledger_result_done(&r);
    ledger_free(l);
}

/* As the fastest, all else is not known: neither stalls nor preparation are claimed. */
TEST(steps_of_a_burst_take_as_long_as_the_fastest) {
    struct writes w = {.took_ms = {90 * SECOND}, .stated_ms = RECORD_NONE};
    int64_t end_ms;
    for (int i = 1; i < WRITES; i++)
        w.took_ms[i] = (i == 5 ? 600 : i % 3 == 0 ? 50 : 40) * SECOND;
    struct ledger_result r = result_of(&w, &end_ms);
    int64_t truth_ms = WRITES * STEPS * 2 * SECOND;
    CHECK(r.productive_ms <= truth_ms);
    CHECK(r.productive_ms >= truth_ms * 3 / 4);
    CHECK_INT(r.productive_ms + bucket_ms(&r, BUCKET_UNATTRIBUTED), end_ms);
    ledger_result_done(&r);
}

TEST(bursts_do_not_depend_on_evaluations_and_checkpoints) {
    struct writes w = {.took_ms = {90 * SECOND}, .stated_ms = 2 * SECOND};
    int64_t end_ms;
    for (int i = 1; i < WRITES; i++)
        w.took_ms[i] = (40 + i % 3) * SECOND;
    struct ledger_result whole = result_of(&w, &end_ms);
    for (int i = 1; i < 4; i++) {
        w.evaluates_between = i & 1;
        w.checkpoints = i & 2;
        struct ledger_result r = result_of(&w, &end_ms);
        CHECK_INT(r.productive_ms, whole.productive_ms);
        CHECK_INT(r.step_count, whole.step_count);
        CHECK_INT(r.median_step_ms, whole.median_step_ms);
        ledger_result_done(&r);
    }
    ledger_result_done(&whole);
}

/* A process that starts and writes once, when it ends: steps in order, which took what took_ms gives for them. */
static void add_writer(struct ledger *l, uint64_t attempt, int64_t started_ms, int64_t ended_ms, int64_t first,
                       int64_t last, int64_t (*took_ms)(int64_t step)) {
    int process = ledger_add_process(l, attempt, "a", started_ms, ended_ms);
    for (int64_t i = first; i <= last; i++) {
        struct record step = fact_record(RECORD_STEP_END, process, i - first + 1, ended_ms - 1, i);
        step.duration_ms = took_ms(i);
        step.same_write = (int32_t)(i - first >= 2 ? i - first : 0);
        ledger_add_record(l, &step);
    }
}

static int64_t slower_from_80(int64_t step) {
    return step < 80 ? 8 * SECOND : 12 * SECOND;
}

/* What the lines state is known of the whole write only: how much of it the lost steps took lies within a range. */
TEST(a_write_of_which_steps_are_lost_counts_as_a_range) {
    struct ledger_options options = {.has_log = true};
    struct ledger *l = fact_ledger(&options, 1);
    struct ledger_occupancy lives[] = {fact_running(1, 0, 0, 0), fact_running(2, 0, 1000 * SECOND, 1000 * SECOND)};
    struct ledger_result r;
    lives[0].ended_ms = lives[0].lost_ms = 1000 * SECOND;
    ledger_add_occupancy(l, &lives[0]);
    ledger_add_occupancy(l, &lives[1]);
    add_writer(l, 1, 0, 1000 * SECOND, 0, 99, slower_from_80);
    add_writer(l, 2, 1000 * SECOND, 1400 * SECOND, 80, 109, slower_from_80);
    ledger_evaluate(l, 1400 * SECOND, &r);
    int64_t truth_ms = 80 * 8 * SECOND + 30 * 12 * SECOND;
    CHECK_INT(r.lost_steps, 20);
    CHECK(r.productive_ms <= truth_ms);
    CHECK(r.productive_ms + bucket_ms(&r, BUCKET_UNATTRIBUTED) >= truth_ms);
    CHECK(r.productive_ms >= truth_ms * 3 / 4); /* and the range is not all of it */
    ledger_result_done(&r);
    ledger_free(l);
}
