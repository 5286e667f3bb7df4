/* interval_sums: from the lines of a ledger to what a window of the job's time has: time by bucket, lost time by cause
 * and owner, and interruptions. The same rules as deploy/sql/interval.sql. */
#ifndef CLI_COMMANDS_INTERVAL_SUMS_H
#define CLI_COMMANDS_INTERVAL_SUMS_H

#include "cli/commands/interval_rows.h"
#include "cli/commands/job_lines.h"
#include "formulas/interval.h"

struct interval_event { /* an interruption in the window; texts borrowed */
    int64_t at_ms, number;
    const char *cause, *owner, *node, *evidence;
};

struct interval_name { /* of an interruption: who caused it, as far as the lines say */
    int64_t number;
    const json_t *line; /* its own, else of a span that it cost; NULL: none is known */
};

struct interval_sums {
    struct interval time;
    int64_t through_ms; /* where the lines end */
    struct interval_rows buckets, losses;
    struct interval_event *events; /* in time order */
    size_t event_count, event_capacity;
    struct interval_range interruptions; /* also those without a time */
    struct interval_name *names;         /* by number */
    size_t name_count, name_capacity;
    bool has_steps;
};

/* from_ms, to_ms: INT64_MIN, INT64_MAX are the ends of what is known. The lines must outlive it. */
int interval_sums_read(const struct job_lines *lines, int64_t from_ms, int64_t to_ms, struct interval_sums *ret,
                       struct error **err);
void interval_sums_done(struct interval_sums *sums);

struct interval_scores interval_sums_scores(const struct interval_sums *sums);

#endif
