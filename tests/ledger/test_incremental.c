/* Occupancies are summed as they change, not again for each evaluation: the result is the same as of a ledger that gets
 * the present facts at once, and a change costs the same among many occupancies as among few. */
#include "fact_list.h"
#include "harness.h"
#include "ledger/evaluate.h"
#include "ledger/ledger_internal.h"

#include "base/mem.h"

#include <stdlib.h>

enum { LIVES = 12, GAPS = 8, DISRUPTIONS = 8, ROUNDS = 60, SPAN = 60000 };

struct facts {
    struct ledger_occupancy lives[LIVES];
    struct ledger_span unwatched;
    struct {
        uint64_t life;
        int64_t from_ms, to_ms;
        bool is_silence, is_added;
    } gaps[GAPS];
    struct ledger_disruption disruptions[DISRUPTIONS];
    bool has_disruption[DISRUPTIONS], has_life[LIVES];
};

static int64_t maybe(uint64_t *r, int64_t otherwise, int64_t time) {
    return random_below(r, 3) == 0 ? otherwise : time;
}

/* Whole seconds, so that many things happen at once. */
static int64_t second(uint64_t *r, int64_t span) {
    return random_below(r, span / 1000) * 1000;
}

static void change_life(struct facts *f, uint64_t *r, size_t i) {
    struct ledger_occupancy *life = &f->lives[i];
    if (!f->has_life[i] || random_below(r, 4) == 0)
        *life = fact_life(i + 1, (uint32_t)random_below(r, 3), second(r, SPAN));
    f->has_life[i] = true;
    int64_t at = life->created_ms;
    life->bound_ms = maybe(r, TIME_UNKNOWN, at += second(r, 5000));
    life->pull_start_ms = maybe(r, TIME_UNKNOWN, at);
    life->pull_end_ms = maybe(r, TIME_UNKNOWN, at += second(r, 5000));
    life->running_ms = maybe(r, TIME_UNKNOWN, at += second(r, 5000));
    life->lost_ms = maybe(r, TIME_OPEN, at += second(r, SPAN / 2));
    life->done_ms = random_below(r, 5) ? TIME_UNKNOWN : at + second(r, 3000);
    life->released_ms = maybe(r, TIME_OPEN, at + second(r, 3000));
    life->known_until_ms = maybe(r, TIME_OPEN, at + second(r, 3000));
    life->chips = (int32_t)random_below(r, 4);
    snprintf(life->name, sizeof life->name, "pod-%d", (int)i);
}

static void add_gap(struct ledger *l, const struct facts *f, size_t i) {
    if (!f->gaps[i].is_added)
        return;
    if (f->gaps[i].is_silence)
        ledger_add_silence(l, f->gaps[i].life, f->gaps[i].from_ms, f->gaps[i].to_ms);
    else
        ledger_add_restart(l, f->gaps[i].life, f->gaps[i].from_ms, f->gaps[i].to_ms);
}

static void change_gap(struct facts *f, uint64_t *r, size_t i) {
    if (!f->gaps[i].is_added) {
        f->gaps[i].life = (uint64_t)random_below(r, LIVES) + 1;
        f->gaps[i].from_ms = second(r, SPAN) + (int64_t)i; /* its identity */
        f->gaps[i].is_silence = random_below(r, 2) == 0;
        f->gaps[i].is_added = true;
    }
    f->gaps[i].to_ms = maybe(r, f->gaps[i].from_ms - 1, f->gaps[i].from_ms + second(r, 9000));
}

static void change_disruption(struct facts *f, uint64_t *r, size_t i) {
    struct ledger_disruption *d = &f->disruptions[i];
    if (!f->has_disruption[i]) {
        d->key = 100 - i;
        d->cause = random_below(r, 4) ? CAUSE_POD_DELETED : CAUSE_NODE_FAILURE;
        snprintf(d->evidence, sizeof d->evidence, "disruption %d", (int)i);
    }
    f->has_disruption[i] = true;
    d->at_ms = maybe(r, TIME_UNKNOWN, second(r, 3000) + SPAN / 3);
    d->opens = random_below(r, 2) == 0;
}

static char *evaluated(struct ledger *l, int64_t through_ms) {
    struct ledger_result result;
    ledger_evaluate(l, through_ms, &result);
    char *text = result_text(&result);
    ledger_result_done(&result);
    return text;
}

