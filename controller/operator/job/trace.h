/* trace: points for the pictures of the page, for which a status has no room: the time of each step, thinned out
 * evenly, each save (when it started, and whether it is known to be complete), and time and node of the newest
 * interruptions. Bounded, however long the job is. No checkpoint has it, so a successor starts with an empty one. */
#ifndef OPERATOR_TRACE_H
#define OPERATOR_TRACE_H

#include "base/buf.h"
#include "ledger/evaluate.h"
#include "ledger/record.h"

#include <stddef.h>

struct trace_points {
    struct {
        int64_t at_ms;
        uint64_t step : 63;
        uint64_t is_durable : 1; /* of a save: finalized, or restored later */
    } * points;
    size_t count, capacity;
    int64_t stride, skipped; /* every stride-th point is kept */
};

#define TRACE_INTERRUPTIONS 512

struct trace { /* all zero is empty */
    struct trace_points steps, saves;
    struct trace_interruption {
        int64_t number, at_ms;
        char *node;    /* "": not one node */
    } * interruptions; /* in the order of their numbers */
    size_t interruption_count;
    int64_t last_step;
    size_t max_points; /* of each kind; 0: 4,096, more than a screen has columns */
};

void trace_add(struct trace *trace, const struct record *r);
/* Takes those that the result lists; earlier ones stay as they were when they were listed last. */
void trace_add_interruptions(struct trace *trace, const struct ledger_result *result);
/* {"steps":[[Unix ms,step],...],"saves":[[Unix ms,step,durable 1 or 0],...],"interruptions":[[Unix ms,node],...]},
 * oldest first. */
void trace_write(const struct trace *trace, struct buf *json);
void trace_clear(struct trace *trace); /* keeps max_points */

#endif
