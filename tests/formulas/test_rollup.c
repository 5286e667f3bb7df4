/* Many jobs as one: published sums, the parts that add up, and how long 10,000
 * jobs take. */
#include "formulas/rollup.h"
#include "harness.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOUR INT64_C(3600000)

/* 100 chips for 10 hours: 90 % available, 90 % of that with work, 70 % of that
 * productive... as one job of three stages: 0.9 x 0.9 x 0.7 = 0.567 (100
 * chip-hours -> 90 -> 81 -> 56.7). */
TEST(stages_multiply) {
    struct rollup_bucket lost[] = {{.name = "QueueWait", .ms = HOUR, .chip_s = 0},
                                   {.name = "ImagePull", .ms = 9 * HOUR / 10, .chip_s = 9 * 360}};
    struct rollup_job job = {.name = "a",
                             .group = "",
                             .wall_ms = 10 * HOUR,
                             .available_ms = 9 * HOUR,
                             .productive_ms = 81 * HOUR / 10,
                             .program_ppm = 700000,
                             .chips = 10,
                             .nodes = 1,
                             .failures = 3,
                             .buckets = lost,
                             .bucket_count = 2};
    struct rollup f;
    rollup_make(&job, 1, 0, 100 * HOUR, &f);
    struct rollup_scores s = rollup_scores_of(&f.all);
    CHECK_INT(f.all.wall, 100 * HOUR);
    CHECK_INT(f.all.available, 90 * HOUR);
    CHECK_INT(f.all.productive, 81 * HOUR);
    CHECK_INT(s.scheduling, 900000);
    CHECK_INT(s.runtime, 900000);
    CHECK_INT(s.job, 810000);
    CHECK_INT(s.program, 700000);
    CHECK_INT(s.productivity, 567000);
    CHECK(fabs(rollup_failures_per_1000_node_days(&f.all) - 3 / (9 / 24.0) * 1000) < 1e-6);
    CHECK_INT((int64_t)f.all.bucket_count, 2);
    CHECK_TEXT(f.all.buckets[0].name, "QueueWait");
    CHECK_TEXT(f.all.buckets[0].worst, "a");
    rollup_done(&f);
}

/* Ratios are never averaged: a job of 1 chip at 100 % and one of 99 chips at 0
 * % are 1 %. */
TEST(chips_weigh) {
    struct rollup_job jobs[] = {{.name = "a",
                                 .group = "x",
                                 .wall_ms = HOUR,
                                 .available_ms = HOUR,
                                 .productive_ms = HOUR,
                                 .program_ppm = -1,
                                 .chips = 1},
                                {.name = "b",
                                 .group = "y",
                                 .wall_ms = HOUR,
                                 .available_ms = HOUR,
                                 .productive_ms = 0,
                                 .program_ppm = -1,
                                 .chips = 99},
                                {.name = "c",
                                 .group = "y",
                                 .wall_ms = HOUR,
                                 .available_ms = 0,
                                 .productive_ms = -1,
                                 .program_ppm = -1,
                                 .chips = 100}};
    struct rollup f;
    rollup_make(jobs, 3, 0, HOUR, &f);
    struct rollup_scores s = rollup_scores_of(&f.all);
    CHECK_INT(s.runtime, 10000);
    CHECK_INT(s.scheduling, 500000);
    CHECK_INT(s.program, -1);
    CHECK_INT(s.productivity, -1);
    CHECK_INT(f.all.without_steps, 1);
    CHECK_INT((int64_t)f.group_count, 2);
    CHECK_TEXT(f.groups[0].group, "y"); /* lost the most */
    rollup_done(&f);
    rollup_make(jobs, 0, 0, HOUR, &f);
    CHECK_INT(rollup_scores_of(&f.all).scheduling, -1); /* nothing is not 0 % */
    CHECK(rollup_failures_per_1000_node_days(&f.all) < 0);
    rollup_done(&f);
}

/* 64 nodes of 8 chips at $90.22 per node-hour (list price, August 2026). */
TEST(cost_of_a_cluster) {
    double price = 90.22 / 8, chips = 64 * 8;
    CHECK(fabs(rollup_cost(chips * 3600, price) - 5774.08) < 0.005);
    CHECK(fabs(rollup_cost(chips * 3600 * 24 * 30, price) - 4157337.60) < 0.005);
    CHECK(fabs(rollup_cost(chips * 3600 * 24 * 30 / 100, price) - 41573) < 0.5); /* a percentage point */
}

#define MOST_JOBS 10000
static struct rollup_job jobs[MOST_JOBS];
static struct rollup_bucket buckets[MOST_JOBS][12];
static char names[MOST_JOBS][40];

