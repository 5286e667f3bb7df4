/* Phases: their sums are those of the lines of the steps that were done last, whatever is killed, saved, cut or
 * reordered. The oracle keeps the lines by step number and knows nothing of runs, losses or settling. */
#include "fact_list.h"
#include "harness.h"
#include "ledger/checkpoint.h"
#include "ledger/evaluate.h"

#include "base/mem.h"

#include <string.h>

enum { MAX_STEPS = 9000, NAMES = 7, STEP_MS = 2000, SECOND = 1000 };

static const char *const names[NAMES] = {"gen", "reward", "ref", "values", "adv", "update_critic", "update_actor"};

struct job {
    struct fact_list list;
    uint64_t random, process;
    int64_t at_ms, line, step, durable, began_ms;
    bool logs_starts;
    int32_t kept[MAX_STEPS][NAMES]; /* of the line that gave this step last */
};

static void add_process(struct job *j, int64_t end_ms) {
    struct fact *f = fact_list_add(&j->list, FACT_PROCESS);
    f->id = j->process;
    f->at_ms = j->began_ms;
    f->to_ms = end_ms;
}

static struct record *add_record(struct job *j, enum record_kind kind, int64_t step) {
    struct record r = fact_record(kind, 0, ++j->line, j->at_ms, step);
    return fact_list_record(&j->list, j->process, &r);
}

static void begin_process(struct job *j) {
    j->process++;
    j->line = 0;
    j->began_ms = j->at_ms += 10 * SECOND;
    add_process(j, TIME_OPEN);
    struct ledger_occupancy *life = &fact_list_add(&j->list, FACT_LIFE)->life;
    *life = fact_running(j->process, 0, j->at_ms, 4);
}

/* It dies within a step and continues behind the newest checkpoint. */
static void kill_process(struct job *j) {
    j->at_ms += STEP_MS / 2;
    add_process(j, j->at_ms);
    struct ledger_occupancy *life = &fact_list_add(&j->list, FACT_LIFE)->life;
    *life = fact_running(j->process, 0, j->began_ms, 4);
    life->lost_ms = life->ended_ms = life->released_ms = j->at_ms;
    int64_t done = j->step;
    j->step = j->durable + 1;
    for (int64_t i = j->step; i < done && i < MAX_STEPS; i++)
        memset(j->kept[i], 0, sizeof j->kept[i]);
    begin_process(j);
}

static void add_phases(struct job *j) {
    struct record step = j->list.items[j->list.count - 1].record;
    bool is_on_line = random_below(&j->random, 2);
    for (int i = 0; i < NAMES; i++) {
        if (random_below(&j->random, 3) == 0)
            continue;
        int32_t ms = (int32_t)random_below(&j->random, STEP_MS);
        struct record *r = add_record(j, RECORD_PHASE, is_on_line ? step.step : RECORD_NONE);
        if (is_on_line) {
            j->line--;
            r->line = step.line;
        }
        r->active = is_on_line ? i : 0;
        r->duration_ms = ms;
        memcpy(r->name, names[i], strlen(names[i]) + 1);
        j->kept[step.step][i] = ms;
    }
}

static void train(struct job *j, int64_t save_every) {
    if (j->logs_starts) {
        add_record(j, RECORD_STEP_START, j->step);
        add_phases(j);
    }
    j->at_ms += STEP_MS;
    if (!j->logs_starts) {
        add_record(j, RECORD_STEP_END, j->step);
        add_phases(j);
    }
    if (j->step % save_every == 0) {
        add_record(j, RECORD_SAVE_START, j->step);
        add_record(j, RECORD_SAVE_DURABLE, j->step);
        j->durable = j->step;
    }
    j->step++;
}

static struct job *job_new(uint64_t seed, int64_t steps) {
    struct job *j = mem_new(struct job);
    j->random = seed;
    j->durable = -1;
    j->logs_starts = seed % 2;
    j->list.end_ms = TIME_OPEN;
    j->list.options = (struct ledger_options){.has_log = true, .ideal_step_ms = STEP_MS};
    fact_list_add(&j->list, FACT_REQUIRED)->amount = 1;
    begin_process(j);
    int64_t save_every = 1 + random_below(&j->random, 60), kill_every = 50 + random_below(&j->random, 2000);
    for (int64_t i = 0; i < steps; i++) {
        train(j, save_every);
        if (random_below(&j->random, kill_every) == 0 && i + 2 < steps)
            kill_process(j);
    }
    if (j->logs_starts) { /* the next start ends the last step, and has no end itself */
        add_record(j, RECORD_STEP_START, j->step);
    }
    return j;
}

static int64_t expected_ms(const struct job *j, int name) {
    int64_t sum = 0;
    for (int64_t i = 0; i < j->step; i++)
        sum += j->kept[i][name];
    return sum;
}

static int64_t found_ms(const struct ledger_result *r, const char *name) {
    for (int i = 0; i < r->phase_count; i++)
        if (strcmp(r->phases[i].name, name) == 0)
            return r->phases[i].ms;
    return 0;
}

