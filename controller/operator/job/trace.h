/* trace: what a log tells and a status has no room for, for the pictures of the page: when each step was, thinned out
 * evenly, and each save: when it began, and whether it is known to be whole. Bounded, however long the log is; part of
 * no checkpoint, so a successor knows what came after it. */
#ifndef OPERATOR_TRACE_H
#define OPERATOR_TRACE_H

#include "base/buf.h"
#include "ledger/record.h"

#include <stddef.h>

struct trace_points {
    struct {
        int64_t at_ms, step;
        bool is_durable; /* of a save: told final, or restored later */
    } * points;
    size_t count, capacity;
    int64_t stride, skipped; /* every stride-th is kept */
};

struct trace { /* all zero is empty */
    struct trace_points steps, saves;
    int64_t last_step;
    size_t max_points; /* of each kind; 0: 4,096, more than a screen has columns */
};

void trace_add(struct trace *trace, const struct record *r);
/* {"steps":[[Unix ms,step],...],"saves":[[Unix ms,step,durable 1 or 0],...]}, in the order in which they were told. */
void trace_write(const struct trace *trace, struct buf *json);
void trace_clear(struct trace *trace); /* max_points stays */

#endif
