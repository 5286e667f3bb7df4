/* The oracle of user patterns: what a tenant's patterns may cost on one line of a log, whatever they are. CPU time of
 * this thread, so that a busy machine does not matter; sanitizers included. */
#ifndef TESTS_FUZZ_LINE_TIME_H
#define TESTS_FUZZ_LINE_TIME_H

#include "steplog/steplog.h"

#include <assert.h>
#include <time.h>

#define LINE_MAX_CPU_MS 50 /* the one limit of all targets with user patterns */

static inline double thread_cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Feeds the log line by line. */
static inline void feed_within_time(struct steplog *s, struct slice log) {
    struct slice line;
    while (log.size_bytes > 0) {
        const char *from = log.data;
        if (!slice_take_until(&log, '\n', &line))
            log = slice_skip(log, log.size_bytes);
        double before_ms = thread_cpu_ms();
        steplog_feed(s, slice_range(from, log.data), false);
        assert(thread_cpu_ms() - before_ms < LINE_MAX_CPU_MS);
    }
    steplog_end(s);
}

#endif
