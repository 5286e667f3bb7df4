/* forget: pods that were deleted for good leave only what they did, as numbers. */
#ifndef OPERATOR_MODEL_FORGET_H
#define OPERATOR_MODEL_FORGET_H

#include "operator/job/job.h"

/* To be called after an evaluation. */
void job_forget_pods(struct model_job *job, int64_t through_ms);
/* Forgets all that it can, however short ago it was deleted: true if it forgot any. */
bool job_forget_all_pods(struct model_job *job);

#endif
