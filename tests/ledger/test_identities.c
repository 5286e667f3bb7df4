/* Identities of the scores by random search: SG x RG is the job's goodput, and adding a restart never raises it. */
#include "fact_list.h"
#include "harness.h"
#include "ledger/evaluate.h"

enum { MAX_KILLS = 9, IDEAL_MS = 700 };

/* A job of N steps that is killed when it first reaches some of them, in the middle of the step. The length of a step
 * depends on its number alone. */
struct plan {
    uint64_t seed;
    bool logs_starts;
    int64_t steps, save_every, save_ms, kills[MAX_KILLS], kill_count, compile_ms, down_ms;
    bool is_steady;     /* every step takes IDEAL_MS */
    int64_t lost_lines; /* the log ends before the lines of this many steps before each kill */
};

static int64_t step_ms(const struct plan *p, int64_t step) {
    uint64_t r = p->seed + (uint64_t)step * 7919;
    if (p->is_steady)
        return IDEAL_MS;
    return IDEAL_MS + random_below(&r, 400);
}

static struct plan random_plan(uint64_t seed) {
    uint64_t r = seed;
    struct plan p = {.seed = seed, .steps = 20 + random_below(&r, 200), .save_every = 1 + random_below(&r, 40)};
    p.save_ms = random_below(&r, 3000);
    p.compile_ms = random_below(&r, 20000);
    p.down_ms = 1 + random_below(&r, 60000);
    p.logs_starts = random_below(&r, 2);
    p.kill_count = random_below(&r, MAX_KILLS - 1);
    for (int64_t i = 0; i < p.kill_count; i++)
        p.kills[i] = random_below(&r, p.steps);
    return p;
}

struct story {
    struct ledger *l;
    const struct plan *plan;
    int process;
    uint64_t number;
    int64_t at_ms, began_ms, line;
};

static void add_record(struct story *t, enum record_kind kind, int64_t step) {
    struct record r = fact_record(kind, t->process, ++t->line, t->at_ms, step);
    ledger_add_record(t->l, &r);
}

static void add_life(struct story *t, int64_t lost_ms, int64_t done_ms) {
    struct ledger_occupancy life = fact_running(t->number, 0, t->began_ms, 8);
    life.lost_ms = life.ended_ms = life.released_ms = lost_ms;
    life.done_ms = done_ms;
    ledger_add_occupancy(t->l, &life);
    ledger_add_process(t->l, t->number, NULL, t->began_ms, lost_ms);
}

static void begin(struct story *t) {
    t->number++;
    t->line = 0;
    t->began_ms = t->at_ms;
    t->process = ledger_add_process(t->l, t->number, NULL, t->at_ms, TIME_OPEN);
    add_life(t, TIME_OPEN, TIME_UNKNOWN);
    add_record(t, RECORD_JOB_START, RECORD_NONE);
}

static bool is_killed(const struct plan *p, bool *used, int64_t step) {
    for (int64_t i = 0; i < p->kill_count; i++)
        if (p->kills[i] == step && !used[i])
            return used[i] = true;
    return false;
}

static bool is_lost(const struct plan *p, const bool *used, int64_t step) {
    for (int64_t i = 0; i < p->kill_count; i++)
        if (!used[i] && p->kills[i] > step && p->kills[i] - step <= p->lost_lines)
            return true;
    return false;
}

static void evaluate(const struct plan *p, struct ledger_result *ret) {
    struct story t = {.l = ledger_new(&(struct ledger_options){.has_log = true, .ideal_step_ms = IDEAL_MS}), .plan = p};
    bool used[MAX_KILLS] = {false};
    int64_t durable = -1;
    ledger_set_required(t.l, 0, 1);
    begin(&t);
    bool is_first = true;
    for (int64_t step = 0; step < p->steps; step++) {
        if (p->logs_starts)
            add_record(&t, RECORD_STEP_START, step);
        t.at_ms += is_first ? p->compile_ms : 0;
        is_first = false;
        if (is_killed(p, used, step)) {
            t.at_ms += step_ms(p, step) / 2;
            add_life(&t, t.at_ms, TIME_UNKNOWN);
            t.at_ms += p->down_ms;
            begin(&t);
            step = durable; /* and the next one */
            is_first = true;
            continue;
        }
        t.at_ms += step_ms(p, step);
        bool has_lines = !is_lost(p, used, step);
        if (!p->logs_starts && has_lines)
            add_record(&t, RECORD_STEP_END, step);
        if (step % p->save_every == 0) {
            if (has_lines)
                add_record(&t, RECORD_SAVE_START, step);
            t.at_ms += p->save_ms;
            if (has_lines)
                add_record(&t, RECORD_SAVE_DURABLE, step);
            durable = step;
        }
    }
    add_record(&t, RECORD_JOB_END, RECORD_NONE);
    add_life(&t, TIME_OPEN, t.at_ms);
    ledger_set_span(t.l, 0, t.at_ms, OUTCOME_SUCCEEDED);
    ledger_evaluate(t.l, TIME_OPEN, ret);
    ledger_free(t.l);
}

