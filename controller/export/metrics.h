/* metrics: the contents of /metrics: gauges per JobGoodput, sums per queue, and the controller's health under the names
 * of client-go and controller-runtime. No label ever holds a pod, a node or a message: the number of series is bounded
 * by jobs x (buckets + causes). Jobs that ended more than a day ago keep only their share of the queues' sums; their
 * record is the JobGoodput. deploy/docs/reference/metrics.md describes every family and is checked against the table
 * here. */
#ifndef EXPORT_METRICS_H
#define EXPORT_METRICS_H

#include "export/fleet.h"
#include "operator/runtime/runtime.h"

#define METRICS_KEEP_FINISHED_MS INT64_C(86400000)

/* Writes the whole text. rollups: the FleetGoodputs. Job and queue families only while leading, so that nothing is
 * counted twice with several replicas. */
void metrics_write(const struct fleet *fleet, const struct fleet *rollups, const struct runtime_figures *own,
                   int64_t now_ms, bool is_openmetrics, struct buf *out);

#endif
