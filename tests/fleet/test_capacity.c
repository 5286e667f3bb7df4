/* The nodes of a fleet: chips that no job holds, and the failures of each pool. */
#include "base/mem.h"
#include "fleet/lives.h"
#include "fleet/outcome.h"
#include "harness.h"

#include <stdlib.h>

#define HOUR ROLL_HOUR_MS
#define T0 (INT64_C(20000) * ROLL_DAY_MS)

static const struct roll_options fortnight = {.window = ROLL_ROLLING, .length_ms = 14 * ROLL_DAY_MS};

TEST(idle_chips_and_failures_by_pool) {
    struct roll r;
    uint64_t seed = 4;
    struct outcome *o = mem_new(struct outcome);
    struct member *m = lives_begin(&seed, 0, T0);
    struct roll_nodes nodes[] = {{"a", 2, 8}, {"b", 1, 4}};
    m->weight = (struct sums_weight){8, 2};
    m->has_steps = m->has_time = true;
    roll_init(&r, &fortnight);
    m->breaks = mem_alloc(2 * sizeof *m->breaks);
    m->breaks[0] =
        (struct member_break){1, T0 + HOUR / 4, mem_strdup("a"), NULL, 0, false, CLASS_UNKNOWN, OWNER_UNKNOWN};
    m->breaks[1] =
        (struct member_break){2, T0 + HOUR / 2, mem_strdup("b"), NULL, 0, true, CLASS_UNKNOWN, OWNER_UNKNOWN};
    for (int64_t now = T0; now <= T0 + 2 * HOUR; now += HOUR / 4) {
        struct roll_member rm = {m, "g", true, false};
        struct roll_input in = {&rm, 1, now, true, nodes, 2, NULL, NULL};
        m->through_ms = now;
        m->life->of[SUMS_WALL] = m->life->of[SUMS_PRODUCTIVE] = now - T0;
        m->life->of[SUMS_PAID_PRODUCTIVE] = (now - T0) * 8;
        m->break_count = now > T0 ? 2 : 0;
        m->last_execution = now > T0 ? 2 : -1;
        roll_up(&r, &in);
        outcome_make(&r, &in, o);
    }
    CHECK_INT(o->capacity_ms, 2 * HOUR);
    CHECK_INT(o->capacity_chip_ms, 24 * HOUR);
    CHECK_INT(o->idle_chip_ms, 8 * HOUR);
    CHECK_TEXT(o->waterfall[0].name, "Capacity");
    CHECK_TEXT(o->waterfall[1].name, "Idle");
    CHECK_INT(o->waterfall[1].chip_s, 8 * 3600);
    CHECK_INT(o->pool_count, 2);
    CHECK_INT(o->pools[0].failures, 1);
    CHECK_INT(o->pools[0].mtbf_ms, 4 * HOUR);
    CHECK_INT(o->pools[1].failures, 0);
    CHECK_INT(o->pools[1].mtbf_ms, -1);
    free(o);
    member_free(m);
    roll_done(&r);
}

/* In the middle of an hour: what was before is not known. */
TEST(capacity_is_known_from_the_first_look_on) {
    struct roll r;
    uint64_t seed = 4;
    struct outcome *o = mem_new(struct outcome);
    struct member *m = lives_begin(&seed, 0, T0 - 3 * HOUR);
    struct roll_nodes nodes[] = {{"a", 3, 12}};
    m->weight = (struct sums_weight){8, 2};
    m->has_steps = m->has_time = true;
    roll_init(&r, &fortnight);
    for (int minute = 20; minute <= 22; minute++) {
        int64_t now = T0 + minute * 60000;
        struct roll_member rm = {m, "g", true, false};
        struct roll_input in = {&rm, 1, now, true, nodes, 1, NULL, NULL};
        m->through_ms = now;
        m->life->of[SUMS_WALL] = m->life->of[SUMS_PRODUCTIVE] = now - m->start_ms;
        m->life->of[SUMS_PAID_PRODUCTIVE] = (now - m->start_ms) * 8;
        roll_up(&r, &in);
        outcome_make(&r, &in, o);
        CHECK_INT(o->all.of[SUMS_WALL], (now - m->start_ms) * 8);
        CHECK_INT(o->capacity_ms, (minute - 20) * 60000);
        CHECK_INT(o->capacity_chip_ms, (minute - 20) * 60000 * 12);
        CHECK_INT(o->idle_chip_ms, minute == 20 ? -1 : (minute - 20) * 60000 * 4);
    }
    free(o);
    member_free(m);
    roll_done(&r);
}
