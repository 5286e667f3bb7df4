/* pod: what a pod did in its slot. */
#ifndef OPERATOR_FACTS_POD_H
#define OPERATOR_FACTS_POD_H

#include "operator/job/job.h"

void fact_add_pod(struct model_job *job, struct pod *p);
/* The ledger asks for what its lives are called and why they were lost when it needs it: to a new ledger. */
void fact_set_texts(struct model_job *job);

#endif
