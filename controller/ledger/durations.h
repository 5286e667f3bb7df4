/* durations: the durations of steps as a bounded table of counts, for medians of millions of steps. Exact up to 2,048
 * ms and up to 1,024 different values; else rounded to 11 leading bits (0.05 %), or to fewer until they fit. Private to
 * ledger/. */
#ifndef LEDGER_DURATIONS_H
#define LEDGER_DURATIONS_H

#include <stddef.h>
#include <stdint.h>

#define DURATIONS_MAX 1024
#define DURATIONS_HINTS 256

struct durations {
    struct duration {
        int32_t ms;
        int64_t count;
    } * items; /* by ms */
    size_t count, capacity;
    int64_t total;
    int dropped_bits;                /* of the 11 leading bits */
    uint16_t hints[DURATIONS_HINTS]; /* the last place of a value, by its lowest bits: the next is often the same */
};

void durations_done(struct durations *d);
/* Rounds the durations until at most `max` different values are left. max > 31, the number of magnitudes. */
void durations_coarsen(struct durations *d, size_t max);
void durations_add(struct durations *d, int32_t ms);
/* The k-th smallest (from 0) of the table's values and n others, which may be reordered. k < total + n. */
int32_t durations_kth(const struct durations *d, int32_t *others, size_t n, int64_t k);

#endif
