#include "library/deviation.h"

#include "base/mem.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

void step_times_set(struct step_times *t, int64_t step, double seconds) {
    size_t i;
    bool is_next = steps_extend(&t->steps, step);
    if (is_next || !steps_find(&t->steps, step, &i)) {
        if (!is_next)
            steps_add(&t->steps, step);
        i = t->steps.count - 1;
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

/* Up to 128 items, as numpy adds them. */
static double block_sum(const double *a, size_t n) {
    if (n < 8) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++)
            sum += a[i];
        return sum;
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

/* Those of many times that a statistic is of: from min to limit. */
struct chosen {
    const double *seconds;
    size_t count, next;
    double min, limit;
};

static bool is_chosen(const struct chosen *c, double seconds) {
    return seconds >= c->min && seconds <= c->limit;
}

/* Of the next n that are chosen, in order and without a copy of all. */
static double pairwise_sum(struct chosen *c, size_t n) {
    double items[128];
    if (n > 128) {
        size_t half = n / 2;
        half -= half % 8;
        double left = pairwise_sum(c, half);
        return left + pairwise_sum(c, n - half);
    }
    for (size_t k = 0; k < n; c->next++)
        if (is_chosen(c, c->seconds[c->next]))
            items[k++] = c->seconds[c->next];
    return block_sum(items, n);
}

/* numpy.mean of the n that are chosen: the sum is taken pairwise (numpy/_core/src/umath/loops_utils.h.src). */
static double numpy_mean(struct chosen *c, size_t n) {
    return pairwise_sum(c, n) / (double)n;
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

/* ---- the median of the chosen, or of their distances from a time ---- */

enum { TOP_BITS = 16, TOPS = 1 << TOP_BITS };

static double value_of(double seconds, double from) {
    return isnan(from) ? seconds : fabs(seconds - from);
}

/* Numbers that are not negative have the order of their bits. */
static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The bits before `shift`, of which `prefix` are known, of the value at *rank; *rank is then that among those which
 * have them. */
static uint64_t find_top(const struct chosen *c, double from, int shift, uint64_t prefix, size_t *rank,
                         uint32_t *counts) {
    memset(counts, 0, TOPS * sizeof *counts);
    for (size_t i = 0; i < c->count; i++) {
        uint64_t bits = bits_of(value_of(c->seconds[i], from)) >> shift;
        if (is_chosen(c, c->seconds[i]) && bits >> TOP_BITS == prefix)
            counts[bits % TOPS]++;
    }
    uint64_t top = 0;
    for (; *rank >= counts[top]; top++)
        *rank -= counts[top];
    return prefix << TOP_BITS | top;
}

static uint64_t top_of(double value) {
    return bits_of(value) >> (64 - 2 * TOP_BITS);
}

/* The largest value whose first bits are below `top`. */
static double largest_below(const struct chosen *c, double from, uint64_t top) {
    double largest = 0;
    for (size_t i = 0; i < c->count; i++) {
        double value = value_of(c->seconds[i], from);
        if (is_chosen(c, c->seconds[i]) && top_of(value) < top && value > largest)
            largest = value;
    }
    return largest;
}

/* Looks at the first half of the bits of all, and sorts only what has those of the median: whether a value is among
 * these few can be predicted, on which side of the median it is cannot. */
static double median(const struct chosen *c, size_t n, double from) {
    CLEANUP_FREE uint32_t *counts = mem_alloc(TOPS * sizeof *counts);
    CLEANUP_FREE double *items = NULL;
    size_t rank = n / 2, count = 0, capacity = 0;
    uint64_t top = find_top(c, from, 64 - TOP_BITS, 0, &rank, counts);
    top = find_top(c, from, 64 - 2 * TOP_BITS, top, &rank, counts);
    for (size_t i = 0; i < c->count; i++) {
        double value = value_of(c->seconds[i], from);
        if (top_of(value) != top || !is_chosen(c, c->seconds[i]))
            continue;
        MEM_GROW(items, count, capacity);
        items[count++] = value;
    }
    double upper = select_item(items, count, rank);
    if (n % 2 == 1)
        return upper;
    double lower = rank > 0 ? items[0] : largest_below(c, from, top);
    for (size_t i = 1; i < rank; i++)
        if (items[i] > lower)
            lower = items[i];
    return (lower + upper) / 2;
}

static size_t count_chosen(const struct chosen *c) {
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        n += is_chosen(c, c->seconds[i]);
    return n;
}

bool ideal_step_time(const double *seconds, size_t count, double *ideal_s) {
    struct chosen c = {.seconds = seconds, .count = count, .min = 1.0, .limit = INFINITY};
    size_t n = count_chosen(&c);
    if (n == 0)
        return false;
    double middle = median(&c, n, NAN);
    c.limit = middle + median(&c, n, middle) * 3;
    n = count_chosen(&c);
    if (n == 0)
        return false;
    *ideal_s = numpy_mean(&c, n);
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
    struct chosen all = {.seconds = d->seconds, .count = d->count, .min = -INFINITY, .limit = INFINITY};
    d->mean_s = d->count ? numpy_mean(&all, count_chosen(&all)) : 0.0;
}
