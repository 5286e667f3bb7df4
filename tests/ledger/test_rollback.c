/* What a ledger that folds its past still knows exactly, by random search against one that keeps all: rollbacks to any
 * of the last 256 steps or ten minutes and to the newest 64 checkpoints, and windows on a grid of window / 360. Beyond
 * that what it says has basis Derived. */
#include "fact_list.h"
#include "harness.h"
#include "ledger/evaluate.h"

#include <stdlib.h>

enum { WINDOW_MS = 3600000, PART_MS = WINDOW_MS / 360, LAST_STEPS = 256, MINUTES_10 = 600, CHECKPOINTS = 64 };

struct pair {
    struct ledger *folds, *keeps;
    uint64_t random;
    int process;
    int64_t line, at_ms;
};

static void add_record(struct pair *p, enum record_kind kind, int64_t step) {
    struct record r = fact_record(kind, p->process, ++p->line, p->at_ms, step);
    ledger_add_record(p->folds, &r);
    ledger_add_record(p->keeps, &r);
}

static void begin_process(struct pair *p) {
    p->process = ledger_add_process(p->folds, (uint64_t)p->at_ms, NULL, p->at_ms, TIME_OPEN);
    ledger_add_process(p->keeps, (uint64_t)p->at_ms, NULL, p->at_ms, TIME_OPEN);
    p->line = 0;
}

static void evaluate(struct pair *p, int64_t through_ms, struct ledger_result *folded, struct ledger_result *kept) {
    ledger_evaluate(p->folds, through_ms, folded);
    ledger_evaluate(p->keeps, through_ms, kept);
}

static void settle(struct pair *p) {
    struct ledger_result r;
    ledger_evaluate(p->folds, p->at_ms, &r);
    ledger_result_done(&r);
}

/* Steps 1 to `steps` of step_ms on average, a checkpoint after every save_every of them that takes less than save_ms.
 * What is over is folded now and then. */
static struct pair train(uint64_t seed, int64_t steps, int64_t step_ms, int64_t save_every, int64_t save_ms) {
    struct ledger_options options = {
        .has_log = true, .ideal_step_ms = step_ms, .window_count = 1, .windows_ms = {WINDOW_MS}};
    struct pair p = {.folds = fact_ledger(&options, 1), .random = seed};
    options.keep_all = true;
    p.keeps = fact_ledger(&options, 1);
    struct ledger_occupancy life = fact_running(1, 0, 0, 4);
    ledger_add_occupancy(p.folds, &life);
    ledger_add_occupancy(p.keeps, &life);
    begin_process(&p);
    for (int64_t step = 1; step <= steps; step++) {
        p.at_ms += step_ms * 4 / 5 + random_below(&p.random, step_ms * 2 / 5);
        add_record(&p, RECORD_STEP_END, step);
        if (step % save_every == 0) {
            add_record(&p, RECORD_SAVE_START, step);
            p.at_ms += random_below(&p.random, save_ms);
            add_record(&p, RECORD_SAVE_DURABLE, step);
        }
        if (random_below(&p.random, 100) == 0)
            settle(&p);
    }
    settle(&p);
    return p;
}

/* The container starts again, and so does training, after step `back`. */
static void roll_back(struct pair *p, int64_t back) {
    int64_t down_ms = p->at_ms + 100, up_ms = p->at_ms + 5000;
    ledger_add_restart(p->folds, 1, down_ms, up_ms);
    ledger_add_restart(p->keeps, 1, down_ms, up_ms);
    p->at_ms = up_ms;
    begin_process(p);
    for (int64_t step = back + 1; step <= back + 20; step++) {
        p->at_ms += 1000;
        add_record(p, RECORD_STEP_END, step);
    }
}

