/* What a fleet keeps is bounded: with as many jobs as there may be, nothing but resolution is lost. */
#include "base/mem.h"
#include "fleet/lives.h"
#include "fleet/outcome.h"
#include "harness.h"

#include <stdlib.h>

#define HOUR ROLL_HOUR_MS
#define T0 (INT64_C(20000) * ROLL_DAY_MS)
#define BOUND ((size_t)262144)

static const struct roll_options fortnight = {.window = ROLL_ROLLING, .length_ms = 14 * ROLL_DAY_MS};

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
            m->life.of[SUMS_PAID_OWNED(owner)] += lost_ms + lives_below(seed, 50);
            m->life.of[SUMS_PAID_OF_CLASS(owner, class)] += lost_ms;
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
