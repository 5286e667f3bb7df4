/* A fleet over time: the parts add up to the whole, whatever the order, the moments of looking, and restarts. */
#include "base/mem.h"
#include "fleet/lives.h"
#include "fleet/outcome.h"
#include "fleet/slots.h"
#include "harness.h"

#include <errno.h>
#include <stdlib.h>

#define HOUR ROLL_HOUR_MS
#define DAY ROLL_DAY_MS
#define T0 (INT64_C(20000) * DAY) /* a Thursday + 20,000 days: 2024-10-04, a Friday */
#define BOUND ((size_t)262144)

enum { JOBS = 40 };
struct world {
    uint64_t seed;
    struct member *members[JOBS];
    bool is_deleted[JOBS], is_reported[JOBS];
    int count;
};

static void world_done(struct world *w) {
    for (int i = 0; i < w->count; i++)
        member_free(w->members[i]);
}

static void world_step(struct world *w, int64_t now_ms) {
    if (w->count < JOBS && lives_below(&w->seed, 2) == 0) {
        w->members[w->count] = lives_begin(&w->seed, w->count, now_ms - lives_below(&w->seed, 5 * HOUR));
        w->count++;
    }
    for (int i = 0; i < w->count; i++) {
        if (!w->is_deleted[i])
            lives_go_on(&w->seed, w->members[i], now_ms - lives_below(&w->seed, 60000));
        if (lives_below(&w->seed, 40) == 0)
            lives_end(w->members[i]);
        if (lives_below(&w->seed, 60) == 0)
            w->is_deleted[i] = true;
    }
}

/* All that are there, and those that went since the last look. which: 0 all, 1 and 2 a half each. */
static size_t look(const struct world *w, int which, struct roll_member out[JOBS]) {
    size_t n = 0;
    for (int i = 0; i < w->count; i++)
        if (!w->is_reported[i] && (which == 0 || i % 2 == which - 1))
            out[n++] = (struct roll_member){w->members[i], w->members[i]->namespace_, true, w->is_deleted[i]};
    return n;
}

static void report(struct world *w) {
    memcpy(w->is_reported, w->is_deleted, sizeof w->is_reported);
}

static void shuffle(uint64_t *seed, struct roll_member *m, size_t n) {
    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)lives_below(seed, (int64_t)i);
        struct roll_member t = m[i - 1];
        m[i - 1] = m[k];
        m[k] = t;
    }
}

static void check_partition(const struct sums *s) {
    int64_t parts = s->of[SUMS_PRODUCTIVE];
    for (int b = 0; b < SUMS_BUCKETS; b++)
        parts += s->of[SUMS_LOST(b)];
    CHECK_INT(parts, s->of[SUMS_WALL]);
}

