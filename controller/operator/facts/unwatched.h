/* unwatched: time in which pods may have come and gone unobserved. */
#ifndef OPERATOR_FACTS_UNWATCHED_H
#define OPERATOR_FACTS_UNWATCHED_H

#include "operator/job/job.h"

/* In which time lives may have come and gone unobserved. */
void fact_set_unwatched(struct model_job *job);

#endif
