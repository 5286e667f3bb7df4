/* The oracle of user patterns: what a tenant's patterns may cost on one line of a log, whatever they are. CPU time of
 * this thread, so that a busy machine does not matter; sanitizers included. */
#ifndef TESTS_FUZZ_LINE_TIME_H
#define TESTS_FUZZ_LINE_TIME_H

#include "harness/cpu_time.h"
#include "steplog/steplog.h"

#include <assert.h>

#define LINE_MAX_CPU_MS 50 /* the one limit of all targets with user patterns */

/* Feeds the log line by line. */
static inline void feed_within_time(struct steplog *s, struct slice log) {
    struct slice line;
    while (log.size_bytes > 0) {
        const char *from = log.data;
        if (!slice_take_until(&log, '\n', &line))
            log = slice_skip(log, log.size_bytes);
        double before_ms = cpu_time_ms();
        steplog_feed(s, slice_range(from, log.data), false);
        assert(cpu_time_ms() - before_ms < LINE_MAX_CPU_MS);
    }
    steplog_end(s);
}

#endif
