/* The checkpoint's bound: the worst logs that could be thought of, and what is left after the ledger folded. */
#include "fact_list.h"
#include "harness.h"
#include "ledger/checkpoint.h"
#include "ledger/evaluate.h"

#include "base/error.h"
#include "base/mem.h"

#include <stdlib.h>

/* Two ledgers with the same facts: one is never read back. */
struct worst {
    struct ledger *whole, *back;
    uint64_t random, process;
    int whole_ordinal, back_ordinal;
    int64_t started_ms, at_ms, line, step;
    uint64_t life;
    int64_t lived_ms;
    struct {
        uint64_t id;
        int64_t started_ms, ended_ms;
    } old[8]; /* processes that may be added again after a load */
};

static void add_record(struct worst *w, enum record_kind kind, int64_t step, int64_t duration_ms, int name) {
    w->line += 1 + random_below(&w->random, 9);
    struct record r = fact_record(kind, w->whole_ordinal, w->line, w->at_ms, step);
    r.duration_ms = duration_ms;
    r.active = 0; /* of a phase */
    snprintf(r.name, sizeof r.name, "AN_EVENT_WITH_A_NAME_THAT_IS_AS_LONG_AS_NAMES_CAN_BE_NUMBER_%d", name);
    ledger_add_record(w->whole, &r);
    r.process = w->back_ordinal;
    ledger_add_record(w->back, &r);
}

static int add_process(struct ledger *l, uint64_t id, int64_t started_ms, int64_t ended_ms) {
    char name[LEDGER_TEXT_SIZE];
    snprintf(name, sizeof name, "%0*d", (int)sizeof name - 2, (int)id);
    return ledger_add_process(l, id, name, started_ms, ended_ms);
}

static void begin_process(struct worst *w) {
    w->process++;
    w->line = 0;
    w->started_ms = w->at_ms;
    w->whole_ordinal = add_process(w->whole, w->process, w->at_ms, TIME_OPEN);
    w->back_ordinal = add_process(w->back, w->process, w->at_ms, TIME_OPEN);
}

static void add_life(struct worst *w, int64_t lost_ms) {
    struct ledger_occupancy life = fact_running(w->life, 0, w->lived_ms, 4);
    life.lost_ms = life.ended_ms = life.released_ms = lost_ms;
    ledger_add_occupancy(w->whole, &life);
    ledger_add_occupancy(w->back, &life);
}

static void interrupt(struct worst *w) {
    struct ledger_disruption d = {.cause = (enum cause)random_below(&w->random, CAUSE_COUNT), .key = w->life};
    d.at_ms = w->at_ms;
    ledger_add_process(w->whole, w->process, NULL, w->started_ms, w->at_ms);
    ledger_add_process(w->back, w->process, NULL, w->started_ms, w->at_ms);
    size_t slot = w->process % ARRAY_SIZE(w->old);
    w->old[slot].id = w->process;
    w->old[slot].started_ms = w->started_ms;
    w->old[slot].ended_ms = w->at_ms;
    if (random_below(&w->random, 2)) {
        add_life(w, w->at_ms);
        snprintf(d.reason, sizeof d.reason, "%0*d", (int)sizeof d.reason - 1, (int)random_below(&w->random, 99));
        snprintf(d.evidence, sizeof d.evidence, "%0*d", (int)sizeof d.evidence - 1, (int)w->life);
        snprintf(d.node, sizeof d.node, "%0*d", (int)sizeof d.node - 1, (int)w->life);
        snprintf(d.node_pool, sizeof d.node_pool, "%0*d", (int)sizeof d.node_pool - 1, (int)w->life);
        ledger_add_disruption(w->whole, &d);
        ledger_add_disruption(w->back, &d);
        w->at_ms += 1 + random_below(&w->random, 90000);
        w->life++;
        w->lived_ms = w->at_ms;
        add_life(w, TIME_OPEN);
    }
    begin_process(w);
    if (random_below(&w->random, 2))
        w->step -= random_below(&w->random, w->step + 1);
}

enum shape { MANY_EVENTS, CRASH_LOOP, WILD_NUMBERS, ONLY_SAVES, NO_STEPS, WILD_TIMES, MANY_PHASES, OF_ALL, SHAPES };