/* The steps are the same and so is what they bring: the wall time alone grows. */
TEST(adding_a_restart_never_raises_goodput) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261121), end = seed + random_setting("GOODPUT_JOBS", 2000);
    for (; seed < end && CU_get_number_of_failures() == 0; seed++) {
        struct plan with = random_plan(seed), without = with;
        uint64_t random = seed ^ 77;
        struct ledger_result less, more;
        with.kills[with.kill_count++] = random_below(&random, with.steps);
        evaluate(&without, &less);
        evaluate(&with, &more);
        char words[64];
        snprintf(words, sizeof words, "GOODPUT_SEED=%" PRIu64, seed);
        check_identities(&less, words);
        check_identities(&more, words);
        CHECK(less.wall_ms < more.wall_ms);
        CHECK_INT(more.interruption_count, less.interruption_count + 1);
        if ((__int128)more.productive_ms * less.wall_ms > (__int128)less.productive_ms * more.wall_ms)
            harness_fail(__FILE__, __LINE__, "%s: P / W rises from %" PRId64 " / %" PRId64 " to %" PRId64 " / %" PRId64,
                         words, less.productive_ms, less.wall_ms, more.productive_ms, more.wall_ms);
        ledger_result_done(&less);
        ledger_result_done(&more);
    }
}

/* Where every step takes as long, the productive time is that of the retained steps, whichever lines are lost: less
 * what a credited step has no time for, at most one for each interruption. */
TEST(productive_time_is_that_of_the_retained_steps) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261121), jobs = random_setting("GOODPUT_JOBS", 2000),
             end = seed + jobs;
    int64_t credited = 0;
    for (; seed < end && CU_get_number_of_failures() == 0; seed++) {
        struct plan p = random_plan(seed), whole;
        uint64_t random = seed ^ 78;
        struct ledger_result r, all;
        char words[64];
        p.is_steady = true;
        p.logs_starts = false;
        whole = p;
        p.lost_lines = random_below(&random, 30);
        evaluate(&whole, &all);
        evaluate(&p, &r);
        snprintf(words, sizeof words, "GOODPUT_SEED=%" PRIu64, seed);
        check_identities(&r, words);
        int64_t less_ms = r.retained_steps * IDEAL_MS - r.productive_ms;
        if (less_ms < 0 || less_ms > IDEAL_MS * r.interruption_count || r.retained_steps > all.retained_steps)
            harness_fail(__FILE__, __LINE__,
                         "%s: %" PRId64 " steps of %d ms, of %" PRId64 ", are retained in %" PRId64 " ms", words,
                         r.retained_steps, IDEAL_MS, all.retained_steps, r.productive_ms);
        credited += r.buckets[r.bucket_count - 1].basis == BASIS_DERIVED;
        ledger_result_done(&r);
        ledger_result_done(&all);
    }
    CHECK(credited > (int64_t)jobs / 20);
}

static void check_product(const struct ledger_result *r, const char *words) {
    struct ledger_scores s = ledger_scores_of(r);
    int64_t off = s.job_ppm * 1000000 - s.scheduling_ppm * s.runtime_ppm;
    /* each of the three is rounded by half a part in a million at most */
    if (off > 1500001 || off < -1500001)
        harness_fail(__FILE__, __LINE__, "%s: %" PRId64 " x %" PRId64 " is not %" PRId64, words, s.scheduling_ppm,
                     s.runtime_ppm, s.job_ppm);
    CHECK(s.job_ppm <= s.runtime_ppm && s.job_ppm <= s.scheduling_ppm && s.runtime_ppm <= s.upper_ppm);
    CHECK(s.upper_ppm <= 1000000 && s.evidence_ppm >= 0 && s.evidence_ppm <= 1000000);
}

TEST(scheduling_times_runtime_is_the_jobs_goodput) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261121), end = seed + random_setting("GOODPUT_JOBS", 2000);
    for (; seed < end && CU_get_number_of_failures() == 0; seed++) {
        struct plan p = random_plan(seed);
        struct ledger_result r;
        char words[64];
        snprintf(words, sizeof words, "GOODPUT_SEED=%" PRIu64, seed);
        evaluate(&p, &r);
        CHECK(r.has_steps && r.available_ms > 0);
        check_product(&r, words);
        ledger_result_done(&r);
    }
    /* 93.41 % x 88.02 % = 82.22 % */
    struct ledger_result r = {.wall_ms = 1000000000, .available_ms = 934100000, .has_steps = true};
    r.productive_ms = 822194820;
    CHECK_INT(ledger_scores_of(&r).scheduling_ppm, 934100);
    CHECK_INT(ledger_scores_of(&r).runtime_ppm, 880200);
    CHECK_INT(ledger_scores_of(&r).job_ppm, 822195);
    r.has_steps = false;
    CHECK_INT(ledger_scores_of(&r).job_ppm, RECORD_NONE);
}
