/* minmax: the smaller and the larger of two int64, which is what times and sums are here. */
#ifndef BASE_MINMAX_H
#define BASE_MINMAX_H

#include <stdint.h>

static inline int64_t min_of(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t max_of(int64_t a, int64_t b) {
    return a > b ? a : b;
}

#endif
