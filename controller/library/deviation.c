#include "library/deviation.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

void step_times_set(struct step_times *t, int64_t step, double seconds) {
    size_t i;
    if (!steps_find(&t->steps, step, &i)) {
        i = t->steps.count;
        steps_add(&t->steps, step);
        if (i == t->capacity) {
            t->capacity = t->capacity == 0 ? 8 : t->capacity * 2;
            t->seconds = mem_resize(t->seconds, t->capacity, sizeof *t->seconds);
        }
    }
    t->seconds[i] = seconds;
}

void step_times_done(struct step_times *t) {
    steps_done(&t->steps);
    free(t->seconds);
    *t = (struct step_times){0};
}

static double pairwise_sum(const double *a, size_t n) {
    if (n < 8) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++)
            sum += a[i];
        return sum;
    }
    if (n > 128) {
        size_t half = n / 2;
        half -= half % 8;
        return pairwise_sum(a, half) + pairwise_sum(a + half, n - half);
    }
    double r[8];
    size_t i = 8;
    for (size_t k = 0; k < 8; k++)
        r[k] = a[k];
    for (; i < n - n % 8; i += 8)
        for (size_t k = 0; k < 8; k++)
            r[k] += a[i + k];
    double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; i++)
        sum += a[i];
    return sum;
}

/* numpy.mean of doubles: the sum is taken pairwise (numpy/_core/src/umath/loops_utils.h.src). */
static double numpy_mean(const double *items, size_t count) {
    return pairwise_sum(items, count) / (double)count;
}

static uint64_t bits_of(double item) {
    uint64_t bits;
    memcpy(&bits, &item, sizeof bits);
    return bits;
}

/* Of items of at least 0, whose bits are ordered as they are: of each eleven bits, from the top, only those of the
 * middle one stay. */
static double median(double *items, size_t count) {
    enum { BITS = 11, VALUES = 1 << BITS };
    bool is_even = count % 2 == 0;
    size_t k = count / 2; /* of them are before it */
    double below = 0;     /* the largest of those that did not stay */
    for (int shift = 64; shift > 0;) {
        size_t counts[VALUES] = {0}, middle = 0, n = 0;
        shift = shift > BITS ? shift - BITS : 0;
        for (size_t i = 0; i < count; i++)
            counts[bits_of(items[i]) >> shift & (VALUES - 1)]++;
        while (k >= counts[middle])
            k -= counts[middle++];
        for (size_t i = 0; i < count && counts[middle] < count; i++) {
            size_t value = bits_of(items[i]) >> shift & (VALUES - 1);
            if (value == middle)
                items[n++] = items[i];
            else if (value < middle && items[i] > below)
                below = items[i];
        }
        count = counts[middle];
    }
    double lower = k > 0 ? items[0] : below;
    return is_even ? (lower + items[0]) / 2 : items[0];
}

bool ideal_step_time(const double *seconds, size_t count, double *ideal_s) {
    CLEANUP_FREE double *kept = mem_resize(NULL, count + 1, sizeof *kept);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (seconds[i] >= 1.0)
            kept[n++] = seconds[i];
    if (n == 0)
        return false;
    double middle = median(kept, n);
    n = 0;
    for (size_t i = 0; i < count; i++)
        if (seconds[i] >= 1.0)
            kept[n++] = fabs(seconds[i] - middle);
    double limit = middle + median(kept, n) * 3;
    n = 0;
    for (size_t i = 0; i < count; i++)
        if (seconds[i] >= 1.0 && seconds[i] <= limit)
            kept[n++] = seconds[i];
    if (n == 0)
        return false;
    *ideal_s = numpy_mean(kept, n);
    return true;
}

void deviation_fill(struct library_deviation *d, struct step_times *t, double ideal_s, bool is_signed) {
    d->ideal_s = ideal_s;
    d->count = t->steps.count;
    d->first_step = t->steps.first;
    d->steps = t->steps.is_range ? NULL : t->steps.items;
    d->seconds = t->seconds;
    if (!t->steps.is_range)
        t->steps.items = NULL;
    t->seconds = NULL;
    for (size_t i = 0; i < d->count; i++)
        d->seconds[i] = is_signed ? d->seconds[i] - ideal_s : fabs(d->seconds[i] - ideal_s);
    d->mean_s = d->count ? numpy_mean(d->seconds, d->count) : 0.0;
}
