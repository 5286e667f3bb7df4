/* histogram: how often something took how long, in buckets that are the same everywhere: client-go's for its requests,
 * and finer ones below them. It is for Prometheus and knows nothing of it. All-zero is empty. */
#ifndef BASE_HISTOGRAM_H
#define BASE_HISTOGRAM_H

#include <stdint.h>

/* Upper bounds, inclusive: microseconds, and the seconds as both Prometheus formats write them. */
#define HISTOGRAM_BOUNDS(X)                                                                                            \
    X(10, "0.00001")                                                                                                   \
    X(100, "0.0001")                                                                                                   \
    X(1000, "0.001")                                                                                                   \
    X(5000, "0.005")                                                                                                   \
    X(25000, "0.025")                                                                                                  \
    X(100000, "0.1")                                                                                                   \
    X(250000, "0.25")                                                                                                  \
    X(500000, "0.5")                                                                                                   \
    X(1000000, "1.0")                                                                                                  \
    X(2000000, "2.0")                                                                                                  \
    X(4000000, "4.0")                                                                                                  \
    X(8000000, "8.0")                                                                                                  \
    X(15000000, "15.0")                                                                                                \
    X(30000000, "30.0")                                                                                                \
    X(60000000, "60.0")

#define HISTOGRAM_ONE(us, seconds) +1
enum { HISTOGRAM_BOUND_COUNT = 0 HISTOGRAM_BOUNDS(HISTOGRAM_ONE) };

struct histogram {
    int64_t counts[HISTOGRAM_BOUND_COUNT + 1]; /* of each bucket alone; the last: above all bounds */
    int64_t sum_us;
};

void histogram_add(struct histogram *histogram, int64_t duration_us); /* negative counts as 0 */

#endif