static int64_t total(const int64_t *values, int count) {
    int64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

/* In lives.c every interruption has an owner and a class. */
static void check_classes(const struct outcome *o) {
    int64_t listed = 0;
    for (int i = 0; i < o->class_count; i++)
        listed += o->classes[i].count;
    CHECK_INT(total(&o->all.of[SUMS_OWNED(0)], OWNER_COUNT), o->all.of[SUMS_INTERRUPTIONS]);
    CHECK_INT(total(&o->all.of[SUMS_OF_CLASS(0)], CLASS_COUNT), o->all.of[SUMS_INTERRUPTIONS]);
    CHECK_INT(listed, o->all.of[SUMS_INTERRUPTIONS]);
}

static void check_waterfall(const struct outcome *o) {
    int64_t level = -1;
    for (int i = 0; i < o->step_count; i++) {
        if (o->waterfall[i].is_total && level >= 0)
            CHECK_INT(o->waterfall[i].chip_s, level);
        level = o->waterfall[i].is_total ? o->waterfall[i].chip_s : level - o->waterfall[i].chip_s;
    }
}

static void check_product(int64_t product, int64_t a, int64_t b) {
    int64_t expected = (a * b + 500000) / 1000000;
    if (product < expected - 2 || product > expected + 2)
        harness_fail(__FILE__, __LINE__, "%lld is not %lld x %lld", (long long)product, (long long)a, (long long)b);
}

/* The scores of a row are of the same jobs: each is the product of those before it. */
static void check_products(const struct sums *sums) {
    struct sums_scores s = sums_scores(sums);
    if (s.job >= 0 && s.runtime >= 0)
        check_product(s.job, s.scheduling, s.runtime);
    if (s.productivity >= 0 && s.program >= 0)
        check_product(s.productivity, s.job, s.program);
    if (s.job < 0)
        CHECK_INT(s.scheduling, s.all_scheduling);
}

static const struct roll_options fortnight = {.window = ROLL_ROLLING, .length_ms = 14 * DAY};

TEST(every_part_adds_up_and_no_deleted_job_is_lost) {
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct world w = {.seed = seed * 7919};
        struct roll r;
        struct outcome *o = mem_new(struct outcome);
        struct roll_member members[JOBS];
        roll_init(&r, &fortnight);
        int64_t now = T0;
        for (int step = 0; step < 60; step++) {
            now += lives_below(&w.seed, 3 * HOUR);
            world_step(&w, now);
            lives_roll(&r, members, look(&w, 0, members), now, o);
            report(&w);
            check_partition(&o->all);
            check_waterfall(o);
            check_products(&o->all);
            struct sums sum = {0};
            for (int i = 0; i < o->group_count; i++) {
                check_products(&o->groups[i].sums);
                check_partition(&o->groups[i].sums);
                sums_add(&sum, &o->groups[i].sums);
            }
            CHECK(memcmp(&sum, &o->all, sizeof sum) == 0);
        }
        int64_t wall = 0, productive = 0, jobs = 0, failures = 0, unknown = 0;
        for (int i = 0; i < w.count; i++) {
            wall += w.members[i]->life->of[SUMS_WALL] * w.members[i]->weight.chips;
            productive += w.members[i]->life->of[SUMS_PRODUCTIVE] * w.members[i]->weight.chips;
            failures += w.members[i]->life->of[SUMS_FAILURES];
            unknown += w.members[i]->life->of[SUMS_OF_CLASS(CLASS_UNKNOWN)];
            jobs += w.members[i]->has_time;
        }
        CHECK_INT(o->all.of[SUMS_WALL], wall);
        CHECK_INT(o->all.of[SUMS_PRODUCTIVE], productive);
        CHECK_INT(o->all.of[SUMS_FAILURES], failures);
        CHECK_INT(o->all.of[SUMS_OF_CLASS(CLASS_UNKNOWN)], unknown);
        CHECK_INT(o->jobs, jobs);
        check_classes(o);
        free(o);
        roll_done(&r);
        world_done(&w);
    }
}

/* The same members as the controller keeps them: folded. */
static void fold(struct roll_member *members, size_t n, struct member folded[JOBS]) {
    for (size_t i = 0; i < n; i++) {
        folded[i] = *members[i].member;
        folded[i].folded = sums_fold(folded[i].life);
        folded[i].life = NULL;
        members[i].member = &folded[i];
    }
}

static void check_same_losses(const struct outcome *a, const struct outcome *b) {
    CHECK_INT(a->loss_count, b->loss_count);
    for (int i = 0; i < a->loss_count && i < b->loss_count; i++) {
        CHECK_INT(a->losses[i].chip_ms, b->losses[i].chip_ms);
        CHECK_INT(a->losses[i].job_count, b->losses[i].job_count);
        for (int k = 0; k < a->losses[i].job_count && k < b->losses[i].job_count; k++)
            CHECK_INT(a->losses[i].jobs[k].chip_ms, b->losses[i].jobs[k].chip_ms);
    }
}

