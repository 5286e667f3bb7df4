/* counted: interruptions that only counters report. */
#ifndef OPERATOR_FACTS_COUNTED_H
#define OPERATOR_FACTS_COUNTED_H

#include "operator/job/job.h"

/* Interruptions that only counters report, into job->facts; after all pods. */
void fact_count(struct model_job *job);
/* When the restart was; TIME_OPEN: only the counter tells of it. */
int64_t fact_restarted_ms(const struct model_job *job, const struct restart *r);
/* It is not counted beside what it did to the pods: it was watched, or pods of before are known. */
bool fact_is_restart_known(const struct model_job *job, const struct restart *r);
bool fact_is_restart_watched(const struct model_job *job, const struct restart *r);
/* It was deleted, and another took its place in the same attempt. */
bool fact_is_restarted_alone(const struct kube_job *j);

#endif
