/* otlp_data: a JobGoodput as OpenTelemetry has it: one resource with its metrics (a ResourceMetrics message), one with
 * its spans (a ResourceSpans message). deploy/docs/how-to/export.md lists both.
 *
 * A trace is one target's life. Its ID and those of its spans follow from the JobGoodput's uid and the start of the
 * wall time, so that whoever sends a span again sends the same one. A span is sent when it has ended and nothing of it
 * will change: an execution and the interruption after it once progress is made again (or the one after has begun, or
 * the job ended), the job itself with its final numbers. */
#ifndef EXPORT_PUSH_OTLP_DATA_H
#define EXPORT_PUSH_OTLP_DATA_H

#include "export/push/round.h"

/* Each appends one element (field 1) of an Export...ServiceRequest; returns how many points or spans are in it. */
int otlp_metrics_write(const struct round_now *now, struct buf *out);
/* told: executions up to this number were sent; *now_told: those up to here are in this message. 0: there is none. */
int otlp_spans_write(const struct round_now *now, int64_t told, int64_t *now_told, struct buf *out);

/* Both begin so. */
void otlp_resource_write(const struct fleet_job *job, struct buf *out);
void otlp_scope_write(struct buf *out);

#endif
