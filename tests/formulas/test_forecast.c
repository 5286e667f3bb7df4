/* Every published number of the forecast's formulas, an identity of each, and a simulation of the model itself. */
#include "formulas/forecast.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>

#define MINUTE 60.0
#define HOUR 3600.0
#define DAY 86400.0

#define CHECK_NEAR(actual, expected, within)                                                                           \
    do {                                                                                                               \
        double a_ = (actual), e_ = (expected);                                                                         \
        if (!(fabs(a_ - e_) <= (within)))                                                                              \
            harness_fail(__FILE__, __LINE__, "%s is %.9g, expected %.9g", #actual, a_, e_);                            \
    } while (0)

/* Daly 2006, figures 3 to 5 (captions: 117, 57, 9.1 minutes): w = 5, u = 10 minutes. */
TEST(optimum_of_daly_2006) {
    static const struct {
        double mtbf, daly, exact, young, goodput;
    } rows[] = {
        {24 * 60, 116.69, 116.69, 120, 0.9126}, {6 * 60, 56.71, 56.71, 60, 0.8194}, {15, 9.141, 9.167, 12.25, 0.1997}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double m = rows[i].mtbf * MINUTE;
        CHECK_NEAR(forecast_daly_s(5 * MINUTE, m) / MINUTE, rows[i].daly, 0.005);
        CHECK_NEAR(forecast_optimum_s(5 * MINUTE, m) / MINUTE, rows[i].exact, 0.005);
        CHECK_NEAR(forecast_young_s(5 * MINUTE, m) / MINUTE, rows[i].young, 0.005);
        struct forecast f = {forecast_optimum_s(5 * MINUTE, m), 5 * MINUTE, 10 * MINUTE, 0, m};
        CHECK_NEAR(forecast_exact(&f), rows[i].goodput, 0.00005);
    }
    struct forecast f = {forecast_daly_s(5 * MINUTE, 15 * MINUTE), 5 * MINUTE, 10 * MINUTE, 0, 15 * MINUTE};
    CHECK_NEAR(forecast_first_order(&f), 0.0185, 0.00005);
    CHECK(!forecast_is_first_order_valid(&f));
    CHECK_NEAR(forecast_daly_s(10, 5), 5, 0); /* w >= 2M */
}

TEST(exact_and_first_order) {
    struct forecast a = {60 * MINUTE, 5 * MINUTE, 10 * MINUTE, 0, 360 * MINUTE};
    struct forecast b = {30 * MINUTE, 1 * MINUTE, 10 * MINUTE, 0, 186 * MINUTE};
    CHECK_NEAR(forecast_exact(&a), 0.8192, 0.00005);
    CHECK_NEAR(forecast_first_order(&a), 0.8205, 0.00005);
    CHECK_NEAR(forecast_exact(&b), 0.8428, 0.00005);
    CHECK_NEAR(forecast_first_order(&b), 0.8377, 0.00005);
}

/* arXiv 2410.21680: expected ETTR of 12,000 GPUs, 8 a node. */
TEST(expected_ettr_of_meta) {
    static const struct {
        double rate, save_s, interval_min, recover_min, first, exact;
    } rows[] = {
        {6.5e-3, 10, 7.0165, 5, 0.9205, 0.9215},  {6.5e-3, 10, 7.0165, 10, 0.8875, 0.8908},
        {6.5e-3, 10, 7.0165, 20, 0.8213, 0.8325}, {6.5e-3, 300, 38.43, 5, 0.7398, 0.7358},
        {6.5e-3, 300, 38.43, 10, 0.7098, 0.7113}, {6.5e-3, 300, 38.43, 20, 0.6499, 0.6647},
        {1e-3, 300, 97.98, 5, 0.8979, 0.8966},    {1e-3, 300, 97.98, 10, 0.8930, 0.8920},
        {1e-3, 300, 97.98, 20, 0.8831, 0.8827},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double m = DAY / (1500 * rows[i].rate), young = forecast_young_s(rows[i].save_s, m);
        CHECK_NEAR(young / MINUTE, rows[i].interval_min, 0.005);
        struct forecast f = {young, rows[i].save_s, rows[i].recover_min * MINUTE, 0, m};
        CHECK_NEAR(forecast_first_order(&f), rows[i].first, 0.00006);
        CHECK_NEAR(forecast_exact(&f), rows[i].exact, 0.00006);
    }
}

/* arXiv 2407.21783 (Llama 3): 54 days on 16,384 GPUs, 419 unplanned of 466 interruptions. */
TEST(interruptions_of_llama_3) {
    struct forecast_mtbf unplanned = forecast_mtbf(419, 54 * DAY), all = forecast_mtbf(466, 54 * DAY);
    CHECK_NEAR(unplanned.mean_s / HOUR, 3.093, 0.0005);
    CHECK_NEAR(all.mean_s / HOUR, 2.781, 0.0005);
    CHECK_NEAR(DAY / unplanned.mean_s / 2048 * 1000, 3.789, 0.0005);
    struct forecast f = {forecast_young_s(10, unplanned.mean_s), 10, 10 * MINUTE, 0, unplanned.mean_s};
    CHECK_NEAR(f.interval_s / MINUTE, 7.865, 0.0005);
    CHECK_NEAR(forecast_first_order(&f), 0.9057, 0.00005);
    CHECK_NEAR(forecast_exact(&f), 0.9079, 0.00005);
    static const int table_5[] = {148, 72, 54, 35, 32, 19, 17, 7, 7, 6, 6, 3, 3, 2, 2, 2, 2, 2};
    int sum = 0;
    for (size_t i = 0; i < sizeof table_5 / sizeof *table_5; i++)
        sum += table_5[i];
    CHECK_INT(sum, 419);
    CHECK_NEAR(148.0 / sum, 0.353, 0.0005); /* the paper prints 30.1 % */
}

/* NVIDIA/cluster-readiness-engine's test data with one interruption: goodput of what was measured, not a forecast. */
TEST(one_interruption_of_cluster_readiness_engine) {
    double w = 14400, tch = 900, tre = 150, trm = 70, save = 45;
    double rg = (w - tch - trm - tre - save) / (w - tre), sg = (w - tre) / w;
    CHECK_NEAR(rg, 0.928772, 5e-7);
    CHECK_NEAR(sg * rg, 0.919097, 5e-7);
}

/* Tables of the chi-square distribution: quantiles .05 and .95. */
TEST(chi_square_quantiles) {
    CHECK_NEAR(forecast_chi_square_even(0.95, 1), 5.9915, 0.00005);
    CHECK_NEAR(forecast_chi_square_even(0.05, 1), 0.1026, 0.00005);
    CHECK_NEAR(forecast_chi_square_even(0.95, 5), 18.3070, 0.00005);
    CHECK_NEAR(forecast_chi_square_even(0.05, 50), 77.9295, 0.00005);
    struct forecast_mtbf none = forecast_mtbf(0, 100 * HOUR), two = forecast_mtbf(2, 100 * HOUR);
    CHECK(isnan(none.mean_s) && isinf(none.high_s));
    CHECK(isnan(two.mean_s) && two.low_s < two.high_s && !isinf(two.high_s)); /* no prior takes its place */
    CHECK_NEAR(none.low_s / HOUR, 100 / 2.9957, 0.001);
    struct forecast_mtbf three = forecast_mtbf(3, 300 * HOUR);
    CHECK(three.low_s < three.mean_s && three.mean_s < three.high_s);
}

/* The optimum is Lambert's: with z = I/M it solves 1 - z = e^(-z - w/M), for saves from a millionth of M to ten M. */
TEST(optimum_solves_its_equation) {
    for (double d = 1e-12; d < 11; d *= 3) {
        double z = forecast_optimum_s(d * 1e4, 1e4) / 1e4;
        CHECK_NEAR(-expm1(-z - d) / z, 1, 1e-12);
        CHECK(z <= sqrt(2 * d) && z < 1);
    }
    CHECK_NEAR(forecast_optimum_s(0, 100), 0, 0);
}

TEST(nothing_beats_the_optimum) {
    struct forecast f = {0, 30, 400, 20, 4 * HOUR};
    f.interval_s = forecast_optimum_s(f.save_s, f.mtbf_s);
    double best = forecast_exact(&f), low, high;
    forecast_flat_zone(&f, 0.1, &low, &high);
    CHECK(low < f.interval_s && f.interval_s < high);
    f.interval_s = low;
    CHECK_NEAR(best - forecast_exact(&f), 0.001, 1e-9);
    f.interval_s = high;
    CHECK_NEAR(best - forecast_exact(&f), 0.001, 1e-9);
    for (double i = 10; i < 1e5; i *= 1.1) {
        f.interval_s = i;
        CHECK(forecast_exact(&f) <= best + 1e-15);
    }
    f.mtbf_s = INFINITY;
    f.interval_s = 300;
    CHECK_NEAR(forecast_exact(&f), 300.0 / 330, 1e-12);
}

/* A save that takes long to be durable: the next one does not begin before (facts: I >= P). */
TEST(the_best_interval_is_not_below_the_persist_lag) {
    struct forecast f = {0, 10, 600, 0, 3 * HOUR};
    double optimum = forecast_optimum_s(10, 3 * HOUR), low, high;
    CHECK_NEAR(forecast_best_s(&f), optimum, 0);
    f.persist_lag_s = optimum / 2;
    CHECK_NEAR(forecast_best_s(&f), optimum, 0);
    forecast_flat_zone(&f, 10, &low, &high);
    CHECK_NEAR(low, optimum / 2, 1e-6);
    f.persist_lag_s = 3 * optimum;
    CHECK_NEAR(forecast_best_s(&f), 3 * optimum, 0);
    forecast_flat_zone(&f, 0.1, &low, &high);
    CHECK(low == 3 * optimum && high > low);
}

static double exponential(unsigned short state[3], double mean) {
    return -mean * log1p(-erand48(state));
}

/* One job of `segments` segments, as the model says: failures at any moment, the work since the last save done again.
 */
static double simulated(const struct forecast *f, int segments, unsigned short state[3]) {
    double now = 0, next = exponential(state, f->mtbf_s);
    for (int i = 0; i < segments; i++) {
        double need = f->interval_s + f->save_s, recover = 0;
        while (now + recover + need > next) {
            now = next;
            next = now + exponential(state, f->mtbf_s);
            recover = f->recover_s + f->persist_lag_s;
        }
        now += recover + need;
    }
    return now;
}

/* The exact forecast and the moments of the time to finish against 4,000 simulated jobs: within four standard errors.
 */
TEST(simulation_agrees) {
    static const struct forecast rows[] = {
        {60 * MINUTE, 5 * MINUTE, 10 * MINUTE, 0, 360 * MINUTE},
        {30 * MINUTE, MINUTE, 10 * MINUTE, 0, 186 * MINUTE},
        {9 * MINUTE, 5 * MINUTE, 10 * MINUTE, 0, 15 * MINUTE},
        {20 * MINUTE, 10, 5 * MINUTE, 3 * MINUTE, 120 * MINUTE},
    };
    enum { JOBS = 4000, SEGMENTS = 20 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned short state[3] = {2026, 11, (unsigned short)i};
        double sum = 0, squares = 0, mean, deviation, work = (double)SEGMENTS * rows[i].interval_s;
        for (int k = 0; k < JOBS; k++) {
            double t = simulated(&rows[i], SEGMENTS, state);
            sum += t;
            squares += t * t;
        }
        forecast_finish(&rows[i], work, &mean, &deviation);
        CHECK_NEAR(mean, work / forecast_exact(&rows[i]), 1e-6 * mean); /* two ways to the same mean */
        double jobs = JOBS, average = sum / jobs;
        CHECK_NEAR(average, mean, 4 * deviation / sqrt(jobs));
        double seen = sqrt(squares / jobs - average * average);
        CHECK_NEAR(seen / deviation, 1, 0.08);
    }
}
