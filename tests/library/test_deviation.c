/* The ideal step time against a plain computation: the median of all times from a second on, and of their distances
 * from it, by sorting. The digits of the mean are held by the library itself (test_parity.c). */
#include "harness.h"

#include "library/deviation.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>

enum { MAX = 700 };

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double sorted_median(double *items, size_t n) {
    qsort(items, n, sizeof *items, by_value);
    return n % 2 == 1 ? items[n / 2] : (items[n / 2 - 1] + items[n / 2]) / 2;
}

static bool plain_ideal(const double *seconds, size_t count, double *ideal_s) {
    double items[MAX];
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (seconds[i] >= 1.0)
            items[n++] = seconds[i];
    if (n == 0)
        return false;
    double middle = sorted_median(items, n), sum = 0;
    for (size_t i = 0; i < n; i++)
        items[i] = fabs(items[i] - middle);
    double limit = middle + sorted_median(items, n) * 3;
    n = 0;
    for (size_t i = 0; i < count; i++)
        if (seconds[i] >= 1.0 && seconds[i] <= limit) {
            sum += seconds[i];
            n++;
        }
    *ideal_s = sum / (double)n;
    return n > 0;
}

/* Times that are alike, equal, far apart, and below a second. */
static double random_seconds(uint64_t *random, int64_t kind) {
    double tail = pow((double)random_below(random, 1000) / 1e3, 4);
    switch (kind) {
    case 0:
        return 3.0 + tail * (random_below(random, 2) ? 1e-5 : 1e-6); /* most have the first half of their bits alike */
    case 1:
        return 2.5 + (double)random_below(random, 2);
    case 2:
        return 4 * tail;
    default:
        return random_below(random, 20) == 0 ? 1e4 * (double)random_below(random, 9) : 1.0;
    }
}

TEST(the_ideal_step_time_is_that_of_sorted_times) {
    uint64_t random = random_setting("GOODPUT_SEED", 20261128);
    for (int round = 0; round < 2000; round++) {
        double seconds[MAX], ideal_s = 0, plain_s = 0;
        size_t count = (size_t)random_below(&random, round % 2 == 0 ? 12 : MAX);
        for (size_t i = 0; i < count; i++)
            seconds[i] = random_seconds(&random, round / 2 % 4);
        bool is_known = ideal_step_time(seconds, count, &ideal_s);
        CHECK_INT(is_known, plain_ideal(seconds, count, &plain_s));
        if (is_known && fabs(ideal_s - plain_s) > 1e-12 * plain_s)
            harness_fail(__FILE__, __LINE__, "round %d, %zu times: %.17g, plainly %.17g", round, count, ideal_s,
                         plain_s);
    }
}