static void make_jobs(size_t count, unsigned *seed) {
    static const char *const kinds[] = {"QueueWait",         "Binding",        "Provisioning",   "Rescheduling",
                                        "ImagePull",         "Hang",           "ProgramStartup", "CheckpointSave",
                                        "CheckpointRestore", "WastedProgress", "Stall",          "Shutdown"};
    static const char *const groups[] = {"research", "production", "spot", "batch", ""};
    for (size_t i = 0; i < count; i++) {
        int64_t sum = 0;
        for (size_t b = 0; b < 12; b++) {
            buckets[i][b] = (struct rollup_bucket){.name = kinds[b], .ms = rand_r(seed) % 1000000};
            sum += buckets[i][b].ms;
        }
        snprintf(names[i], sizeof names[i], "ns/job-%05zu", i);
        int64_t productive = rand_r(seed) % 100000000;
        jobs[i] = (struct rollup_job){.name = names[i],
                                      .group = groups[rand_r(seed) % 5],
                                      .start_ms = rand_r(seed) % 100000000,
                                      .wall_ms = sum + productive,
                                      .available_ms = productive,
                                      .productive_ms = productive,
                                      .program_ppm = 400000,
                                      .chips = 1 + rand_r(seed) % 4096,
                                      .nodes = 1,
                                      .buckets = buckets[i],
                                      .bucket_count = 12};
    }
}

static int64_t accounted(const struct rollup_sum *s) {
    int64_t sum = s->productive;
    for (size_t b = 0; b < s->bucket_count; b++)
        sum += s->buckets[b].chip_ms;
    return sum;
}

/* Whatever the window: buckets and productive time add up to the wall time,
 * groups to the whole, windows that tile time to all of it within a rounding
 * each, and the order of jobs changes nothing. */
TEST(the_parts_add_up) {
    unsigned seed = (unsigned)clock_mono().us;
    printf("rollup: ROLLUP_SEED=%u\n", seed);
    for (int round = 0; round < 50; round++) {
        struct rollup whole, again, halves[2];
        size_t count = 1 + (size_t)rand_r(&seed) % 40;
        make_jobs(count, &seed);
        int64_t middle = rand_r(&seed) % 150000000, all = 0, chips = 0;
        rollup_make(jobs, count, 0, INT64_MAX, &whole);
        rollup_make(jobs, count, 0, middle, &halves[0]);
        rollup_make(jobs, count, middle, INT64_MAX, &halves[1]);
        for (int k = 0; k < 2; k++)
            CHECK_INT(accounted(&halves[k].all), halves[k].all.wall);
        CHECK_INT(accounted(&whole.all), whole.all.wall);
        for (size_t g = 0; g < whole.group_count; g++) {
            CHECK_INT(accounted(&whole.groups[g]), whole.groups[g].wall);
            all += whole.groups[g].wall;
        }
        for (size_t i = 0; i < count; i++)
            chips += jobs[i].chips;
        CHECK_INT(all, whole.all.wall);
        CHECK(llabs(halves[0].all.productive + halves[1].all.productive - whole.all.productive) <= 2 * chips);
        CHECK_INT(halves[0].all.wall + halves[1].all.wall, whole.all.wall);
        for (size_t i = 0; i < count / 2; i++) {
            struct rollup_job swapped = jobs[i];
            jobs[i] = jobs[count - 1 - i];
            jobs[count - 1 - i] = swapped;
        }
        rollup_make(jobs, count, 0, INT64_MAX, &again);
        CHECK(memcmp(&again.all, &whole.all, offsetof(struct rollup_sum, buckets)) == 0);
        for (size_t b = 0; b < whole.all.bucket_count; b++)
            CHECK(strcmp(again.all.buckets[b].worst, whole.all.buckets[b].worst) == 0);
        struct rollup *done[] = {&whole, &again, &halves[0], &halves[1]};
        for (size_t i = 0; i < 4; i++)
            rollup_done(done[i]);
    }
}

/* A figure, not a test of speed: DESIGN.md asks for 100 ms. */
TEST(ten_thousand_jobs) {
    unsigned seed = 1;
    struct rollup f;
    make_jobs(MOST_JOBS, &seed);
    int64_t began_us = clock_mono().us;
    rollup_make(jobs, MOST_JOBS, 20000000, 80000000, &f);
    printf("rollup: %d jobs rolled up in %.1f ms\n", MOST_JOBS, (double)(clock_mono().us - began_us) / 1e3);
    CHECK_INT(accounted(&f.all), f.all.wall);
    CHECK_INT((int64_t)f.group_count, 5);
    rollup_done(&f);
}