TEST(neither_order_nor_restarts_nor_folding_change_a_byte) {
    struct member folded[JOBS];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world w = {.seed = seed * 104729};
        struct roll a, b;
        struct outcome *oa = mem_new(struct outcome), *ob = mem_new(struct outcome);
        struct roll_member members[JOBS], shuffled[JOBS];
        roll_init(&a, &fortnight);
        roll_init(&b, &fortnight);
        int64_t now = T0;
        bool is_coarse;
        for (int step = 0; step < 40; step++) {
            now += lives_below(&w.seed, 3 * HOUR);
            world_step(&w, now);
            size_t n = look(&w, 0, members);
            memcpy(shuffled, members, sizeof shuffled);
            shuffle(&w.seed, shuffled, n);
            fold(shuffled, n, folded);
            lives_roll(&a, members, n, now, oa);
            lives_roll(&b, shuffled, n, now, ob);
            check_same_losses(oa, ob);
            for (size_t i = 0; i < n; i++)
                free(folded[i].folded);
            report(&w);
            CLEANUP_FREE char *text_a = roll_store(&a, 5, BOUND, &is_coarse);
            CHECK(!is_coarse);
            CLEANUP_FREE char *text_b = roll_store(&b, 5, BOUND, &is_coarse);
            CHECK_TEXT(text_b, text_a);
            CHECK(memcmp(&oa->all, &ob->all, sizeof oa->all) == 0);
            if (lives_below(&w.seed, 3) > 0)
                continue;
            roll_done(&b);
            roll_init(&b, &fortnight);
            CHECK_INT(roll_restore(&b, 5, slice_of(text_b)), 0);
        }
        free(oa);
        free(ob);
        roll_done(&a);
        roll_done(&b);
        world_done(&w);
    }
}

TEST(two_fleets_add_up_to_their_union) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world w = {.seed = seed * 15485863};
        struct roll r[3];
        struct outcome *o[3];
        for (int k = 0; k < 3; k++) {
            roll_init(&r[k], &fortnight);
            o[k] = mem_new(struct outcome);
        }
        int64_t now = T0;
        for (int step = 0; step < 40; step++) {
            now += lives_below(&w.seed, 2 * HOUR);
            world_step(&w, now);
            for (int k = 0; k < 3; k++) {
                struct roll_member members[JOBS];
                lives_roll(&r[k], members, look(&w, k, members), now, o[k]);
            }
            report(&w);
            struct sums both = o[1]->all;
            sums_add(&both, &o[2]->all);
            CHECK(memcmp(&both, &o[0]->all, sizeof both) == 0);
            CHECK_INT(o[1]->jobs + o[2]->jobs, o[0]->jobs);
        }
        for (int k = 0; k < 3; k++) {
            roll_done(&r[k]);
            free(o[k]);
        }
        world_done(&w);
    }
}

/* Where a job's time lies does not depend on how often it was looked at, where it is spent evenly. */
TEST(looking_seldom_gives_the_same_hours_for_an_even_life) {
    struct roll seldom, often;
    uint64_t seed = 3;
    struct member *m = lives_begin(&seed, 0, T0 + HOUR / 2);
    struct outcome *o = mem_new(struct outcome);
    roll_init(&seldom, &fortnight);
    roll_init(&often, &fortnight);
    m->has_time = true;
    for (int64_t now = T0 + HOUR; now <= T0 + 10 * HOUR; now += HOUR / 4) {
        struct roll_member rm = {m, "g", true, false};
        m->through_ms = now;
        m->life->of[SUMS_WALL] = now - m->start_ms;
        m->life->of[SUMS_LOST(BUCKET_QUEUE_WAIT)] = now - m->start_ms;
        lives_roll(&often, &rm, 1, now, o);
        if (now == T0 + 10 * HOUR)
            lives_roll(&seldom, &rm, 1, now, o);
    }
    REQUIRE(seldom.slot_count == often.slot_count && often.slot_count == 10);
    for (size_t i = 0; i < 10; i++) {
        CHECK_INT(seldom.slots[i].groups[0].sums.of[SUMS_WALL], often.slots[i].groups[0].sums.of[SUMS_WALL]);
        CHECK_INT(often.slots[i].groups[0].sums.of[SUMS_WALL], (i == 0 ? HOUR / 2 : HOUR) * m->weight.chips);
    }
    free(o);
    member_free(m);
    roll_done(&seldom);
    roll_done(&often);
}