static void compare(const struct ledger_result *folded, const struct ledger_result *kept, bool is_exact,
                    const char *words) {
    const struct ledger_bucket *x = result_bucket(folded, BUCKET_WASTED_PROGRESS),
                               *y = result_bucket(kept, BUCKET_WASTED_PROGRESS);
    check_identities(folded, words);
    if (x == NULL || y == NULL) {
        harness_fail(__FILE__, __LINE__, "%s: nothing is lost", words);
        return;
    }
    bool is_same = folded->productive_ms == kept->productive_ms && x->ms == y->ms && x->chip_ms == y->chip_ms &&
                   folded->lost_steps == kept->lost_steps &&
                   folded->interruptions[0].tch_ms == kept->interruptions[0].tch_ms;
    int64_t off = llabs(x->ms - y->ms);
    bool holds = is_exact ? is_same && x->basis == y->basis : x->basis >= BASIS_DERIVED && off * 20 < y->ms;
    if (!holds)
        harness_fail(__FILE__, __LINE__,
                     "%s: lost %" PRId64 " ms (%s), %" PRId64 " steps with the past folded; %" PRId64
                     " ms (%s), %" PRId64 " steps with all kept",
                     words, x->ms, basis_name(x->basis), folded->lost_steps, y->ms, basis_name(y->basis),
                     kept->lost_steps);
}

enum place { OF_THE_LAST_STEPS, OF_THE_LAST_MINUTES, AT_A_CHECKPOINT, BEYOND };

static void search(enum place place, uint64_t count) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261121), end = seed + random_setting("GOODPUT_JOBS", count);
    for (; seed < end && CU_get_number_of_failures() == 0; seed++) {
        uint64_t random = seed ^ 991;
        int64_t steps = 6500 + random_below(&random, 1500), save_every = 15 + random_below(&random, 9);
        struct pair p = train(seed, steps, place == OF_THE_LAST_STEPS ? 10000 : 1000, save_every, 1);
        int64_t saves = steps / save_every, newest = saves < CHECKPOINTS ? saves : CHECKPOINTS;
        int64_t back = place == OF_THE_LAST_STEPS     ? steps - 1 - random_below(&random, LAST_STEPS - 1)
                       : place == OF_THE_LAST_MINUTES ? steps - 1 - random_below(&random, MINUTES_10 - 1)
                       : place == AT_A_CHECKPOINT     ? (saves - random_below(&random, newest)) * save_every
                                                      : (1 + random_below(&random, 20)) * save_every + 1;
        if (back == steps)
            back -= save_every;
        char words[96];
        snprintf(words, sizeof words, "GOODPUT_SEED=%" PRIu64 " from step %" PRId64 " back to %" PRId64, seed, steps,
                 back);
        struct ledger_result folded, kept;
        roll_back(&p, back);
        evaluate(&p, p.at_ms, &folded, &kept);
        compare(&folded, &kept, place != BEYOND, words);
        ledger_result_done(&folded);
        ledger_result_done(&kept);
        ledger_free(p.folds);
        ledger_free(p.keeps);
    }
}

TEST(a_rollback_to_any_of_the_last_256_steps_is_exact) {
    search(OF_THE_LAST_STEPS, 60);
}

TEST(a_rollback_to_any_step_of_the_last_ten_minutes_is_exact) {
    search(OF_THE_LAST_MINUTES, 60);
}

TEST(a_rollback_to_any_of_the_newest_64_checkpoints_is_exact) {
    search(AT_A_CHECKPOINT, 60);
}

TEST(a_rollback_beyond_what_is_known_exactly_is_prorated_and_says_so) {
    search(BEYOND, 30);
}

TEST(a_window_on_its_grid_is_exact_and_off_it_within_a_part) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261121), end = seed + random_setting("GOODPUT_JOBS", 30);
    for (; seed < end && CU_get_number_of_failures() == 0; seed++) {
        struct pair p = train(seed, 5000, 1000, 20, 5000);
        for (int i = 0; i < 8; i++) {
            struct ledger_result folded, kept;
            bool is_on_grid = i % 2 == 0;
            int64_t through_ms = p.at_ms - random_below(&p.random, 600000);
            through_ms -= is_on_grid ? through_ms % PART_MS : 0;
            evaluate(&p, through_ms, &folded, &kept);
            int64_t off = llabs(folded.windows[0].productive_ms - kept.windows[0].productive_ms);
            CHECK_INT(folded.windows[0].ms, kept.windows[0].ms);
            if (off > (is_on_grid ? 0 : PART_MS))
                harness_fail(__FILE__, __LINE__,
                             "GOODPUT_SEED=%" PRIu64 " through %" PRId64 ": the window is off by %" PRId64 " ms", seed,
                             through_ms, off);
            ledger_result_done(&folded);
            ledger_result_done(&kept);
        }
        ledger_free(p.folds);
        ledger_free(p.keeps);
    }
}
