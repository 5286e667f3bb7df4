/* otlp_data: a JobGoodput as OpenTelemetry has it: one resource with its metrics (a ResourceMetrics message), one with
 * its spans (a ResourceSpans message). deploy/docs/how-to/export.md lists both.
 *
 * A trace covers one target. Its ID and those of its spans follow from the JobGoodput's uid and the start of the wall
 * time, so that every sender sends the same span. A span is sent once it is final. An execution and the interruption
 * after it are final when there is new progress, the next execution starts, or the job ends; the job itself with its
 * final numbers. */
#ifndef EXPORT_PUSH_OTLP_DATA_H
#define EXPORT_PUSH_OTLP_DATA_H

#include "export/push/round.h"

/* Each appends one element (field 1) of an Export...ServiceRequest and returns the number of points or spans in it. */
int otlp_metrics_write(const struct round_now *now, struct buf *out);
/* sent: executions up to this number were sent before; *now_sent: up to this number with this message. 0: none. */
int otlp_spans_write(const struct round_now *now, int64_t sent, int64_t *now_sent, struct buf *out);

/* The start of both messages. */
void otlp_resource_write(const struct fleet_job *job, struct buf *out);
void otlp_scope_write(struct buf *out);

#endif
