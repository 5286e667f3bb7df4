/* monitoring_series: the points of one JobGoodput as TimeSeries of Cloud Monitoring's API v3, as JSON.
 *
 * Two families. compute.googleapis.com/workload/... are the series that ml-goodput-measurement 0.2.3 writes
 * (monitoring.py, _upload_goodput_metrics_to_gcm and _upload_interval_goodput_metrics_to_gcm), on the same resource
 * with the same labels and value types. They hold the time of the library's clock: from the first start on, without
 * waiting for the job's first machines; total_elapsed_time is the sum of goodput_time and badput_time.
 * custom.googleapis.com/goodput/... hold the whole ledger, scheduling included, on the resource generic_task. */
#ifndef EXPORT_PUSH_MONITORING_SERIES_H
#define EXPORT_PUSH_MONITORING_SERIES_H

#include "base/jwrite.h"
#include "export/fleet_read.h"

#define MONITORING_MAX_SERIES 200 /* the API's limit per request */

struct monitoring_place { /* borrowed texts */
    const char *project, *location, *replica_id;
    const char *cluster; /* "": the label is left out, as in the library */
};
struct monitoring_job {
    const char *namespace_, *name, *workload_id, *accelerator; /* accelerator as in the status: "TPU v5e" */
    const struct fleet_numbers *numbers;
    int64_t end_ms; /* of every point */
};

/* The bucket's name among the library's (BADPUT_TYPE or CUSTOM_BADPUT_EVENTS.TYPE); false: the library's clock does not
 * run in it. */
bool monitoring_badput_source(const struct fleet_bucket *bucket, char source[static 128]);

/* Appends the series as elements of an open array, at most MONITORING_MAX_SERIES; *left_out counts the rest. Returns
 * their number. Unknown values are not written. */
int monitoring_series_write(const struct monitoring_place *place, const struct monitoring_job *job, struct jwrite *w,
                            int *left_out);

#endif
