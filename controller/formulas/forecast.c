#include "formulas/forecast.h"

#include <math.h>

double forecast_exact(const struct forecast *f) {
    if (!(f->interval_s > 0) || !(f->mtbf_s > 0))
        return NAN;
    if (isinf(f->mtbf_s))
        return f->interval_s / (f->interval_s + f->save_s);
    double segment = (f->interval_s + f->save_s) / f->mtbf_s;
    return f->interval_s / f->mtbf_s * exp(-(f->recover_s + f->persist_lag_s) / f->mtbf_s) / expm1(segment);
}

double forecast_first_order(const struct forecast *f) {
    if (!(f->interval_s > 0) || !(f->mtbf_s > 0))
        return NAN;
    double lost = (f->recover_s + f->interval_s / 2 + f->persist_lag_s) / f->mtbf_s;
    return (1 - lost) / (1 + f->save_s / f->interval_s);
}

bool forecast_is_first_order_valid(const struct forecast *f) {
    return f->recover_s + f->persist_lag_s + f->interval_s <= 0.2 * f->mtbf_s;
}

double forecast_young_s(double save_s, double mtbf_s) {
    return sqrt(2 * save_s * mtbf_s);
}

double forecast_daly_s(double save_s, double mtbf_s) {
    if (save_s >= 2 * mtbf_s)
        return mtbf_s;
    double half = save_s / (2 * mtbf_s);
    return forecast_young_s(save_s, mtbf_s) * (1 + sqrt(half) / 3 + half / 9) - save_s;
}

/* With z = I/M and d = w/M the optimum is where 1 - z = e^(-z-d), which is Lambert's W without its loss of digits near
 * the branch point. The left less the right is concave and falls, so Newton from the right of the root only descends.
 */
double forecast_optimum_s(double save_s, double mtbf_s) {
    double d = save_s / mtbf_s, z = fmin(1, sqrt(2 * d));
    for (int i = 0; i < 100 && z > 0; i++) {
        double left = -expm1(-z - d), step = (left - z) / -left;
        z -= step;
        if (fabs(step) <= 1e-15 * z)
            break;
    }
    return z * mtbf_s;
}

double forecast_best_s(const struct forecast *f) {
    return fmax(forecast_optimum_s(f->save_s, f->mtbf_s), f->persist_lag_s);
}

/* Where the goodput crosses `least` between two intervals, of which the first is on the wrong side of it. */
static double crossing(struct forecast f, double outside_s, double inside_s, double min) {
    for (int i = 0; i < 100; i++) {
        f.interval_s = (outside_s + inside_s) / 2;
        if (forecast_exact(&f) < min)
            outside_s = f.interval_s;
        else
            inside_s = f.interval_s;
    }
    return inside_s;
}

void forecast_flat_zone(const struct forecast *f, double points, double *low_s, double *high_s) {
    struct forecast at = *f;
    double best_s = forecast_best_s(f);
    at.interval_s = best_s;
    double min = forecast_exact(&at) - points / 100, far = best_s;
    *low_s = fmin(best_s, fmax(crossing(at, 0, best_s, min), f->persist_lag_s));
    do {
        far *= 2;
        at.interval_s = far;
    } while (forecast_exact(&at) >= min && far < 1e12);
    *high_s = crossing(at, far, best_s, min);
}

/* The work is done in segments of I + w, each tried until it survives; after a failure a try begins with the recovery,
 * during which it may fail as well. A segment's time has these two moments (its mean is Daly's equation 13). */
void forecast_finish(const struct forecast *f, double work_s, double *mean_s, double *deviation_s) {
    double segments = work_s / f->interval_s, s = f->interval_s + f->save_s, u = f->recover_s + f->persist_lag_s;
    if (isinf(f->mtbf_s)) {
        *mean_s = segments * s;
        *deviation_s = 0;
        return;
    }
    double m = f->mtbf_s, lasts = exp(-s / m), again = (u + s) / m;
    double retry_mean = m * expm1(again);
    double retry_square = m * m * (exp(2 * again) - 1 - 2 * again * exp(again)) + retry_mean * retry_mean;
    double cut = m * (1 - lasts * (1 + s / m)); /* the mean time of tries that fail, times their chance */
    double square = 2 * m * cut + 2 * cut * retry_mean + (1 - lasts) * retry_square;
    double mean = m * exp(u / m) * expm1(s / m);
    *mean_s = segments * mean;
    *deviation_s = sqrt(fmax(0, segments * (square - mean * mean)));
}

double forecast_poisson(int64_t k, double mean) {
    if (k < 0)
        return 0;
    if (!(mean > 0))
        return 1;
    double sum = 0, term = exp((double)k * log(mean) - mean - lgamma((double)k + 1));
    if ((double)k > mean) { /* the upper tail is the short one */
        double above = term;
        for (double i = (double)k + 1; above > 1e-18; i++) {
            above *= mean / i;
            sum += above;
        }
        return 1 - sum;
    }
    for (int64_t i = k; i >= 0 && term > 1e-18 * sum; i--) {
        sum += term;
        term *= (double)i / mean;
    }
    return sum;
}

/* The chance that it stays below 2x is that of at least n events where x are expected. */
double forecast_chi_square_even(double p, int64_t n) {
    double low = 0, high = 1;
    while (1 - forecast_poisson(n - 1, high) < p)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (1 - forecast_poisson(n - 1, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return low + high;
}

struct forecast_mtbf forecast_mtbf(int64_t failures, double uptime_s) {
    struct forecast_mtbf out = {.mean_s = NAN, .high_s = INFINITY};
    out.low_s = 2 * uptime_s / forecast_chi_square_even(0.95, failures + 1);
    if (failures > 0)
        out.high_s = 2 * uptime_s / forecast_chi_square_even(0.05, failures);
    if (failures >= FORECAST_MIN_FAILURES)
        out.mean_s = uptime_s / (double)failures;
    return out;
}
