/* forbidden: missing permissions that concern a job. */
#ifndef OPERATOR_JOB_FORBIDDEN_H
#define OPERATOR_JOB_FORBIDDEN_H

#include "operator/job/job.h"

/* Why objects of that kind, which the job depends on, cannot be read; NULL: they can, or do not matter. */
const struct forbidden *job_forbidden(const struct model_job *job, enum resource resource);
/* The same where nothing can be measured without them, beyond what was known before. */
const struct forbidden *job_blocked_by(const struct model_job *job, enum resource resource);
const struct forbidden *job_blocked(const struct model_job *job); /* by any of them */

#endif
