/* owner: who owns an interruption: by its root cause, else by its cause, and a site's policy before both. */
#ifndef OPERATOR_FACTS_OWNER_H
#define OPERATOR_FACTS_OWNER_H

#include "operator/job/job.h"

/* Gives a new ledger the callback that it asks for an interruption's owner. */
void fact_set_owners(struct model_job *job);
/* After the root causes were updated from the same result. */
void job_update_owners(const struct model_job *job, struct ledger_result *result);

#endif