static void train(struct worst *w, enum shape shape) {
    uint64_t *r = &w->random;
    if (shape == OF_ALL)
        shape = (enum shape)random_below(r, OF_ALL);
    w->at_ms += 1 + random_below(r, shape == WILD_TIMES ? 100000000 : 5000);
    if (shape != NO_STEPS && shape != ONLY_SAVES)
        add_record(w, random_below(r, 50) ? RECORD_STEP_END : RECORD_STEP_START, w->step, random_below(r, 5000), 0);
    for (int i = 0; i < 12 && shape == MANY_PHASES; i++)
        add_record(w, RECORD_PHASE, RECORD_NONE, random_below(r, INT32_MAX), i);
    w->step += 1 + (shape == WILD_TIMES ? random_below(r, 1000) : 0);
    if (shape == WILD_NUMBERS)
        w->step = random_below(r, 1000000000);
    if (shape == ONLY_SAVES || random_below(r, 20) == 0) {
        add_record(w, RECORD_SAVE_START, w->step, RECORD_NONE, 0);
        w->at_ms += random_below(r, 3000);
        add_record(w, RECORD_SAVE_DURABLE, w->step, RECORD_NONE, 0);
    }
    for (int i = 0; i < 8 && (shape == MANY_EVENTS || shape == NO_STEPS); i++) {
        int name = (int)random_below(r, 30);
        add_record(w, RECORD_CUSTOM_START, RECORD_NONE, RECORD_NONE, name);
        w->at_ms += random_below(r, 1000);
        add_record(w, RECORD_CUSTOM_END, RECORD_NONE, RECORD_NONE, name);
        add_record(w, RECORD_EVALUATION_END, RECORD_NONE, random_below(r, 2000), name);
    }
    if (random_below(r, shape == CRASH_LOOP ? 3 : 400) == 0)
        interrupt(w);
}

static void read_back(struct worst *w) {
    CLEANUP_BUF struct buf saved;
    CLEANUP_ERROR struct error *err = NULL;
    buf_init(&saved, 1 << 24);
    CHECK_INT(ledger_save(w->back, LEDGER_SAVE_ALL, &saved), 0);
    ledger_free(w->back);
    w->back = ledger_load(buf_slice(&saved), NULL, &err);
    if (w->back == NULL)
        harness_fail(__FILE__, __LINE__, "%s", error_text(err));
    if (w->back == NULL)
        abort();
    for (size_t i = 0; i < ARRAY_SIZE(w->old); i++)
        if (w->old[i].id != 0)
            add_process(w->back, w->old[i].id, w->old[i].started_ms, w->old[i].ended_ms);
    w->back_ordinal = add_process(w->back, w->process, w->started_ms, TIME_OPEN);
}

/* Saves both, as the operator would: after an evaluation. What is read back evaluates to the same. */
static size_t save_and_compare(struct worst *w, const char *words) {
    struct ledger_result one, other;
    CLEANUP_BUF struct buf saved, same;
    buf_init(&saved, 1 << 24);
    buf_init(&same, 1 << 24);
    ledger_evaluate(w->whole, w->at_ms, &one);
    ledger_evaluate(w->back, w->at_ms, &other);
    CLEANUP_FREE char *a = result_text(&one), *b = result_text(&other);
    if (strcmp(a, b) != 0)
        harness_fail(__FILE__, __LINE__, "%s: read back\n%s\nnever read back\n%s", words, b, a);
    ledger_result_done(&one);
    ledger_result_done(&other);
    CHECK_INT(ledger_save(w->whole, LEDGER_SAVE_WITHOUT_OBJECTS, &saved), 0);
    CHECK_INT(ledger_save(w->back, LEDGER_SAVE_WITHOUT_OBJECTS, &same), 0);
    if (!slice_equal(buf_slice(&saved), buf_slice(&same)))
        harness_fail(__FILE__, __LINE__, "%s: the checkpoint of the one read back differs, %zu and %zu bytes", words,
                     same.size_bytes, saved.size_bytes);
    if (random_below(&w->random, 2))
        read_back(w);
    ledger_evaluate(w->whole, w->at_ms, &one);
    ledger_evaluate(w->back, w->at_ms, &other);
    check_identities(&one, words);
    CLEANUP_FREE char *c = result_text(&one), *d = result_text(&other);
    if (strcmp(c, d) != 0)
        harness_fail(__FILE__, __LINE__, "%s: folded and read back\n%s\nfolded\n%s", words, d, c);
    ledger_result_done(&one);
    ledger_result_done(&other);
    return saved.size_bytes;
}

static void begin(struct worst *w) {
    struct ledger_options options = {.has_log = true, .window_count = 4, .windows_ms = {3600000, 7200000, 43200000}};
    options.windows_ms[3] = INT64_C(90) * 86400000;
    w->whole = ledger_new(&options);
    w->back = ledger_new(&options);
    ledger_set_span(w->whole, w->at_ms, TIME_OPEN, OUTCOME_RUNNING);
    ledger_set_span(w->back, w->at_ms, TIME_OPEN, OUTCOME_RUNNING);
    ledger_set_required(w->whole, 0, 1);
    ledger_set_required(w->back, 0, 1);
    add_life(w, TIME_OPEN);
    begin_process(w);
}

static size_t play(uint64_t seed) {
    struct worst w = {.random = seed, .at_ms = 1000000000000, .lived_ms = 1000000000000, .life = 1};
    size_t largest = 0;
    enum shape shape = (enum shape)random_below(&w.random, SHAPES);
    begin(&w);
    int64_t steps = 500 + random_below(&w.random, 4000);
    for (int64_t i = 0; i < steps && CU_get_number_of_failures() == 0; i++) {
        train(&w, shape);
        if (random_below(&w.random, 700) != 0 && i + 1 < steps)
            continue;
        char words[96];
        snprintf(words, sizeof words, "GOODPUT_SEED=%" PRIu64 " shape %d step %" PRId64, seed, (int)shape, i);
        size_t size = save_and_compare(&w, words);
        if (size > LEDGER_SAVE_BYTES)
            harness_fail(__FILE__, __LINE__, "%s: the checkpoint has %zu bytes", words, size);
        largest = size > largest ? size : largest;
    }
    ledger_free(w.whole);
    ledger_free(w.back);
    return largest;
}