static void check(struct ledger *l, const struct job *j, const char *words) {
    struct ledger_result r;
    ledger_evaluate(l, j->at_ms, &r);
    for (int i = 0; i < NAMES; i++)
        if (found_ms(&r, names[i]) != expected_ms(j, i))
            harness_fail(__FILE__, __LINE__, "%s: %s is %" PRId64 ", the lines give %" PRId64, words, names[i],
                         found_ms(&r, names[i]), expected_ms(j, i));
    ledger_result_done(&r);
}

static void check_cut(const struct job *j, const char *words) {
    struct fact_feeder f = fact_feeder_new(&j->list);
    uint64_t random = j->random;
    for (size_t i = 0; i < j->list.count; i++) {
        fact_feed(&f, &j->list.items[i]);
        if (random_below(&random, 3000) != 0)
            continue;
        struct ledger_result r;
        ledger_evaluate(f.ledger, j->list.items[i].kind == FACT_RECORD ? j->list.items[i].record.at_ms : 0, &r);
        ledger_result_done(&r);
        fact_feeder_reload(&f, &j->list, i + 1, LEDGER_SAVE_WITHOUT_OBJECTS);
    }
    check(f.ledger, j, words);
    ledger_free(f.ledger);
}

/* Intervals that tile the job. */
static void check_tiles(struct job *j, const char *words) {
    int64_t sums[NAMES] = {0};
    j->list.options.keep_all = true;
    struct ledger *l = fact_list_ledger(&j->list);
    for (int64_t from = 0; from < j->at_ms;) {
        int64_t to = min_of(j->at_ms, from + 1 + random_below(&j->random, j->at_ms / 3));
        struct ledger_result r;
        ledger_evaluate_interval(l, j->at_ms, from, to, &r);
        for (int i = 0; i < NAMES; i++)
            sums[i] += found_ms(&r, names[i]);
        ledger_result_done(&r);
        from = to;
    }
    for (int i = 0; i < NAMES; i++)
        if (sums[i] != expected_ms(j, i))
            harness_fail(__FILE__, __LINE__, "%s: %s is %" PRId64 " in all intervals, the lines give %" PRId64, words,
                         names[i], sums[i], expected_ms(j, i));
    ledger_free(l);
}

TEST(the_phases_are_those_of_the_lines_of_the_steps_that_were_kept) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261128), count = random_setting("GOODPUT_JOBS", 30);
    for (uint64_t i = 0; i < count && CU_get_number_of_failures() == 0; i++, seed++) {
        struct job *j = job_new(seed, i % 3 == 0 ? 8000 : 300);
        char words[64];
        snprintf(words, sizeof words, "GOODPUT_SEED=%" PRIu64, seed);
        struct ledger *l = fact_list_ledger(&j->list);
        CHECK(expected_ms(j, 0) > 0);
        check(l, j, words);
        ledger_free(l);
        l = fact_list_shuffled(&j->list, &j->random);
        check(l, j, words);
        ledger_free(l);
        check_cut(j, words);
        check_tiles(j, words);
        fact_list_done(&j->list);
        free(j);
    }
}

/* ---- single rules ---- */

static void add(struct ledger *l, int process, enum record_kind kind, int64_t line, int64_t step, const char *name,
                int64_t ms, int64_t place) {
    struct record r = fact_record(kind, process, line, line * SECOND, step);
    r.duration_ms = ms;
    r.active = place;
    memcpy(r.name, name, strlen(name) + 1);
    ledger_add_record(l, &r);
}

static struct ledger *job_with_steps(int *process) {
    struct ledger *l = fact_ledger(&(struct ledger_options){.has_log = true, .ideal_step_ms = SECOND}, 1);
    struct ledger_occupancy life = fact_running(1, 0, 0, 4);
    ledger_add_occupancy(l, &life);
    *process = ledger_add_process(l, 1, NULL, 0, TIME_OPEN);
    for (int64_t step = 1; step <= 3; step++)
        add(l, *process, RECORD_STEP_END, step, step, "", RECORD_NONE, RECORD_NONE);
    return l;
}

static int64_t sum_of(struct ledger *l, const char *name) {
    struct ledger_result r;
    ledger_evaluate(l, 100 * SECOND, &r);
    int64_t ms = found_ms(&r, name);
    ledger_result_done(&r);
    return ms;
}

TEST(a_line_that_is_read_twice_gives_its_phases_once) {
    int p;
    struct ledger *l = job_with_steps(&p);
    for (int times = 0; times < 2; times++)
        for (int i = 0; i < 12; i++) /* more than the hashes that lines_seen keeps */
            add(l, p, RECORD_PHASE, 3, 3, i % 2 ? "gen" : "update", 10, i);
    CHECK_INT(sum_of(l, "gen"), 60);
    CHECK_INT(sum_of(l, "update"), 60);
    add(l, p, RECORD_PHASE, 2, 2, "gen", 10, 0); /* an earlier line */
    CHECK_INT(sum_of(l, "gen"), 60);
    ledger_free(l);
}

