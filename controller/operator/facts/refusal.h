/* refusal: pods that are missing because the API server refused to create them. */
#ifndef OPERATOR_FACTS_REFUSAL_H
#define OPERATOR_FACTS_REFUSAL_H

#include "operator/facts/sink.h"
#include "operator/job/job.h"

void fact_add_refusals(struct model_job *job, struct sink *sink);
/* Why pods of that Job cannot be created now; NULL: they can. Borrowed. */
const char *fact_refusal_now(const struct model_job *job, const char *replicated_job, int64_t job_index);

#endif
