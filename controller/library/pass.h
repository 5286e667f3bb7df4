/* pass: the library's main pass over the entries, for a cumulative query or an interval. Private to library/. */
#ifndef LIBRARY_PASS_H
#define LIBRARY_PASS_H

#include "library/badputs.h"

/* Fills productive_s, badputs (OTHER not yet), steps and disruptions of *a; false: *a holds the library's error. */
bool pass_run(const struct library_log *log, struct library_answer *a);

/* _get_total_job_time at a query time: from the first start to the last end, both as datetimes; 0.0 without a start. */
double total_job_seconds(const struct library_log *log, int64_t at_us);
/* The first job start, INT64_MIN if there is none. */
int64_t first_start_us(const struct library_log *log);

/* Every entry in the log's order, steps by their index, until one is refused: false. */
static inline bool library_log_walk(const struct library_log *log, bool (*on_step)(void *context, size_t step),
                                    bool (*on_event)(void *context, const struct library_event *e), void *context) {
    size_t step = 0;
    for (size_t i = 0; i <= log->event_count; i++) {
        size_t before = i < log->event_count ? log->events[i].before : log->step_count;
        for (; step < before; step++)
            if (!on_step(context, step))
                return false;
        if (i < log->event_count && !on_event(context, &log->events[i]))
            return false;
    }
    return true;
}

#endif
