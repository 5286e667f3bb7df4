/* forget: of pods that were deleted some time ago only sums stay. */
#ifndef OPERATOR_MODEL_FORGET_H
#define OPERATOR_MODEL_FORGET_H

#include "operator/job/job.h"

/* To be called after an evaluation. */
void job_forget_pods(struct model_job *job, int64_t through_ms);
/* Forgets all pods that it can, even if deleted just now: true if it forgot any. */
bool job_forget_all_pods(struct model_job *job);

#endif
