/* unwatched: time in which pods may have been created and deleted unobserved. */
#ifndef OPERATOR_FACTS_UNWATCHED_H
#define OPERATOR_FACTS_UNWATCHED_H

#include "operator/job/job.h"

/* Sets that time in the job's ledger. */
void fact_set_unwatched(struct model_job *job);

#endif
