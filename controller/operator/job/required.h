/* required: which slots of its target a job requires. */
#ifndef OPERATOR_JOB_REQUIRED_H
#define OPERATOR_JOB_REQUIRED_H

#include "operator/job/job.h"

bool job_is_managed_elsewhere(const struct model_job *job);
bool target_is_queued_by_kueue(const struct target *t);
bool job_requires(const struct model_job *job, int replicated_job);
/* Number of required slots; 0: none, or too many to track. */
size_t job_slot_count(const struct model_job *job);
/* The required slot of a pod; -1: none. */
int64_t job_slot(const struct model_job *job, const struct pod *p);
int64_t job_pods_at(const struct replicated_job *r, int64_t at_ms);

#endif
