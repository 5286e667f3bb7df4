/* otlp_spans: a JobGoodput's spans as OpenTelemetry has them: one resource (a ResourceSpans message).
 * deploy/docs/how-to/export.md lists them.
 *
 * A trace covers one target. Its ID and those of its spans follow from the JobGoodput's uid and the start of the wall
 * time, so that every sender sends the same span. A span is sent once it is final. An execution and the interruption
 * after it are final when there is new progress, the next execution starts, or the job ends; the job itself with its
 * final numbers. */
#ifndef EXPORT_PUSH_OTLP_SPANS_H
#define EXPORT_PUSH_OTLP_SPANS_H

#include "export/push/round.h"

/* Appends one element (field 1) of an ExportTraceServiceRequest; returns the number of spans in it. sent: executions up
 * to this number were sent before; *now_sent: up to this number with this message. 0: none. */
int otlp_spans_write(const struct round_now *now, int64_t sent, int64_t *now_sent, struct buf *out);

#endif
