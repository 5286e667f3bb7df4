/* pod: adds one pod to the ledger: its occupancy of a slot, its waits, restarts and the cause of its loss. */
#ifndef OPERATOR_FACTS_POD_H
#define OPERATOR_FACTS_POD_H

#include "operator/job/job.h"

void fact_add_pod(struct model_job *job, struct pod *p);
/* Gives a new ledger the callbacks by which it gets the names of pods and the causes of losses when it needs them. */
void fact_set_texts(struct model_job *job);

#endif
