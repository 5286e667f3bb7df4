/* analyze_trace: what a log tells and a status has no room for, for the pictures of analyze --html: when each step was,
 * thinned out evenly, and each
 * save: when it began, and whether it is known to be whole. Bounded, however long the log is. */
#ifndef CLI_ANALYZE_TRACE_H
#define CLI_ANALYZE_TRACE_H

#include "base/buf.h"
#include "ledger/record.h"

#include <stddef.h>

struct analyze_trace_points {
    struct {
        int64_t at_ms, step;
        bool is_durable; /* of a save: told final, or restored later */
    } * points;
    size_t count;
    int64_t stride, skipped; /* every stride-th is kept */
};

struct analyze_trace { /* all zero is empty */
    struct analyze_trace_points steps, saves;
    int64_t last_step;
};

void analyze_trace_add(struct analyze_trace *trace, const struct record *r);
/* {"steps":[[Unix ms,step],...],"saves":[[Unix ms,step,durable 1 or 0],...]}, in the order of the log. */
void analyze_trace_write(const struct analyze_trace *trace, struct buf *json);
void analyze_trace_done(struct analyze_trace *trace);

#endif
