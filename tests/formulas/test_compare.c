/* Comparisons: the t distribution's published quantiles, exact small cases, and how often the rule is wrong over random
 * pairs of jobs whose steps it assumes nothing about. `make bench-compare` does the same for 1,000 pairs. */
#include "base/mem.h"
#include "formulas/compare.h"
#include "formulas/pairs.h"
#include "harness.h"

#include <math.h>
#include <string.h>

/* Abramowitz and Stegun, table 26.10: percentiles of the t distribution. */
TEST(the_published_quantiles_of_student) {
    static const struct {
        double chance, freedom, quantile;
    } cases[] = {{0.10, 1, 6.314},  {0.05, 1, 12.706},   {0.05, 10, 2.228},  {0.01, 5, 4.032},
                 {0.01, 30, 2.750}, {0.002, 1, 318.309}, {0.002, 20, 3.552}, {0.002, 100, 3.174}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        CHECK(fabs(difference_student(cases[i].chance, cases[i].freedom) - cases[i].quantile) < 0.0006);
}

/* 4 blocks: R = 40 / 10; residuals -1, 1, 1, -1 and no correlation with so few. */
TEST(a_ratio_and_its_error) {
    static const struct difference_block blocks[] = {{3, 1}, {9, 2}, {13, 3}, {15, 4}};
    struct difference_estimate e = difference_estimate(blocks, 4);
    CHECK(e.has_spread && fabs(e.value - 4) < 1e-12 && fabs(e.freedom - 3) < 1e-12);
    CHECK(fabs(e.error - sqrt(4.0 / 3 * (1 + 1 + 1 + 1)) / 10) < 1e-12);
    CHECK(!difference_estimate(blocks, 2).has_spread);
    CHECK(!difference_estimate(NULL, 0).has_spread);
}

/* Blocks that follow each other alike are worth fewer. */
TEST(neighbours_alike_widen_the_error) {
    struct difference_block alike[32], mixed[32];
    for (int i = 0; i < 32; i++) {
        alike[i] = (struct difference_block){i < 16 ? 1 : 3, 1};
        mixed[i] = (struct difference_block){i % 2 ? 1 : 3, 1};
    }
    struct difference_estimate a = difference_estimate(alike, 32), m = difference_estimate(mixed, 32);
    CHECK(fabs(a.value - 2) < 1e-12 && fabs(m.value - 2) < 1e-12);
    CHECK(a.error > 4 * m.error);
}

TEST(a_trimmed_mean_leaves_slow_patches_out) {
    double values[32];
    for (int i = 0; i < 32; i++)
        values[i] = i % 5 == 0 ? 900 : 100 + i % 3;
    struct difference_estimate e = difference_trimmed(values, 32);
    CHECK(e.has_spread && e.value > 100 && e.value < 102 && e.error < 1);
    CHECK(!difference_trimmed(values, 7).has_spread);
}

TEST(one_occurrence_shows_no_difference) {
    struct difference_estimate none = {.freedom = 31, .has_spread = true}, one = {0.01, 0.0001, 31, true};
    difference_widen(&one, 1, 0);
    CHECK(fabs(one.error - 0.01) < 1e-12);
    difference_widen(&none, 0, 0.5);
    CHECK(fabs(none.error - 0.5) < 1e-12);
}

/* Goodput and all buckets are the whole; a correction moves time between them. */
TEST(shares_add_up) {
    struct compare_span spans[] = {{0, 40, 40, "Provisioning", true, 1, 1, 0},
                                   {40, 100, 60, "Productive", false, 1, 1, 6},
                                   {100, 100, -20, "Productive", false, 0, 0, 0},
                                   {100, 100, 20, "WastedProgress", false, 0, 0, 0}};
    struct compare_job job = {.spans = spans, .span_count = 4, .program = NAN};
    struct compare_table t;
    double sum = 0;
    compare_jobs(&job, &job, &t);
    for (size_t i = 0; i < t.count; i++) {
        const struct compare_row *row = &t.rows[i];
        CHECK(row->verdict == COMPARE_WITHIN_CHANCE || row->verdict == COMPARE_TOO_FEW);
        CHECK(row->a.value == row->b.value);
        if (strcmp(row->name, "job goodput") == 0)
            CHECK(fabs(row->a.value - 0.4) < 1e-9);
        if (strcmp(row->name, "step time") == 0)
            CHECK(row->a.value == 10);
        if (strcmp(row->name, "job goodput") == 0 || strcmp(row->name, "Provisioning") == 0 ||
            strcmp(row->name, "WastedProgress") == 0)
            sum += row->a.value;
    }
    CHECK(fabs(sum - 1) < 1e-9);
}

TEST(random_pairs_keep_the_promise) {
    struct pairs_tally t = pairs_run(100, 42);
    CHECK(t.rows_tested > 1500);
    CHECK(t.alarms <= 1);
    CHECK(t.found >= 95);
    CHECK_INT(t.contrary, 0);
}
