#include "formulas/difference.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_BLOCKS = 3, MIN_CORRELATED = 8, MIN_FREEDOM = 3, MAX_TERMS = 1000 };

/* ---- the t distribution ---- */

/* The continued fraction of the incomplete beta function, by Lentz's method; converges for x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), f;
    d = 1 / (fabs(d) < tiny ? tiny : d);
    f = d;
    for (int m = 1; m < MAX_TERMS; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double before = f;
        for (int i = 0; i < 2; i++) {
            double term = i == 0 ? even : odd;
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            f *= d * c;
        }
        if (fabs(f - before) < 1e-14 * fabs(f))
            break;
    }
    return f;
}

/* I_x(a, b) */
static double beta_incomplete(double a, double b, double x) {
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double difference_student(double chance, double freedom) {
    double low = 0, high = 1;
    while (high < 1e9 && beta_incomplete(freedom / 2, 0.5, freedom / (freedom + high * high)) > chance)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (beta_incomplete(freedom / 2, 0.5, freedom / (freedom + middle * middle)) > chance)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- estimates ---- */

/* How many independent ones the residuals, in time order, are worth. */
static double independent(const double *residuals, size_t count) {
    double products = 0, squares = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        squares += residuals[i] * residuals[i];
        products += i > 0 ? residuals[i] * residuals[i - 1] : 0;
    }
    if (count < MIN_CORRELATED || squares <= 0)
        return n;
    double r = fmin(fmax((n * products / squares + 1) / (n - 4), 0), 0.99);
    return fmax(n * (1 - r) / (1 + r), 1);
}

/* A block may have a sum without a size: losses before the first step. */
static bool is_used(const struct difference_block *b) {
    return b->size > 0 || b->sum != 0;
}

struct difference_estimate difference_estimate(const struct difference_block *blocks, size_t count) {
    struct difference_estimate e = {0};
    CLEANUP_FREE double *residuals = mem_alloc((count + 1) * sizeof *residuals);
    double sum = 0, size = 0, squares = 0;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        sum += blocks[i].sum;
        size += fmax(blocks[i].size, 0);
    }
    if (size <= 0)
        return e;
    e.value = sum / size;
    for (size_t i = 0; i < count; i++)
        if (is_used(&blocks[i])) {
            residuals[used] = blocks[i].sum - e.value * fmax(blocks[i].size, 0);
            squares += residuals[used] * residuals[used];
            used++;
        }
    if (used < MIN_BLOCKS)
        return e;
    double k = (double)used, worth = independent(residuals, used);
    e.freedom = fmax(worth - 1, fmin(k - 1, MIN_FREEDOM));
    e.error = sqrt(k / (k - 1) * squares * k / worth) / size;
    e.has_spread = true;
    return e;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double difference_median(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

struct difference_estimate difference_trimmed(const double *values, size_t count) {
    struct difference_estimate e = {0};
    CLEANUP_FREE double *sorted = mem_alloc((count + 1) * sizeof *sorted);
    CLEANUP_FREE double *residuals = mem_alloc((count + 1) * sizeof *residuals);
    size_t cut = count / 4, kept = count - 2 * cut;
    double squares = 0, winsorized = 0, k = (double)count, h = (double)kept;
    if (count < MIN_CORRELATED)
        return e;
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    for (size_t i = cut; i < count - cut; i++)
        e.value += sorted[i] / h;
    for (size_t i = 0; i < count; i++) {
        residuals[i] = fmin(fmax(values[i], sorted[cut]), sorted[count - cut - 1]);
        winsorized += residuals[i] / k;
    }
    for (size_t i = 0; i < count; i++) {
        residuals[i] -= winsorized;
        squares += residuals[i] * residuals[i];
    }
    e.freedom = h - 1;
    e.error = sqrt(squares / (h * (h - 1)) * k / independent(residuals, count));
    e.has_spread = true;
    return e;
}

void difference_widen(struct difference_estimate *e, double occurrences, double min_value) {
    e->error = fmax(e->error, occurrences > 0 ? fabs(e->value) / sqrt(occurrences) : min_value);
}

struct difference_interval difference_around(const struct difference_estimate *e, double chance) {
    double half = difference_student(chance, e->freedom) * e->error;
    return (struct difference_interval){e->value - half, e->value + half};
}

struct difference_interval difference_between(const struct difference_estimate *a, const struct difference_estimate *b,
                                              double chance) {
    double va = a->error * a->error, vb = b->error * b->error, d = b->value - a->value;
    if (va + vb <= 0)
        return (struct difference_interval){d, d};
    double freedom = (va + vb) * (va + vb) / (va * va / a->freedom + vb * vb / b->freedom);
    double half = difference_student(chance, freedom) * sqrt(va + vb);
    return (struct difference_interval){d - half, d + half};
}
