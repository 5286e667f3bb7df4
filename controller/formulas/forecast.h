/* forecast: what runtime goodput to expect from a job's own figures, and the checkpoint interval that would be best.
 * Failures come at random with a mean time between them (exponential); a save blocks training; a failure costs the
 * work since the last durable checkpoint and a time to recover. All times in seconds, all scores as fractions.
 * Symbols as in the papers: I interval (useful time between saves), w blocking save, u time to recover, M mean time
 * between failures, P persist lag (an asynchronous save is durable that much later). Pure; no state.
 *
 * Sources: Young 1974; Daly 2006 ("A higher order estimate of the optimum checkpoint interval for restart dumps",
 * equations 13, 20 and 37); Kokolis et al. 2024, arXiv 2410.21680 (E[ETTR], appendix A). */
#ifndef FORMULAS_FORECAST_H
#define FORMULAS_FORECAST_H

#include <stdbool.h>
#include <stdint.h>

struct forecast {
    double interval_s, save_s, recover_s, persist_lag_s;
    double mtbf_s; /* > 0; INFINITY: it never fails */
};

/* Runtime goodput by the exact model: failures also during saves and recoveries. I / (M e^((u+P)/M) (e^((I+w)/M) - 1)).
 * The persist lag is work done again after each failure, so it adds to u. NAN unless interval and MTBF are positive. */
double forecast_exact(const struct forecast *f);
/* The same to first order, (1 - (u + I/2 + P)/M) / (1 + w/I), as Meta writes it; may come out below 0. */
double forecast_first_order(const struct forecast *f);
/* Whether the first order can be trusted: (u + P + I)/M is at most 0.2. */
bool forecast_is_first_order_valid(const struct forecast *f);

/* The best useful time between saves: sqrt(2 w M); with Daly's two further terms (M where w >= 2M); and exactly,
 * M (1 + W0(-e^(-1 - w/M))), which does not depend on the time to recover. 0 where the save costs nothing. */
double forecast_young_s(double save_s, double mtbf_s);
double forecast_daly_s(double save_s, double mtbf_s);
double forecast_optimum_s(double save_s, double mtbf_s);
/* The best interval of these figures: the optimum, but not below the persist lag, or the next save would begin before
 * the last is durable. */
double forecast_best_s(const struct forecast *f);
/* The intervals around the best whose exact goodput is within `points` percentage points of it. */
void forecast_flat_zone(const struct forecast *f, double points, double *low_s, double *high_s);

/* Time to do `work_s` of useful work from now on: its mean and standard deviation (exact moments of the same model). */
void forecast_finish(const struct forecast *f, double work_s, double *mean_s, double *deviation_s);

/* Mean time between failures from `failures` in `uptime_s`, with its 90 % interval by chi-square,
 * [2T / X2(.95, 2k+2), 2T / X2(.05, 2k)]; high is INFINITY without a failure. Below FORECAST_MIN_FAILURES the mean is
 * not known (NAN): a rate published for other machines says nothing of this job's. */
struct forecast_mtbf {
    double mean_s, low_s, high_s;
};
#define FORECAST_MIN_FAILURES 3
struct forecast_mtbf forecast_mtbf(int64_t failures, double uptime_s);

/* Chance of at most k events of which `mean` are expected (Poisson); k < 0: 0. */
double forecast_poisson(int64_t k, double mean);
/* Quantile p of the chi-square distribution with 2n degrees of freedom, n >= 1. */
double forecast_chi_square_even(double p, int64_t n);
#endif