static struct ledger *job(void) {
    struct ledger *l = ledger_new(&(struct ledger_options){.windows_ms = {20000}, .window_count = 1});
    ledger_set_span(l, 0, TIME_OPEN, OUTCOME_RUNNING);
    ledger_set_required(l, 0, 2);
    ledger_set_required(l, SPAN / 2 + 500, 3);
    return l;
}

static void add_unwatched(struct ledger *l, const struct facts *f) {
    ledger_set_unwatched(l, &f->unwatched, f->unwatched.to_ms > 0);
}

static char *added_at_once(const struct facts *f, int64_t through_ms) {
    struct ledger *l = job();
    add_unwatched(l, f);
    for (size_t i = 0; i < LIVES; i++)
        if (f->has_life[i])
            ledger_add_occupancy(l, &f->lives[i]);
    for (size_t i = 0; i < GAPS; i++)
        add_gap(l, f, i);
    for (size_t i = 0; i < DISRUPTIONS; i++)
        if (f->has_disruption[i])
            ledger_add_disruption(l, &f->disruptions[i]);
    char *text = evaluated(l, through_ms);
    ledger_free(l);
    return text;
}

TEST(facts_that_change_one_by_one_add_up_as_if_added_at_once) {
    uint64_t first = random_setting("GOODPUT_SEED", 1);
    for (uint64_t seed = first; seed < first + 200 && CU_get_number_of_failures() == 0; seed++) {
        uint64_t r = seed;
        struct facts f = {0};
        struct ledger *l = job();
        for (int round = 0; round < ROUNDS; round++) {
            size_t i = (size_t)random_below(&r, LIVES), k = (size_t)random_below(&r, GAPS);
            change_life(&f, &r, i);
            ledger_add_occupancy(l, &f.lives[i]);
            if (random_below(&r, 3) == 0) {
                change_gap(&f, &r, k);
                add_gap(l, &f, k);
            }
            if (random_below(&r, 2) == 0) {
                change_disruption(&f, &r, k);
                ledger_add_disruption(l, &f.disruptions[k]);
            }
            if (random_below(&r, 8) == 0) {
                f.unwatched.from_ms = second(&r, SPAN);
                f.unwatched.to_ms = f.unwatched.from_ms + 1000 + second(&r, SPAN / 4);
                add_unwatched(l, &f);
            }
            int64_t through_ms = random_below(&r, 2) ? SPAN * 2 : second(&r, SPAN * 2);
            CLEANUP_FREE char *got = evaluated(l, through_ms), *want = added_at_once(&f, through_ms);
            if (strcmp(got, want) != 0) {
                harness_fail(__FILE__, __LINE__, "GOODPUT_SEED=%" PRIu64 " round %d:\n%s\ninstead of\n%s", seed, round,
                             got, want);
                break;
            }
        }
        ledger_free(l);
    }
}

/* How many of N occupancies are visited for changes of single ones, each evaluated by itself. */
static int64_t looked_at(int count) {
    struct ledger *l = ledger_new(&(struct ledger_options){0});
    int64_t now_ms = 60000;
    ledger_set_span(l, 0, TIME_OPEN, OUTCOME_RUNNING);
    ledger_set_required(l, 0, count);
    for (int i = 0; i < count; i++) {
        struct ledger_occupancy life = fact_life((uint64_t)i + 1, (uint32_t)i, 1000);
        life.bound_ms = 2000;
        life.running_ms = i == 0 ? TIME_UNKNOWN : 3000; /* all wait for the first one */
        life.has_name = true;
        ledger_add_occupancy(l, &life);
    }
    free(evaluated(l, now_ms));
    int64_t before = l->occupancies_visited;
    for (int i = 1; i <= 20; i++) {
        struct ledger_occupancy life = fact_life((uint64_t)i + 1, (uint32_t)i, 1000);
        life.bound_ms = 2000;
        life.running_ms = 3000;
        life.lost_ms = now_ms += 1000;
        life.has_name = true;
        ledger_add_occupancy(l, &life);
        struct ledger_disruption d = {.cause = CAUSE_POD_DELETED, .key = life.id, .at_ms = now_ms};
        ledger_add_disruption(l, &d);
        free(evaluated(l, now_ms + 500));
    }
    int64_t cost = l->occupancies_visited - before;
    ledger_free(l);
    return cost;
}

TEST(an_occupancy_that_changes_costs_the_same_among_many) {
    int64_t few = looked_at(64);
    CHECK(few > 0 && few <= 4 * 20);
    for (int count = 512; count <= 32768; count *= 8)
        CHECK_INT(looked_at(count), few);
}