/* A status with thirty years of the future, from a wrong clock or another writer: its time
 * counts, but no hours are kept for it. */
TEST(future_hours_take_no_memory) {
    struct roll r;
    uint64_t seed = 4;
    struct outcome *o = mem_new(struct outcome);
    struct member *m = lives_begin(&seed, 0, T0);
    roll_init(&r, &fortnight);
    m->has_time = true;
    m->through_ms = T0 + 30 * 365 * DAY;
    m->life->of[SUMS_WALL] = m->life->of[SUMS_LOST(BUCKET_QUEUE_WAIT)] = m->through_ms - T0;
    struct roll_member rm = {m, "g", true, false};
    lives_roll(&r, &rm, 1, T0 + 3 * HOUR, o);
    CHECK_INT((int64_t)r.slot_count, 3);
    CHECK_INT(o->all.of[SUMS_WALL], (m->through_ms - T0) * m->weight.chips);
    lives_end(m);
    for (int i = 4; i < 6; i++) {
        rm = (struct roll_member){m, "g", true, false};
        lives_roll(&r, &rm, 1, T0 + i * HOUR, o);
        CHECK_INT((int64_t)r.slot_count, 4); /* where its end was seen */
        CHECK_INT(o->all.of[SUMS_ENDED], 1);
    }
    free(o);
    member_free(m);
    roll_done(&r);
}

TEST(entries_older_than_the_window_are_dropped) {
    const struct roll_options day = {.window = ROLL_ROLLING, .length_ms = DAY};
    struct roll r;
    uint64_t seed = 9;
    struct outcome *o = mem_new(struct outcome);
    struct member *m = lives_begin(&seed, 0, T0);
    struct roll_member rm = {m, "g", true, false};
    roll_init(&r, &day);
    lives_go_on(&seed, m, T0 + 30 * HOUR);
    lives_end(m);
    lives_roll(&r, &rm, 1, T0 + 30 * HOUR, o);
    CHECK_INT(o->from_ms, T0 + 6 * HOUR);
    CHECK_INT(o->all.of[SUMS_WALL], DAY * m->weight.chips);
    CHECK_INT(o->jobs, 1);
    CHECK_INT(r.spread, 1);
    rm = (struct roll_member){m, "g", true, false};
    lives_roll(&r, &rm, 1, T0 + 53 * HOUR + 1, o);
    CHECK_INT(o->all.of[SUMS_WALL], HOUR * m->weight.chips);
    CHECK_INT(o->jobs, 1);
    lives_roll(&r, &rm, 1, T0 + 54 * HOUR, o);
    CHECK_INT(o->all.of[SUMS_WALL], 0);
    CHECK_INT(o->jobs, 0);
    CHECK_INT(sums_scores(&o->all).scheduling, -1);
    CHECK_INT((int64_t)r.cursors.count, 0);
    lives_roll(&r, &rm, 1, T0 + 60 * HOUR, o); /* it ended before the window: it is not taken up again */
    CHECK_INT((int64_t)r.cursors.count, 0);
    free(o);
    member_free(m);
    roll_done(&r);
}

TEST(calendar_windows_begin_where_the_calendar_says) {
    const struct roll_options day = {.window = ROLL_DAY}, week = {.window = ROLL_WEEK}, month = {.window = ROLL_MONTH};
    int64_t now = T0 + 13 * HOUR; /* Friday 2024-10-04 */
    CHECK_INT(roll_window_from(&day, now), T0);
    CHECK_INT(roll_window_from(&week, now), T0 - 4 * DAY);
    CHECK_INT(roll_window_from(&week, T0 + 3 * DAY), T0 + 3 * DAY);
    CHECK_INT(roll_window_from(&month, now), T0 - 3 * DAY);
    CHECK_INT(roll_window_from(&month, T0 - 3 * DAY), T0 - 3 * DAY);
    CHECK_INT(roll_window_from(&month, T0 - 3 * DAY - 1), T0 - 33 * DAY);
}

