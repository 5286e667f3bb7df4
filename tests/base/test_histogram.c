#include "harness.h"

#include "base/histogram.h"

#define BOUND_US(us, seconds) us,
static const int64_t bounds_us[] = {HISTOGRAM_BOUNDS(BOUND_US)};

TEST(a_bound_is_in_its_own_bucket) {
    for (int i = 0; i < HISTOGRAM_BOUND_COUNT; i++) {
        struct histogram h = {0};
        CHECK(i == 0 || bounds_us[i] > bounds_us[i - 1]);
        histogram_add(&h, bounds_us[i]);
        histogram_add(&h, bounds_us[i] + 1);
        CHECK_INT(h.counts[i], 1);
        CHECK_INT(h.counts[i + 1], 1);
        CHECK_INT(h.sum_us, 2 * bounds_us[i] + 1);
    }
}

TEST(a_clock_that_went_back_counts_nothing) {
    struct histogram h = {0};
    histogram_add(&h, -5);
    CHECK_INT(h.counts[0], 1);
    CHECK_INT(h.sum_us, 0);
}
