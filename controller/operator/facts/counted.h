/* counted: interruptions that only counters report. */
#ifndef OPERATOR_FACTS_COUNTED_H
#define OPERATOR_FACTS_COUNTED_H

#include "operator/job/job.h"

/* Writes the number of such interruptions into job->facts. Call it after the facts of all pods. */
void fact_count(struct model_job *job);
/* Time of the restart; TIME_OPEN: only the counter reports it. */
int64_t fact_restarted_ms(const struct model_job *job, const struct restart *r);
/* The restart's effect on pods is known, so that the counter must not add it again: it was watched, or earlier pods are
 * known. */
bool fact_is_restart_known(const struct model_job *job, const struct restart *r);
bool fact_is_restart_watched(const struct model_job *job, const struct restart *r);
/* Another Job had its place in the same attempt, before it or after it. */
bool fact_is_restarted_alone(const struct kube_job *j);

#endif
