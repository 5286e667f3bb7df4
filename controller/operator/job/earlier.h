/* earlier: the job of an earlier target of the same name. */
#ifndef OPERATOR_JOB_EARLIER_H
#define OPERATOR_JOB_EARLIER_H

#include "operator/job/job.h"

/* The current target has a successor: keeps it, so that late events for it still count. */
void job_keep_earlier(struct model_job *job);

#endif
