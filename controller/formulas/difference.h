/* difference: whether two measured ratios differ by more than chance. One rule, for every row of a comparison:
 *
 *   A job is cut into blocks, in time order. A row is a sum over all blocks divided by a size over all blocks. The
 * spread of the blocks gives the standard error. Where neighboring blocks are alike, there are fewer independent ones.
 * Two rows differ if 0 is outside the interval of their difference. The interval's chance of error is that of the whole
 *   comparison, divided by the number of rows.
 *
 * It assumes no distribution of a step's time: a block sums many of them. tests/formulas/test_compare.c holds how often
 * it is wrong. */
#ifndef FORMULAS_DIFFERENCE_H
#define FORMULAS_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#define DIFFERENCE_BLOCKS 32
#define DIFFERENCE_CHANCE 0.01 /* that any row of a comparison of equals is called different */

struct difference_block {
    double sum, size; /* such as milliseconds, and steps */
};

struct difference_estimate {
    double value;    /* sum over all blocks / size over all blocks */
    double error;    /* its standard error */
    double freedom;  /* degrees of freedom of that */
    bool has_spread; /* else only the value is known */
};

struct difference_interval {
    double low, high;
};

/* R = sum(y) / sum(x), with the variance of a ratio of sums: k / (k - 1) * sum((y - R x)^2) / sum(x)^2 (Cochran,
 * Sampling Techniques, 1977, 6.3). The blocks are batch means (Schmeiser, Operations Research 30, 1982, 556-568). Their
 * residuals' lag-1 correlation r, less its bias (Marriott and Pope, Biometrika 41, 1954), leaves k (1 - r) / (1 + r)
 * independent ones (Bayley and Hammersley 1946, of an AR(1)), at least one. At least 3 degrees of freedom. At least 3
 * blocks with a size; else has_spread is false. */
struct difference_estimate difference_estimate(const struct difference_block *blocks, size_t count);

/* Of at least one value; sorts them. */
double difference_median(double *values, size_t count);
/* The mean of the middle half of values in time order, which a slow patch does not move: Yuen's trimmed mean with the
 * variance of the winsorized values (Biometrika 61, 1974, 165-170), a quarter cut from each end; and the same
 * correction for values alike. At least 8 values. */
struct difference_estimate difference_trimmed(const double *values, size_t count);

/* What occurs by itself (an interruption, a span of a bucket) has a relative error of 1 / sqrt(occurrences) at least,
 * as a Poisson count. min_value: the value of one occurrence, for none; 0: not known. */
void difference_widen(struct difference_estimate *e, double occurrences, double min_value);

/* Two-sided: |T| exceeds it with this chance. By the incomplete beta function: DLMF 8.17.22, Abramowitz and Stegun
 * 26.7.1. */
double difference_student(double chance, double freedom);

struct difference_interval difference_around(const struct difference_estimate *e, double chance);
/* Of b - a, with Welch's degrees of freedom (Biometrika 34, 1947, 28-35). */
struct difference_interval difference_between(const struct difference_estimate *a, const struct difference_estimate *b,
                                              double chance);

#endif
