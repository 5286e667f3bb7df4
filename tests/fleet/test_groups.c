/* The groups of a fleet: which have a separate row; and what they cost. */
#include "base/mem.h"
#include "fleet/cost.h"
#include "fleet/lives.h"
#include "fleet/outcome.h"
#include "harness.h"

#include <math.h>
#include <string.h>

#define HOUR ROLL_HOUR_MS
#define DAY ROLL_DAY_MS
#define T0 (INT64_C(20000) * DAY)

static void roll(struct roll *r, struct roll_member *members, size_t count, int64_t now_ms, struct outcome *o) {
    struct roll_input in = {.members = members, .count = count, .now_ms = now_ms};
    roll_up(r, &in);
    outcome_make(r, &in, o);
}

enum { JOBS = 40 };

TEST(more_groups_than_there_are_rows_for_are_one) {
    struct roll r;
    uint64_t seed = 4;
    struct outcome *o = mem_new(struct outcome);
    struct member *m[JOBS];
    struct roll_member rm[JOBS];
    int64_t wall = 0;
    roll_init(&r, &(struct roll_options){.window = ROLL_ROLLING, .length_ms = 14 * DAY});
    for (int i = 0; i < JOBS; i++) {
        m[i] = lives_begin(&seed, i, T0);
        lives_go_on(&seed, m[i], T0 + HOUR);
        rm[i] = (struct roll_member){m[i], m[i]->name, true, false};
        wall += m[i]->life->of[SUMS_WALL] * m[i]->weight.chips;
    }
    roll(&r, rm, JOBS, T0 + HOUR, o);
    CHECK(!r.has_folded); /* each has its place, but no row */
    CHECK_INT(o->group_count, OUTCOME_GROUPS);
    CHECK_INT(o->all.of[SUMS_WALL], wall);
    int64_t others = 0, smallest = INT64_MAX, jobs = 0;
    for (int i = 0; i < o->group_count; i++) {
        bool is_other = strcmp(o->groups[i].name, ROLL_OTHER) == 0;
        int64_t size = o->groups[i].sums.of[SUMS_WALL];
        others = is_other ? size : others;
        smallest = is_other || size > smallest ? smallest : size;
        jobs += o->groups[i].jobs;
        if (is_other)
            CHECK_INT(o->groups[i].jobs, JOBS - OUTCOME_GROUPS + 1);
    }
    CHECK_INT(jobs, JOBS);
    for (int i = 0; i < JOBS; i++) {
        int64_t size = m[i]->life->of[SUMS_WALL] * m[i]->weight.chips;
        others -= size < smallest ? size : 0;
    }
    CHECK_INT(others, 0); /* the smallest, and nothing else */
    for (int i = 0; i < JOBS; i++)
        member_free(m[i]);
    free(o);
    roll_done(&r);
}

enum { SMALL = 80, LARGE = 20 };

static struct roll_member grown(struct member **m, int number, int64_t start_ms, int64_t chips, int64_t now_ms) {
    static uint64_t seed = 9;
    if (*m == NULL) {
        *m = lives_begin(&seed, number, start_ms);
        (*m)->weight.chips = chips;
    }
    lives_go_on(&seed, *m, now_ms);
    return (struct roll_member){*m, (*m)->name, true, false};
}

/* Those that come last are not the smallest: they take the places of smaller ones, whose past goes with them. A place
 * is free again when the window holds nothing of its group. */
