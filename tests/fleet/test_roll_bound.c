/* What a fleet keeps is bounded: with as many jobs as there may be, nothing but resolution is lost. */
#include "base/base64.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "fleet/lives.h"
#include "fleet/outcome.h"
#include "harness.h"

#include <stdlib.h>

#define HOUR ROLL_HOUR_MS
#define T0 (INT64_C(20000) * ROLL_DAY_MS)
#define BOUND ((size_t)32768)
#define MINUTE INT64_C(60000)

static const struct roll_options fortnight = {.window = ROLL_ROLLING, .length_ms = 14 * ROLL_DAY_MS};

/* What was gained after the restart: of the time all, give or take the rounding of each job; new jobs as ever. */
static void check_restart(uint64_t *seed, struct member **m, int count, struct roll *never, struct roll *restarted) {
    struct roll_member *rm = mem_alloc((size_t)count * sizeof *rm);
    struct outcome *o = mem_new(struct outcome), *o2 = mem_new(struct outcome);
    int64_t at_ms = T0 + 106 * HOUR + MINUTE;
    for (int i = 0; i < count; i++) {
        lives_go_on(seed, m[i], at_ms);
        if (i % 7 == 0)
            lives_end(m[i]);
        rm[i] = (struct roll_member){m[i], m[i]->namespace_, true, i % 14 == 0};
    }
    lives_roll(never, rm, (size_t)count, at_ms, o);
    lives_roll(restarted, rm, (size_t)count, at_ms, o2);
    CHECK_INT(o->jobs, o2->jobs);
    int64_t apart = llabs(o->all.of[SUMS_WALL] - o2->all.of[SUMS_WALL]);
    CHECK(o->all.of[SUMS_WALL] > 0 && apart <= (int64_t)count * 512);
    free(rm);
    free(o);
    free(o2);
}

/* Many jobs, groups and hours: the bound is kept, and nothing but resolution is lost. */
TEST(the_bound_holds_with_as_many_jobs_as_there_may_be) {
    enum { MANY = ROLL_JOBS + 10 };
    struct roll r, again;
    uint64_t seed = 77;
    struct member **m = mem_alloc(MANY * sizeof *m);
    struct roll_member *rm = mem_alloc(MANY * sizeof *rm);
    struct outcome *o = mem_new(struct outcome), *o2 = mem_new(struct outcome);
    bool is_coarse = false;
    roll_init(&r, &fortnight);
    for (int i = 0; i < MANY; i++) {
        m[i] = lives_begin(&seed, i, T0 + lives_below(&seed, 100 * HOUR));
        for (int k = 1; k <= 6; k++)
            lives_go_on(&seed, m[i], T0 + (100 + k) * HOUR);
        rm[i] = (struct roll_member){m[i], m[i]->namespace_, true, false};
    }
    lives_roll(&r, rm, MANY, T0 + 106 * HOUR, o);
    CHECK_INT(r.beyond, 10);
    struct sums before = o->all;
    CLEANUP_FREE char *text = roll_store(&r, 5, BOUND, &is_coarse);
    REQUIRE(text != NULL);
    CHECK(is_coarse && strlen(text) <= BOUND);
    roll_init(&again, &fortnight);
    CHECK_INT(roll_restore(&again, 5, slice_of(text)), 0);
    lives_roll(&r, rm, MANY, T0 + 106 * HOUR, o);
    lives_roll(&again, rm, MANY, T0 + 106 * HOUR, o2);
    CHECK(memcmp(&before, &o->all, sizeof before) == 0);
    CHECK(memcmp(&before, &o2->all, sizeof before) == 0);
    check_restart(&seed, m, MANY, &r, &again);
    for (int i = 0; i < MANY; i++)
        member_free(m[i]);
    free(m);
    free(rm);
    free(o);
    free(o2);
    roll_done(&r);
    roll_done(&again);
}

/* A policy may give each class in each pool and queue another owner: every job loses to every pair of them. */
static void lose_to_all(uint64_t *seed, struct member *m) {
    for (int owner = 0; owner < OWNER_COUNT; owner++)
        for (int class = 0; class < CLASS_COUNT; class ++) {
            int64_t lost_ms = 1 + lives_below(seed, 100000);
            m->life->of[SUMS_PAID_OWNED(owner)] += lost_ms + lives_below(seed, 50);
            m->life->of[SUMS_PAID_OF_CLASS(owner, class)] += lost_ms;
        }
}

static void check_owned_classes(const struct sums *all) {
    for (int owner = 0; owner < OWNER_COUNT; owner++) {
        int64_t chip_s[SUMS_CLASSES], sum = 0;
        CHECK(sums_owned_by_class(all, (enum rootcause_owner)owner, chip_s));
        for (int c = 0; c < SUMS_CLASSES; sum += chip_s[c++])
            CHECK(c == SUMS_CLASS_NONE ? chip_s[c] >= 0 : chip_s[c] > 0);
        CHECK_INT(sum, all->of[SUMS_PAID_OWNED(owner)] / 1000);
    }
}

