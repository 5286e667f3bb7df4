#include "base/histogram.h"

#define BOUND_US(us, seconds) us,
static const int64_t bounds_us[] = {HISTOGRAM_BOUNDS(BOUND_US)};

void histogram_add(struct histogram *histogram, int64_t duration_us) {
    int i = 0;
    if (duration_us < 0)
        duration_us = 0;
    while (i < HISTOGRAM_BOUND_COUNT && duration_us > bounds_us[i])
        i++;
    histogram->counts[i]++;
    histogram->sum_us += duration_us;
}
