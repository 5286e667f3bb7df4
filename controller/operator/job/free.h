/* free: the end of a job. */
#ifndef OPERATOR_JOB_FREE_H
#define OPERATOR_JOB_FREE_H

#include "operator/job/job.h"

void job_free(struct model_job *job);
void job_free_earlier(struct model_job *job);

#endif