TEST(the_bound_holds_where_every_job_loses_to_every_owner_and_class) {
    struct roll r, again;
    uint64_t seed = 20;
    struct member **m = mem_alloc(ROLL_JOBS * sizeof *m);
    struct roll_member *rm = mem_alloc(ROLL_JOBS * sizeof *rm);
    struct outcome *o = mem_new(struct outcome), *o2 = mem_new(struct outcome);
    bool is_coarse = false;
    roll_init(&r, &fortnight);
    for (int i = 0; i < ROLL_JOBS; i++) {
        m[i] = lives_begin(&seed, i, T0 + lives_below(&seed, 100 * HOUR));
        rm[i] = (struct roll_member){m[i], m[i]->namespace_, true, false};
    }
    for (int k = 1; k <= 3; k++) {
        for (int i = 0; i < ROLL_JOBS; i++) {
            lives_go_on(&seed, m[i], T0 + (100 + k) * HOUR);
            lose_to_all(&seed, m[i]);
        }
        lives_roll(&r, rm, ROLL_JOBS, T0 + (100 + k) * HOUR, o);
    }
    struct sums before = o->all;
    check_owned_classes(&before);
    CLEANUP_FREE char *text = roll_store(&r, 5, BOUND, &is_coarse);
    REQUIRE(text != NULL);
    CHECK(is_coarse && strlen(text) <= BOUND); /* the condition Degraded reports StatusAtBound */
    roll_init(&again, &fortnight);
    CHECK_INT(roll_restore(&again, 5, slice_of(text)), 0);
    lives_roll(&again, rm, ROLL_JOBS, T0 + 103 * HOUR, o2);
    CHECK(memcmp(&before, &o2->all, sizeof before) == 0);
    for (int i = 0; i < ROLL_JOBS; i++) {
        lives_go_on(&seed, m[i], T0 + 104 * HOUR);
        lose_to_all(&seed, m[i]);
    }
    lives_roll(&again, rm, ROLL_JOBS, T0 + 104 * HOUR, o2);
    check_owned_classes(&o2->all);
    for (int i = 0; i < ROLL_JOBS; i++)
        member_free(m[i]);
    free(m);
    free(rm);
    free(o);
    free(o2);
    roll_done(&r);
    roll_done(&again);
}

/* As many groups and pools as there may be, each with a long name, over a window of hours. */
TEST(the_bound_holds_with_as_many_groups_as_there_may_be) {
    enum { MANY = 400 };
    const struct roll_options week = {.window = ROLL_ROLLING, .length_ms = 7 * ROLL_DAY_MS};
    struct roll r, again;
    uint64_t seed = 31;
    struct member *m[MANY];
    struct roll_member rm[MANY];
    char *groups[MANY];
    struct outcome *o = mem_new(struct outcome), *o2 = mem_new(struct outcome);
    bool is_coarse = false;
    roll_init(&r, &week);
    for (int i = 0; i < MANY; i++) {
        m[i] = lives_begin(&seed, i, T0 + lives_below(&seed, 100 * HOUR));
        groups[i] = mem_format("%0200d / %0200d", i % ROLL_GROUPS, i % ROLL_GROUPS);
        rm[i] = (struct roll_member){m[i], groups[i], true, false};
    }
    for (int k = 1; k <= 40; k++) {
        for (int i = 0; i < MANY; i++)
            lives_go_on(&seed, m[i], T0 + (100 + k) * HOUR);
        lives_roll(&r, rm, MANY, T0 + (100 + k) * HOUR, o);
        CLEANUP_FREE char *text = roll_store(&r, 5, BOUND, &is_coarse);
        REQUIRE(text != NULL);
        CHECK(is_coarse && strlen(text) <= BOUND);
        roll_init(&again, &week);
        CHECK_INT(roll_restore(&again, 5, slice_of(text)), 0);
        lives_roll(&again, rm, MANY, T0 + (100 + k) * HOUR, o2);
        CHECK(memcmp(&o->all, &o2->all, sizeof o->all) == 0);
        roll_done(&again);
    }
    CHECK(r.has_folded && o->group_count > 4); /* those with a place keep it from one roll-up to the next */
    for (int i = 0; i < MANY; i++) {
        member_free(m[i]);
        free(groups[i]);
    }
    free(o);
    free(o2);
    roll_done(&r);
}

