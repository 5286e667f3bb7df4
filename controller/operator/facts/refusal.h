/* refusal: pods that could not be created. */
#ifndef OPERATOR_FACTS_REFUSAL_H
#define OPERATOR_FACTS_REFUSAL_H

#include "operator/facts/sink.h"
#include "operator/job/job.h"

/* Pods that could not be made. */
void fact_add_refusals(struct model_job *job, struct sink *sink);
/* Why pods of that Job cannot be made now; NULL. Borrowed. */
const char *fact_refusal_now(const struct model_job *job, const char *replicated_job, int64_t job_index);

#endif
