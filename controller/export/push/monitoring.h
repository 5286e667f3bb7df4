/* monitoring: pushes every JobGoodput's numbers to Cloud Monitoring by timeSeries.create
 * (https://cloud.google.com/monitoring/api/ref_v3/rest/v3/projects.timeSeries/create).
 *
 * A point's time is the status' observedThrough, so that one status is one point whoever pushes it: a controller that
 * takes over writes the same points, which the API then refuses as not newer, and goes on from there. */
#ifndef EXPORT_PUSH_MONITORING_H
#define EXPORT_PUSH_MONITORING_H

#include "export/push/monitoring_series.h"
#include "export/push/push.h"

push_maker monitoring_make; /* --cloud-monitoring-project */

/* What an error of the API says: points that it took, or has already (-1: it does not say), and its text. */
struct monitoring_answer {
    int64_t total, taken;
    bool is_old_only; /* all that it refused, it refused because it has newer ones */
    char text[512];
};
/* body: of an answer with an HTTP status of 400 and more; whatever it is. */
void monitoring_read_answer(struct slice body, struct monitoring_answer *answer);

#endif
