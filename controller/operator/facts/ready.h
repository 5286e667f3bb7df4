/* ready: the number of required pods that were Ready, over time. */
#ifndef OPERATOR_FACTS_READY_H
#define OPERATOR_FACTS_READY_H

#include "operator/job/job.h"

/* Adds the pod to that number. Call it when p->slot is known. */
void fact_add_ready(struct model_job *job, struct pod *p);
void fact_add_past_ready(struct model_job *job, const struct past *past, int times);
/* Adds the pod's changes of that number until until_ms to `past`: the pod is forgotten, or does not fit into a
 * checkpoint. */
void fact_sum_ready(const struct pod *p, struct past *past, int64_t until_ms);
bool fact_can_move_ready(
    const struct pod *p); /* the pod no longer counts; a completed one counts until its Job is deleted */

#endif
