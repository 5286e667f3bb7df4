#include "library/deviation.h"

#include "base/mem.h"

#include <math.h>

void step_times_set(struct step_times *t, int64_t step, double seconds) {
    size_t i;
    if (!steps_find(&t->steps, step, &i)) {
        i = t->steps.count;
        steps_add(&t->steps, step);
        if (i == t->capacity) {
            t->capacity = t->steps.capacity;
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

/* Puts the item that sorting would put at k there, no larger ones before it, no smaller ones after it (Hoare's FIND;
 * the middle one as pivot). */
static double select_item(double *items, size_t count, size_t k) {
    ptrdiff_t low = 0, high = (ptrdiff_t)count - 1, expected = (ptrdiff_t)k;
    while (low < high) {
        double pivot = items[low + (high - low) / 2];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (items[i] < pivot)
                i++;
            while (items[j] > pivot)
                j--;
            if (i <= j) {
                double item = items[i];
                items[i++] = items[j];
                items[j--] = item;
            }
        }
        if (expected <= j)
            high = j;
        else if (expected >= i)
            low = i;
        else
            break;
    }
    return items[k];
}

/* Moves items about. */
static double median(double *items, size_t count) {
    double upper = select_item(items, count, count / 2);
    if (count % 2 == 1)
        return upper;
    double lower = items[0];
    for (size_t i = 1; i < count / 2; i++)
        if (items[i] > lower)
            lower = items[i];
    return (lower + upper) / 2;
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
    for (size_t i = 0; i < n; i++)
        kept[i] = fabs(kept[i] - middle);
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
    d->steps = t->steps.items;
    d->seconds = t->seconds;
    t->steps.items = NULL;
    t->seconds = NULL;
    for (size_t i = 0; i < d->count; i++)
        d->seconds[i] = is_signed ? d->seconds[i] - ideal_s : fabs(d->seconds[i] - ideal_s);
    d->mean_s = d->count ? numpy_mean(d->seconds, d->count) : 0.0;
}
