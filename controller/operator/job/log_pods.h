/* log_pods: which pods, and which container of them, write the log that is read. */
#ifndef OPERATOR_JOB_LOG_PODS_H
#define OPERATOR_JOB_LOG_PODS_H

#include "operator/job/job.h"

/* The replicated job whose log is read; NULL if it does not exist. */
const struct replicated_job *job_log_replicated_job(const struct model_job *job);
void job_find_log_pods(struct model_job *job);
/* The container of the log, "" if the pod has none of that name. */
const char *job_log_container(const struct model_job *job, const struct pod *p);

#endif