TEST(a_large_group_that_comes_late_has_a_row) {
    struct roll r;
    struct outcome *o = mem_new(struct outcome);
    struct member *m[SMALL + LARGE] = {0};
    struct roll_member rm[SMALL + LARGE];
    roll_init(&r, &(struct roll_options){.window = ROLL_ROLLING, .length_ms = DAY});
    for (int hour = 1; hour <= 4; hour++) {
        size_t count = 0;
        int64_t now = T0 + hour * HOUR, wall = 0;
        for (int i = 0; i < SMALL + (hour > 1 ? LARGE : 0); i++) {
            rm[count++] = grown(&m[i], i, now - HOUR, i < SMALL ? 1 : 100, now);
            wall += m[i]->life->of[SUMS_WALL] * m[i]->weight.chips;
        }
        roll(&r, rm, count, now, o);
        CHECK(r.has_folded);
        CHECK_INT(o->all.of[SUMS_WALL], wall);
        int large = 0;
        for (int i = 0; i < o->group_count; i++)
            large += o->groups[i].sums.of[SUMS_WALL] == (hour - 1) * HOUR * 100 && o->groups[i].jobs == 1;
        CHECK_INT(large, hour > 1 ? LARGE : 0);
        CHECK_INT(o->group_count, OUTCOME_GROUPS);
    }
    for (int i = 0; i < SMALL + LARGE; i++)
        lives_end(m[i]);
    roll(&r, rm, SMALL + LARGE, T0 + 5 * HOUR, o);
    struct member *last = NULL;
    rm[0] = grown(&last, 1000, T0 + 40 * HOUR, 1, T0 + 41 * HOUR);
    roll(&r, rm, 1, T0 + 41 * HOUR, o);
    CHECK_INT(o->group_count, 1);
    CHECK_TEXT(o->groups[0].name, "job-1000");
    CHECK(!r.has_folded);
    member_free(last);
    for (int i = 0; i < SMALL + LARGE; i++)
        member_free(m[i]);
    free(o);
    roll_done(&r);
}

static struct sums sums_of(int64_t paid, int64_t cost, int64_t cost_lost, bool has_steps) {
    struct sums s = {0};
    s.of[SUMS_WALL] = s.of[SUMS_PAID_WALL] = 10 * HOUR;
    s.of[SUMS_KNOWN_WALL] = has_steps ? 10 * HOUR : 0;
    s.of[SUMS_PAID] = paid;
    s.of[SUMS_KNOWN_PAID] = has_steps ? paid : 0;
    s.of[SUMS_PAID_PRODUCTIVE] = has_steps ? paid / 2 : 0;
    s.of[SUMS_PRICED] = cost > 0 ? paid : 0;
    s.of[SUMS_COST] = cost;
    s.of[SUMS_COST_LOST] = cost_lost;
    s.of[SUMS_KNOWN_PRICED] = cost_lost > 0 ? paid : 0;
    return s;
}

/* A cost that is not known is not 0. */
TEST(an_unknown_cost_is_absent) {
    struct sums priced = sums_of(10 * HOUR, 2000, 900, true), plain = sums_of(10 * HOUR, 0, 0, true);
    struct sums without_steps = sums_of(10 * HOUR, 2000, 0, false), unheld = {0};
    unheld.of[SUMS_WALL] = unheld.of[SUMS_KNOWN_WALL] = 10 * HOUR;
    CHECK(cost_allocated(&priced, NAN) == 20 && cost_lost(&priced, NAN) == 9);
    CHECK(isnan(cost_allocated(&plain, NAN)) && isnan(cost_lost(&plain, NAN)));
    CHECK(cost_allocated(&plain, 3) == 30 && cost_lost(&plain, 3) == 15);
    CHECK(cost_allocated(&without_steps, NAN) == 20 && isnan(cost_lost(&without_steps, NAN)));
    CHECK(isnan(cost_lost(&without_steps, 3)));
    CHECK(isnan(cost_allocated(&unheld, 3)) && isnan(cost_lost(&unheld, 3)));
    priced.of[SUMS_PAID_LOST(BUCKET_STALL)] = HOUR; /* of a job without a price */
    CHECK(isnan(cost_lost_to(&priced, BUCKET_STALL, NAN)) && cost_lost_to(&priced, BUCKET_STALL, 3) == 3);
    CHECK(cost_lost_to(&priced, BUCKET_QUEUE_WAIT, NAN) == 0); /* waiting costs nothing */
    CHECK(isnan(cost_caused(&priced, CAUSE_NODE_FAILURE, NAN)));
}
