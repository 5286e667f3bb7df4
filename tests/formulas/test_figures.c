/* What changes to a job make of its figures: worked by hand. */
#include "formulas/figures.h"
#include "harness.h"
#include "ledger/evaluate.h"

#include <math.h>

static struct figures example(void) {
    struct figures f = figures_unknown();
    f.interval_s = 1800;
    f.save_s = 30;
    f.reschedule_s = 3400;
    f.resume_s = 600;
    f.image_pull_s = 290;
    f.compile_s = 100;
    f.mtbf = (struct forecast_mtbf){.mean_s = 86400};
    return f;
}

static bool is_near(double a, double b) {
    return fabs(a - b) < 1e-9 * fabs(b);
}

TEST(unknown_stays_unknown) {
    struct figures f = figures_unknown();
    struct figures_change all = {10, true, 2, 60, 86400};
    figures_apply(&f, &all);
    CHECK(isnan(f.resume_s) && isnan(f.reschedule_s) && isnan(figures_expect(&f, 600).job));
    f = example();
    f.image_pull_s = NAN;
    figures_apply(&f, &(struct figures_change){.image_pull_s = 10});
    CHECK(isnan(f.resume_s));
}

TEST(a_faster_pull_and_a_cache_shorten_the_resume) {
    struct figures f = example();
    figures_apply(&f, &(struct figures_change){.image_pull_s = 10});
    CHECK(is_near(f.resume_s, 600 - 280) && is_near(f.image_pull_s, 10));
    figures_apply(&f, &(struct figures_change){.caches_compile = true});
    CHECK(is_near(f.resume_s, 220));
    CHECK(is_near(f.reschedule_s, 3400));
}

/* One failure a day with repairs of a day: one away on average. Two spares: free unless two or more are away. */
TEST(spares_shorten_the_reschedule) {
    struct figures f = example();
    figures_apply(&f, &(struct figures_change){.spares = 2, .swap_s = 100, .repair_s = 86400});
    double free = exp(-1.0) * 2;
    CHECK(is_near(f.reschedule_s, free * 100 + (1 - free) * 3400));
}

/* 10 saves of 2 s in 1,000 s; of those whose lines say when, on average 7 s until durable. */
TEST(the_persist_lag_is_that_of_the_saves_with_durable_lines) {
    struct ledger_bucket saves = {.bucket = BUCKET_CHECKPOINT_SAVE, .ms = 20000, .count = 10};
    struct ledger_result r = {
        .has_steps = true, .productive_ms = 1000000, .buckets = &saves, .bucket_count = 1, .durable_saves = 5};
    r.durable_ms = 5 * 7000;
    CHECK(is_near(figures_measure(&r).persist_lag_s, 5));
    r.durable_ms = 5 * 1000; /* sooner than the mean save blocks */
    CHECK(figures_measure(&r).persist_lag_s == 0);
    r.durable_saves = 4; /* of less than half of them (torchtitan: only the last says so) */
    CHECK(isnan(figures_measure(&r).persist_lag_s));
    struct figures f = example();
    CHECK(isnan(f.persist_lag_s) && is_near(figures_forecast(&f, 1800, false).persist_lag_s + 1, 1));
}

TEST(job_goodput_counts_rescheduling_too) {
    struct figures f = example();
    struct figures_goodput g = figures_expect(&f, 1800);
    struct forecast job = {1800, 30, 4000, 0, 86400}, runtime = {1800, 30, 600, 0, 86400};
    CHECK(is_near(g.job, forecast_exact(&job)) && is_near(g.runtime, forecast_exact(&runtime)) && g.job < g.runtime);
}
