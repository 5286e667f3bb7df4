/* ready: how many required pods were Ready when. */
#ifndef OPERATOR_FACTS_READY_H
#define OPERATOR_FACTS_READY_H

#include "operator/job/job.h"

/* Its part of how many required pods were Ready when; after p->slot is known. */
void fact_add_ready(struct model_job *job, struct pod *p);
void fact_add_past_ready(struct model_job *job, const struct past *past, int times);
/* What the pod did, until then, to how many were Ready is of the past: it is forgotten, or has no place elsewhere. */
void fact_sum_ready(const struct pod *p, struct past *past, int64_t until_ms);
bool fact_can_move_ready(const struct pod *p); /* it counts no more: one that is done does until its Job is deleted */

#endif