TEST(chips_weigh_and_ratios_are_never_averaged) {
    struct roll r;
    uint64_t seed = 1;
    struct outcome *o = mem_new(struct outcome);
    struct member *m[3];
    struct roll_member rm[3];
    const int64_t chips[] = {1, 99, 100};
    roll_init(&r, &fortnight);
    for (int i = 0; i < 3; i++) {
        m[i] = lives_begin(&seed, i, T0);
        m[i]->weight.chips = chips[i];
        m[i]->has_time = true;
        m[i]->has_steps = i < 2;
        m[i]->through_ms = T0 + HOUR;
        m[i]->life->of[SUMS_WALL] = HOUR;
        m[i]->life->of[SUMS_AVAILABLE] = i < 2 ? HOUR : 0;
        m[i]->life->of[SUMS_KNOWN_WALL] = m[i]->life->of[SUMS_KNOWN_AVAILABLE] = i < 2 ? HOUR : 0;
        m[i]->life->of[SUMS_PRODUCTIVE] = i == 0 ? HOUR : 0;
        m[i]->life->of[SUMS_LOST(i == 2 ? BUCKET_QUEUE_WAIT : BUCKET_STALL)] = i == 0 ? 0 : HOUR;
        rm[i] = (struct roll_member){m[i], "all", true, false};
    }
    lives_roll(&r, rm, 3, T0 + HOUR, o);
    struct sums_scores s = sums_scores(&o->all);
    CHECK_INT(s.runtime, 10000);
    CHECK_INT(s.scheduling, 1000000); /* of the two whose steps are known, as runtime */
    CHECK_INT(s.job, 10000);
    CHECK_INT(s.all_scheduling, 500000);
    CHECK_INT(s.evidence, 500000);
    CHECK_INT(s.program, -1);
    CHECK_INT(s.productivity, -1);
    CHECK_INT(o->without_steps, 1);
    CHECK_INT(o->loss_count, 2);
    CHECK_INT(o->losses[0].bucket, BUCKET_QUEUE_WAIT);
    CHECK_TEXT(o->losses[0].jobs[0].name, "team-2/job-2");
    CHECK_TEXT(o->losses[1].jobs[0].name, "team-1/job-1");
    for (int i = 0; i < 3; i++)
        member_free(m[i]);
    free(o);
    roll_done(&r);
}

TEST(unobserved_chip_time_is_a_separate_sum) {
    struct roll r;
    uint64_t seed = 1;
    struct outcome *o = mem_new(struct outcome);
    struct member *m[2];
    struct roll_member rm[2];
    roll_init(&r, &fortnight);
    for (int i = 0; i < 2; i++) { /* 10 chips an hour, half of it unobserved; 30 chips an hour in the queue */
        m[i] = lives_begin(&seed, i, T0);
        m[i]->weight.chips = i == 0 ? 10 : 30;
        m[i]->has_time = true;
        m[i]->has_steps = false;
        m[i]->through_ms = T0 + HOUR;
        m[i]->life->of[SUMS_WALL] = HOUR;
        m[i]->life->of[SUMS_AVAILABLE] = i == 0 ? HOUR / 2 : 0;
        m[i]->life->of[SUMS_LOST(BUCKET_UNATTRIBUTED)] = i == 0 ? HOUR / 2 : 0;
        m[i]->life->of[SUMS_LOST(BUCKET_UNOBSERVED)] = i == 0 ? HOUR / 2 : 0;
        m[i]->life->of[SUMS_LOST(BUCKET_QUEUE_WAIT)] = i == 0 ? 0 : HOUR;
        rm[i] = (struct roll_member){m[i], i == 0 ? "blind" : "queued", true, false};
    }
    lives_roll(&r, rm, 2, T0 + HOUR, o);
    struct sums_scores s = sums_scores(&o->all);
    CHECK_INT(s.scheduling, 125000);       /* 5 of 40 */
    CHECK_INT(s.scheduling_upper, 250000); /* 10 of 40 */
    check_partition(&o->all);
    check_waterfall(o);
    bool has_step = false;
    for (int i = 0; i < o->step_count; i++)
        has_step |= strcmp(o->waterfall[i].name, "Unobserved") == 0 && o->waterfall[i].chip_s == 5 * 3600;
    CHECK(has_step);
    CHECK_INT(o->loss_count, 2);
    for (int i = 0; i < o->loss_count; i++)
        CHECK(o->losses[i].bucket != BUCKET_UNOBSERVED);
    for (int i = 0; i < o->group_count; i++) /* a group without any has one score */
        CHECK_INT(sums_scores(&o->groups[i].sums).scheduling_upper,
                  strcmp(o->groups[i].name, "blind") == 0 ? 1000000 : -1);
    CHECK(sums_compare_lost(&o->groups[0].sums, &o->groups[1].sums) <= 0);
    for (int i = 0; i < 2; i++)
        member_free(m[i]);
    free(o);
    roll_done(&r);
}