/* Month after month at the bound: what is kept does not grow beyond the window and a third of it. */
TEST(a_window_at_the_bound_stays_as_long_as_it_is) {
    enum { MANY = 60 };
    const struct roll_options windows[] = {{.window = ROLL_ROLLING, .length_ms = 7 * ROLL_DAY_MS},
                                           {.window = ROLL_ROLLING, .length_ms = ROLL_DAY_MS},
                                           {.window = ROLL_MONTH, .longest_ms = ROLL_KEPT_MS}};
    struct outcome *o = mem_new(struct outcome);
    for (size_t k = 0; k < ARRAY_SIZE(windows); k++) {
        struct member *m[MANY];
        struct roll_member rm[MANY];
        struct roll r;
        uint64_t seed = 12 + k;
        bool is_coarse = false;
        int64_t length_ms = windows[k].longest_ms > 0 ? windows[k].longest_ms : windows[k].length_ms;
        roll_init(&r, &windows[k]);
        for (int i = 0; i < MANY; i++)
            m[i] = lives_begin(&seed, i, T0);
        for (int hour = 1; hour <= 40 * 24; hour++) {
            int64_t now_ms = T0 + hour * HOUR;
            for (int i = 0; i < MANY; i++) {
                lives_go_on(&seed, m[i], now_ms);
                rm[i] = (struct roll_member){m[i], m[i]->namespace_, true, false};
            }
            lives_roll(&r, rm, MANY, now_ms, o);
            CLEANUP_FREE char *text = roll_store(&r, 5, BOUND, &is_coarse);
            REQUIRE(text != NULL && strlen(text) <= BOUND);
            if (o->from_ms < now_ms - length_ms - length_ms / 3 - HOUR)
                harness_fail(__FILE__, __LINE__, "window %zu, hour %d: it covers %lld hours", k, hour,
                             (long long)((now_ms - o->from_ms) / HOUR));
        }
        CHECK(windows[k].window == ROLL_MONTH || is_coarse);
        CHECK_INT(o->group_count, 5);
        for (int i = 0; i < MANY; i++)
            member_free(m[i]);
        roll_done(&r);
    }
    free(o);
}

/* Text of the version before, which has no mark and no archive at its end. */
static char *as_version_5(const char *text) {
    size_t size;
    char *bytes = base64_decode(slice_of(text), &size);
    uint64_t version = 5, sum;
    size -= sizeof sum + 3;
    memcpy(bytes, &version, sizeof version);
    sum = hash_stable(0, (struct slice){bytes, size});
    memcpy(bytes + size, &sum, sizeof sum);
    char *old = base64_encode((struct slice){bytes, size + sizeof sum});
    free(bytes);
    return old;
}

TEST(sums_of_the_version_before_are_carried_over) {
    enum { MANY = 50 };
    const struct roll_options month = {.window = ROLL_MONTH},
                              kept = {.window = ROLL_MONTH, .longest_ms = 7 * ROLL_DAY_MS};
    struct roll r, again;
    uint64_t seed = 9;
    struct member *m[MANY];
    struct roll_member rm[MANY];
    struct outcome *o = mem_new(struct outcome), *o2 = mem_new(struct outcome);
    bool is_coarse = false;
    int64_t from_ms = 0, now_ms = 0;
    CHECK(rfc3339_parse_ms(SLICE("2026-03-20T00:00:00Z"), &from_ms));
    now_ms = from_ms + 30 * HOUR;
    roll_init(&r, &kept);
    for (int i = 0; i < MANY; i++) {
        m[i] = lives_begin(&seed, i, from_ms);
        lives_go_on(&seed, m[i], now_ms);
        rm[i] = (struct roll_member){m[i], m[i]->namespace_, true, i % 2 == 0};
    }
    lives_roll(&r, rm, MANY, now_ms, o);
    CLEANUP_FREE char *text = roll_store(&r, 5, (size_t)1 << 20, &is_coarse);
    CLEANUP_FREE char *old = as_version_5(text);
    CHECK_INT(is_coarse, false);
    roll_init(&again, &kept);
    CHECK_INT(roll_restore(&again, 5, slice_of(old)), 0);
    lives_roll(&again, rm + MANY / 2, 0, now_ms, o2); /* the jobs that are left were deleted meanwhile */
    CHECK(o->all.of[SUMS_WALL] > 0);
    CHECK_INT(o2->all.of[SUMS_WALL], o->all.of[SUMS_WALL]);
    CHECK_INT(o2->jobs, MANY);
    lives_roll(&again, rm, 0, now_ms + 8 * ROLL_DAY_MS, o2); /* the month still has them, the seven days do not */
    CHECK_INT(o2->all.of[SUMS_WALL], 0);
    CHECK_INT(o2->from_ms, from_ms + 2 * ROLL_DAY_MS);
    CHECK_INT(roll_window_from(&month, now_ms + 8 * ROLL_DAY_MS), from_ms - 19 * ROLL_DAY_MS);
    for (int i = 0; i < MANY; i++)
        member_free(m[i]);
    free(o);
    free(o2);
    roll_done(&r);
    roll_done(&again);
}
