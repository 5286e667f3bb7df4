#include "ledger/durations.h"

#include "base/mem.h"

#include <string.h>

#define BITS 11
#define RANGE_MAX 1024

void durations_done(struct durations *d) {
    free(d->items);
    *d = (struct durations){0};
}

/* The middle of the range that a duration is rounded to. */
static int32_t rounded(const struct durations *d, int32_t ms) {
    uint32_t v = ms > 0 ? (uint32_t)ms : 0;
    int length = v > 0 ? 32 - __builtin_clz(v) : 0, drop = length - (BITS - d->dropped_bits);
    if (drop <= 0)
        return (int32_t)v;
    return (int32_t)((v >> drop << drop) + (1u << drop) / 2);
}

/* A binary search without branches: the processor could not predict them. */
static size_t place_of(const struct durations *d, int32_t ms) {
    size_t low = 0, size = d->count;
    while (size > 1) {
        size_t half = size / 2;
        low += d->items[low + half - 1].ms < ms ? half : 0;
        size -= half;
    }
    return low + (size == 1 && d->items[low].ms < ms);
}

static void coarsen(struct durations *d) {
    size_t n = 0;
    d->dropped_bits++;
    for (size_t i = 0; i < d->count; i++) {
        int32_t ms = rounded(d, d->items[i].ms);
        if (n > 0 && d->items[n - 1].ms == ms)
            d->items[n - 1].count += d->items[i].count;
        else
            d->items[n++] = (struct duration){ms, d->items[i].count};
    }
    d->count = n;
}

void durations_coarsen(struct durations *d, size_t max) {
    while (d->count > max && d->dropped_bits < BITS - 1)
        coarsen(d);
}

void durations_add(struct durations *d, int32_t ms) {
    d->total++;
    int32_t value = rounded(d, ms);
    uint16_t *hint = &d->hints[(uint32_t)value % DURATIONS_HINTS];
    size_t i = *hint < d->count && d->items[*hint].ms == value ? *hint : place_of(d, value);
    *hint = (uint16_t)i;
    if (i < d->count && d->items[i].ms == value) {
        d->items[i].count++;
        return;
    }
    MEM_GROW(d->items, d->count, d->capacity);
    memmove(&d->items[i + 1], &d->items[i], (d->count - i) * sizeof *d->items);
    d->items[i] = (struct duration){value, 1};
    d->count++;
    if (d->count > DURATIONS_MAX) {
        durations_coarsen(d, DURATIONS_MAX);
        d->capacity = DURATIONS_MAX;
        d->items = mem_resize(d->items, d->capacity, sizeof *d->items);
    }
}

/* The k-th smallest (from 0) of n values, which are reordered. Hoare's selection, median of three. */
static int32_t kth_smallest(int32_t *v, size_t n, size_t k) {
    size_t low = 0, high = n - 1;
    while (low < high) {
        int32_t a = v[low], b = v[low + (high - low) / 2], c = v[high];
        int32_t pivot = a < b ? (b < c ? b : (a < c ? c : a)) : (a < c ? a : (b < c ? c : b));
        size_t i = low, j = high;
        for (;;) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i >= j)
                break;
            int32_t swap = v[i];
            v[i++] = v[j];
            v[j--] = swap;
        }
        size_t split = v[j] > pivot ? j - 1 : j; /* v[low..split] <= pivot <= v[split+1..high] */
        if (k <= split && split < high)
            high = split;
        else if (k > split)
            low = split + 1;
        else
            high = split > low ? split - 1 : low;
    }
    return v[k];
}

/* The table's k-th value: 0 <= k < total. */
static int32_t table_kth(const struct durations *d, int64_t k) {
    size_t i = 0;
    for (; i + 1 < d->count && k >= d->items[i].count; i++)
        k -= d->items[i].count;
    return d->items[i].ms;
}

/* The number of values that are not above ms. */
static int64_t count_through(const struct durations *d, const int32_t *others, size_t n, int32_t ms) {
    int64_t sum = 0;
    int32_t more = 0;
    for (size_t i = 0; i < d->count && d->items[i].ms <= ms; i++)
        sum += d->items[i].count;
    for (size_t i = 0; i < n; i++)
        more += others[i] <= ms;
    return sum + more;
}

/* The k-th smallest by counting each value between the bounds. */
static int32_t counted_kth(const struct durations *d, const int32_t *others, size_t n, int64_t k, int32_t low,
                           int32_t high) {
    int64_t counts[RANGE_MAX];
    uint32_t range = (uint32_t)(high - low), below = 0;
    memset(counts, 0, ((size_t)range + 1) * sizeof counts[0]);
    for (size_t i = 0; i < d->count && d->items[i].ms <= high; i++)
        if (d->items[i].ms < low)
            k -= d->items[i].count;
        else
            counts[d->items[i].ms - low] += d->items[i].count;
    for (size_t i = 0; i < n; i++) {
        below += others[i] < low;
        if ((uint32_t)others[i] - (uint32_t)low <= range)
            counts[others[i] - low]++;
    }
    k -= below;
    int32_t at = 0;
    while (low + at < high && k >= counts[at])
        k -= counts[at++];
    return low + at;
}

static int32_t smallest(const struct durations *d, const int32_t *others, size_t n) {
    int32_t ms = d->items[0].ms;
    for (size_t i = 0; i < n; i++)
        ms = others[i] < ms ? others[i] : ms;
    return ms;
}

static int32_t largest(const struct durations *d, const int32_t *others, size_t n) {
    int32_t ms = d->items[d->count - 1].ms;
    for (size_t i = 0; i < n; i++)
        ms = others[i] > ms ? others[i] : ms;
    return ms;
}

/* The others are few compared with the table, so the answer is close to the table's own. */
int32_t durations_kth(const struct durations *d, int32_t *others, size_t n, int64_t k) {
    if (d->total == 0)
        return kth_smallest(others, n, (size_t)k);
    int32_t low = k < (int64_t)n ? smallest(d, others, n) : table_kth(d, k - (int64_t)n);
    int32_t high = k >= d->total ? largest(d, others, n) : table_kth(d, k);
    while (high - low >= RANGE_MAX) { /* the smallest that has more than k values up to it */
        int32_t middle = low + (high - low) / 2;
        if (count_through(d, others, n, middle) > k)
            high = middle;
        else
            low = middle + 1;
    }
    return counted_kth(d, others, n, k, low, high);
}
