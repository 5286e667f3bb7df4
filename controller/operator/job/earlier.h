/* earlier: the job of an earlier target of the same name. */
#ifndef OPERATOR_JOB_EARLIER_H
#define OPERATOR_JOB_EARLIER_H

#include "operator/job/job.h"

/* The present target has a successor: what comes late for it still counts. */
void job_keep_earlier(struct model_job *job);

#endif