/* 10 chips that lost half an hour unobserved, a quarter unattributed, and trained for the rest; 30 without steps. */
TEST(goodput_lies_between_two_bounds_where_chip_time_is_unobserved) {
    struct sums s = {0};
    s.of[SUMS_WALL] = 40 * HOUR;
    s.of[SUMS_KNOWN_WALL] = 10 * HOUR;
    s.of[SUMS_KNOWN_AVAILABLE] = 5 * HOUR;
    s.of[SUMS_KNOWN_UNATTRIBUTED] = 5 * HOUR / 2;
    s.of[SUMS_PRODUCTIVE] = 5 * HOUR / 2;
    CHECK_INT(sums_scores(&s).job, 250000);
    CHECK_INT(sums_scores(&s).job_upper, -1); /* all is observed */
    s.of[SUMS_KNOWN_UNOBSERVED] = 5 * HOUR;
    CHECK_INT(sums_scores(&s).job, 250000);
    CHECK_INT(sums_scores(&s).job_upper, 1000000);
    CHECK_INT(sums_scores(&s).scheduling_upper, 1000000);
}

TEST(a_job_that_was_unselected_for_a_while_is_not_counted_twice) {
    struct roll r;
    uint64_t seed = 4;
    struct outcome *o = mem_new(struct outcome);
    struct member *m = lives_begin(&seed, 0, T0);
    roll_init(&r, &fortnight);
    for (int hour = 1; hour <= 3; hour++) {
        struct roll_member rm = {m, hour == 2 ? NULL : "g", hour != 2, false};
        lives_go_on(&seed, m, T0 + hour * HOUR);
        lives_roll(&r, &rm, 1, T0 + hour * HOUR, o);
    }
    CHECK_INT(o->all.of[SUMS_WALL], 2 * HOUR * m->weight.chips);
    free(o);
    member_free(m);
    roll_done(&r);
}

TEST(a_job_that_is_not_selected_is_in_no_group) {
    struct roll r;
    uint64_t seed = 4;
    struct outcome *o = mem_new(struct outcome);
    struct member *m[4];
    struct roll_member rm[4];
    roll_init(&r, &fortnight);
    for (int i = 0; i < 4; i++) { /* first, and behind one that is selected */
        m[i] = lives_begin(&seed, i, T0);
        lives_go_on(&seed, m[i], T0 + HOUR);
        rm[i] = (struct roll_member){m[i], i % 2 == 0 ? NULL : "g", i % 2 != 0, false};
    }
    lives_roll(&r, rm, 4, T0 + HOUR, o);
    CHECK_INT(r.group_count, 1);
    CHECK_INT(o->jobs, 2);
    for (int i = 0; i < 4; i++)
        member_free(m[i]);
    free(o);
    roll_done(&r);
}

/* ---- what is kept ---- */

