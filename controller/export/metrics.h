/* metrics: the contents of /metrics: gauges per JobGoodput, sums per queue, and the controller's health under the names
 * of client-go and controller-runtime. No label ever holds a pod, a node or a message. A job has at most 12 series;
 * with --all-job-series their number is bounded by buckets + causes. Jobs that ended more than a day ago keep only
 * their share of the queues' sums; their record is the JobGoodput. deploy/docs/reference/metrics.md describes every
 * family and is checked against the table here. */
#ifndef EXPORT_METRICS_H
#define EXPORT_METRICS_H

#include "export/fleet.h"
#include "operator/runtime/runtime.h"

#define METRICS_KEEP_FINISHED_MS INT64_C(86400000)
#define METRICS_DEFAULT_SERIES 12 /* of a job, without has_all_job_series */

struct metrics_options {
    int64_t now_ms;
    bool is_openmetrics, has_all_job_series, is_gzip;
};

/* Writes the whole text. rollups: the FleetGoodputs. Job and queue families only while leading, so that nothing is
 * counted twice with several replicas. */
void metrics_write(const struct fleet *fleet, const struct fleet *rollups, const struct runtime_figures *own,
                   const struct metrics_options *options, struct buf *out);

#endif