TEST(a_step_that_another_rank_printed_again_has_no_phases) {
    int p;
    struct ledger *l = job_with_steps(&p);
    add(l, p, RECORD_PHASE, 3, 3, "gen", 10, 0);
    add(l, p, RECORD_STEP_END, 4, 3, "", RECORD_NONE, RECORD_NONE);
    add(l, p, RECORD_PHASE, 4, 3, "gen", 10, 0);
    CHECK_INT(sum_of(l, "gen"), 10);
    add(l, p, RECORD_PHASE, 5, RECORD_NONE, "gen", 7, 0); /* on another line: of the last step */
    CHECK_INT(sum_of(l, "gen"), 17);
    ledger_free(l);
}

TEST(a_number_that_went_back_keeps_its_phases_until_the_next_one_decides) {
    int p;
    struct ledger *l = job_with_steps(&p);
    add(l, p, RECORD_STEP_END, 4, 0, "", RECORD_NONE, RECORD_NONE);
    add(l, p, RECORD_PHASE, 4, 0, "gen", 10, 0);
    CHECK_INT(sum_of(l, "gen"), 0);
    add(l, p, RECORD_STEP_END, 5, 1, "", RECORD_NONE, RECORD_NONE); /* a new series */
    CHECK_INT(sum_of(l, "gen"), 10);
    ledger_free(l);
}

TEST(names_beyond_the_first_eight_are_other) {
    int p;
    struct ledger *l = job_with_steps(&p);
    for (int i = 0; i < 20; i++) {
        char name[24];
        snprintf(name, sizeof name, "part-%d", i);
        add(l, p, RECORD_PHASE, 3, 3, name, 10, i);
    }
    struct ledger_result r;
    ledger_evaluate(l, 100 * SECOND, &r);
    REQUIRE(r.phase_count == 9);
    CHECK_TEXT(r.phases[0].name, "part-0");
    CHECK_TEXT(r.phases[7].name, "part-7");
    CHECK_TEXT(r.phases[8].name, "Other");
    CHECK_INT(r.phases[8].ms, 120);
    ledger_result_done(&r);
    ledger_free(l);
}

/* The checkpoint has no room for them: steps of which no evaluation knows yet, of two processes that ended and one that
 * trains. Those of a run that is dropped are dropped with it: here each process is one run. */
TEST(steps_that_are_thinned_keep_their_phases) {
    enum { STEPS = 30000, PROCESSES = 3, FROM_MS = 10000000 };
    int64_t gen_ms = 0;
    struct ledger *l = fact_ledger(&(struct ledger_options){.has_log = true, .ideal_step_ms = SECOND}, 1);
    struct ledger_occupancy life = fact_running(1, 0, 0, 4);
    ledger_add_occupancy(l, &life);
    for (int64_t p = 0; p < PROCESSES; p++) {
        int64_t from_ms = FROM_MS + p * STEPS * SECOND;
        int process = ledger_add_process(l, (uint64_t)p + 1, NULL, from_ms, TIME_OPEN);
        for (int64_t i = 1; i <= STEPS; i++) {
            struct record end = fact_record(RECORD_STEP_END, process, i, from_ms + i * SECOND - 1, p * STEPS + i);
            struct record gen = fact_record(RECORD_PHASE, process, i, end.at_ms, end.step);
            gen.duration_ms = i % 700;
            gen.active = 0;
            gen_ms += gen.duration_ms;
            memcpy(gen.name, "gen", sizeof "gen");
            ledger_add_record(l, &end);
            ledger_add_record(l, &gen);
        }
    }
    CHECK_INT(sum_of(l, "gen"), 0);
    CLEANUP_BUF struct buf saved;
    buf_init(&saved, 1 << 20);
    ledger_compact(l, LEDGER_SAVE_BYTES - 64);
    CHECK_INT(ledger_save(l, LEDGER_SAVE_WITHOUT_OBJECTS, &saved), 0);
    CHECK(saved.size_bytes <= LEDGER_SAVE_BYTES);
    struct ledger_result r;
    ledger_evaluate(l, FROM_MS + PROCESSES * STEPS * SECOND, &r);
    CHECK_INT(r.retained_steps, PROCESSES * STEPS);
    CHECK_INT(found_ms(&r, "gen"), gen_ms);
    ledger_result_done(&r);
    ledger_free(l);
}

TEST(a_job_without_phases_has_none) {
    int p;
    struct ledger *l = job_with_steps(&p);
    struct ledger_result r;
    ledger_evaluate(l, 100 * SECOND, &r);
    CHECK_INT(r.phase_count, 0);
    CHECK(r.phases == NULL);
    ledger_result_done(&r);
    add(l, p, RECORD_PHASE, 3, RECORD_NONE, "gen", RECORD_NONE, 0); /* without a duration */
    ledger_evaluate(l, 100 * SECOND, &r);
    CHECK(r.phases == NULL);
    ledger_result_done(&r);
    ledger_free(l);
}
