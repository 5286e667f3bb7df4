/* monitoring: pushes every JobGoodput's numbers to Cloud Monitoring by timeSeries.create
 * (https://cloud.google.com/monitoring/api/ref_v3/rest/v3/projects.timeSeries/create).
 *
 * A point's time is the status' observedThrough, so that one status is one point for every sender. A controller that
 * takes over writes the same points, which the API refuses as not newer, and continues from there. */
#ifndef EXPORT_PUSH_MONITORING_H
#define EXPORT_PUSH_MONITORING_H

#include "export/push/monitoring_series.h"
#include "export/push/push.h"

push_maker monitoring_make; /* --cloud-monitoring-project */

/* An error of the API: the number of points, those it took or already had (-1: not given), and its text. */
struct monitoring_answer {
    int64_t total, taken;
    bool is_old_only; /* every refused point was older than one that the API has */
    char text[512];
};
/* body: of an answer with an HTTP status from 400 on, of any content. */
void monitoring_read_answer(struct slice body, struct monitoring_answer *answer);

#endif
