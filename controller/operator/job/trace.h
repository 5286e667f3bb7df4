/* trace: points for the pictures of the page, for which a status has no room: the time of each step, thinned out
 * evenly, and each save: when it started, and whether it is known to be complete. Bounded, however long the log is. No
 * checkpoint has it, so a successor starts with an empty one. */
#ifndef OPERATOR_TRACE_H
#define OPERATOR_TRACE_H

#include "base/buf.h"
#include "ledger/record.h"

#include <stddef.h>

struct trace_points {
    struct {
        int64_t at_ms, step;
        bool is_durable; /* of a save: finalized, or restored later */
    } * points;
    size_t count, capacity;
    int64_t stride, skipped; /* every stride-th point is kept */
};

struct trace { /* all zero is empty */
    struct trace_points steps, saves;
    int64_t last_step;
    size_t max_points; /* of each kind; 0: 4,096, more than a screen has columns */
};

void trace_add(struct trace *trace, const struct record *r);
/* {"steps":[[Unix ms,step],...],"saves":[[Unix ms,step,durable 1 or 0],...]}, in the order of the records. */
void trace_write(const struct trace *trace, struct buf *json);
void trace_clear(struct trace *trace); /* keeps max_points */

#endif