TEST(no_log_makes_the_checkpoint_larger_than_its_bound) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261121), count = random_setting("GOODPUT_JOBS", 14),
             end = seed + count;
    size_t largest = 0;
    for (; seed < end && CU_get_number_of_failures() == 0; seed++) {
        size_t size = play(seed);
        largest = size > largest ? size : largest;
    }
    printf("ledger: the worst log's checkpoint had %zu bytes\n", largest);
}

/* A trainer's clock is hours ahead: none of its steps can be settled, and the checkpoint has no room for all of them.
 * When their time comes, what was dropped changes neither time nor steps. Of the changes of its slices the newest 256
 * remain. */
TEST(steps_of_a_clock_that_is_ahead_are_thinned) {
    enum { STEPS = 60000, SLICES_EVERY = 40, FROM_MS = 10000000 };
    struct ledger *both[2];
    struct ledger_result r[2];
    for (int i = 0; i < 2; i++) {
        struct ledger_occupancy life = fact_running(1, 0, 0, 16);
        both[i] = fact_ledger(&(struct ledger_options){.has_log = true, .ideal_step_ms = 2000}, 1);
        ledger_add_occupancy(both[i], &life);
        int process = ledger_add_process(both[i], 1, NULL, 0, TIME_OPEN);
        for (int64_t step = 1; step <= STEPS; step++) {
            struct record end =
                fact_record(RECORD_STEP_END, process, 2 * step, FROM_MS + step * 1000 + step * 7919 % 200, step);
            struct record slices = fact_record(RECORD_ELASTIC_SLICES, process, 2 * step + 1, end.at_ms, RECORD_NONE);
            slices.total = 4;
            slices.active = step / SLICES_EVERY % 2 ? 3 : 4; /* half of the time 4 of 16 chips stand still */
            ledger_add_record(both[i], &end);
            if (step % SLICES_EVERY == 0)
                ledger_add_record(both[i], &slices);
        }
        ledger_evaluate(both[i], 1000000, &r[i]);
        ledger_result_done(&r[i]);
    }
    CLEANUP_BUF struct buf saved;
    buf_init(&saved, 1 << 20);
    ledger_compact(both[0], LEDGER_SAVE_BYTES);
    CHECK_INT(ledger_save(both[0], LEDGER_SAVE_WITHOUT_OBJECTS, &saved), 0);
    CHECK(saved.size_bytes <= LEDGER_SAVE_BYTES + 32);
    for (int i = 0; i < 2; i++)
        ledger_evaluate(both[i], FROM_MS + STEPS * 1000 + 900, &r[i]);
    check_identities(&r[0], "thinned");
    CHECK_INT(r[0].productive_ms, r[1].productive_ms);
    CHECK_INT(r[0].retained_steps, STEPS);
    CHECK_INT(result_bucket(&r[1], BUCKET_ELASTIC_SLICE_DOWN)->chip_ms, INT64_C(750) * 4 * SLICES_EVERY * 1000);
    CHECK_INT(result_bucket(&r[0], BUCKET_ELASTIC_SLICE_DOWN)->chip_ms / 1000000, 128 * 4 * SLICES_EVERY / 1000);
    for (int i = 0; i < 2; i++) {
        ledger_result_done(&r[i]);
        ledger_free(both[i]);
    }
}

/* What is read back may be as large as it was: the bound that can be asked for holds for any log too. */
TEST(any_log_folds_to_what_a_packed_status_holds) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261121);
    int refused = 0;
    for (int i = 0; i < 4; i++) {
        struct worst w = {.random = seed + (uint64_t)i, .at_ms = 1000000000000, .lived_ms = 1000000000000, .life = 1};
        begin(&w);
        for (int64_t k = 0; k < 2500; k++)
            train(&w, OF_ALL);
        save_and_compare(&w, "as much as is allowed");
        CLEANUP_BUF struct buf saved;
        buf_init(&saved, 1 << 20);
        ledger_compact(w.whole, LEDGER_SAVE_BYTES * 5 / 8);
        CHECK_INT(ledger_save(w.whole, LEDGER_SAVE_WITHOUT_OBJECTS, &saved), 0);
        CHECK(saved.size_bytes <= LEDGER_SAVE_BYTES * 5 / 8 + 32);
        ledger_exclude(w.whole, 1, 2); /* too late for what is settled */
        refused += ledger_save(w.whole, LEDGER_SAVE_WITHOUT_OBJECTS, &saved) < 0;
        ledger_free(w.whole);
        ledger_free(w.back);
    }
    CHECK(refused > 0);
}
