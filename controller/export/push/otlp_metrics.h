/* otlp_metrics: a JobGoodput's metrics as OpenTelemetry has them: one resource (a ResourceMetrics message).
 * deploy/docs/how-to/export.md lists them. */
#ifndef EXPORT_PUSH_OTLP_METRICS_H
#define EXPORT_PUSH_OTLP_METRICS_H

#include "export/push/round.h"

/* Appends one element (field 1) of an ExportMetricsServiceRequest; returns the number of points in it. */
int otlp_metrics_write(const struct round_now *now, struct buf *out);

/* The start of a message, of spans too. */
void otlp_resource_write(const struct round_now *now, struct buf *out);
void otlp_scope_write(struct buf *out);

#endif
