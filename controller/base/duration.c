#include "base/duration.h"

#include "base/mem.h"
#include "base/slice.h"

#define HOUR_US INT64_C(3600000000)

bool duration_parse(const char *text, int64_t *duration_us) {
    static const struct {
        const char *unit;
        int64_t us;
    } units[] = {{"ms", 1000}, {"us", 1}, {"h", HOUR_US}, {"m", 60000000}, {"s", 1000000}};
    struct slice s = slice_of(text);
    int64_t sum_us = 0;
    if (slice_is(s, "0")) {
        *duration_us = 0;
        return true;
    }
    do {
        int64_t millionths;
        if (s.size_bytes == 0 || *s.data == '-' || *s.data == '+' || !slice_take_scaled(&s, 6, &millionths))
            return false;
        size_t u = 0;
        while (u < ARRAY_SIZE(units) && !slice_take_prefix(&s, units[u].unit))
            u++;
        /* A year is enough for anybody, and keeps the sum far from overflow. */
        if (u == ARRAY_SIZE(units) || millionths / 1000000 > 8784 * HOUR_US / units[u].us)
            return false;
        sum_us += millionths / 1000000 * units[u].us + millionths % 1000000 * units[u].us / 1000000;
    } while (s.size_bytes > 0 && sum_us <= 8784 * HOUR_US);
    if (sum_us > 8784 * HOUR_US)
        return false;
    *duration_us = sum_us;
    return true;
}