TEST(what_is_damaged_or_of_another_selection_is_not_taken) {
    struct world w = {.seed = 99};
    struct roll r, again;
    struct outcome *o = mem_new(struct outcome);
    struct roll_member members[JOBS];
    bool is_coarse;
    roll_init(&r, &fortnight);
    for (int step = 0; step < 10; step++) {
        world_step(&w, T0 + step * HOUR);
        lives_roll(&r, members, look(&w, 0, members), T0 + step * HOUR, o);
    }
    CLEANUP_FREE char *text = roll_store(&r, 5, BOUND, &is_coarse);
    size_t size = strlen(text);
    roll_init(&again, &fortnight);
    CHECK_INT(roll_restore(&again, 6, slice_of(text)), -ESTALE);
    CHECK_INT(roll_restore(&again, 5, slice_of("")), -EBADMSG);
    for (size_t i = 0; i < size; i += 7) {
        char was = text[i];
        CHECK(roll_restore(&again, 5, (struct slice){text, i}) < 0);
        text[i] = was == 'A' ? 'B' : 'A';
        CHECK(roll_restore(&again, 5, slice_of(text)) < 0);
        text[i] = was;
        CHECK_INT((int64_t)again.slot_count, 0);
    }
    CHECK_INT(roll_restore(&again, 5, slice_of(text)), 0);
    CHECK_INT((int64_t)again.cursors.count, (int64_t)r.cursors.count);
    free(o);
    roll_done(&r);
    roll_done(&again);
    world_done(&w);
}

/* A life of many hours is spread over them as one after the other would be: whole hours are alike to the unit, what is
 * cut off comes with the last, and the parts of every hour add up. */
TEST(a_long_job_is_spread_as_hour_by_hour) {
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t random = seed * 15485863;
        struct roll r;
        struct outcome *o = mem_new(struct outcome);
        int64_t hours = 3 + lives_below(&random, 200), start = T0 + lives_below(&random, HOUR);
        struct member *m = lives_begin(&random, 7, start);
        for (int64_t at = start; at < start + hours * HOUR; at += 1 + lives_below(&random, 9 * HOUR))
            lives_go_on(&random, m, at);
        lives_go_on(&random, m, start + hours * HOUR);
        m->life->of[SUMS_PRICED] = m->life->of[SUMS_PAID] = m->life->of[SUMS_PAID_PRODUCTIVE];
        m->life->of[SUMS_COST] = 1 + lives_below(&random, 3000);
        m->life->of[SUMS_FAILURES] = 1 + lives_below(&random, 9);
        slice_copy(m->currency, sizeof m->currency, SLICE("USD"));
        struct roll_member rm = {m, "all", true, false};
        roll_init(&r, &fortnight);
        lives_roll(&r, &rm, 1, m->through_ms, o);
        struct sums none = {0}, whole = {0};
        struct sums_change slow;
        sums_change_make(&slow, m->life, &none, m->weight);
        for (size_t i = 0; i < r.slot_count; i++) {
            struct sums hour = {0}, *of = slots_sums(&r.slots[i], 0);
            int64_t until = r.slots[i].until_ms < m->through_ms ? r.slots[i].until_ms : m->through_ms;
            bool is_last = i + 1 == r.slot_count;
            sums_change_place(&slow, is_last ? 1 : (double)(until - start) / (double)(m->through_ms - start), &hour);
            check_partition(of);
            for (int v = 0; v < SUMS_COUNT; v++) {
                int64_t unit = m->weight.chips > m->weight.slots ? m->weight.chips : m->weight.slots;
                CHECK(llabs(of->of[v] - hour.of[v]) <= (is_last ? hours + 2 : 2) * unit);
            }
            CHECK(of->of[SUMS_FAILURES] <= m->life->of[SUMS_FAILURES] / hours + 1);
            sums_add(&whole, of);
        }
        CHECK_INT(whole.of[SUMS_WALL], (m->through_ms - start) * m->weight.chips);
        CHECK_INT(whole.of[SUMS_COST], m->life->of[SUMS_COST]);
        CHECK_INT(whole.of[SUMS_FAILURES], m->life->of[SUMS_FAILURES]);
        member_free(m);
        free(o);
        roll_done(&r);
    }
}
