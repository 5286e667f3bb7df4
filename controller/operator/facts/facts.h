/* facts: from the store to the facts of a ledger: occupancies of slots, holds and disruptions. Pure functions of what
 * is stored, so that the order in which the streams came cannot matter. */
#ifndef OPERATOR_FACTS_FACTS_H
#define OPERATOR_FACTS_FACTS_H

#include "operator/job/job.h"

/* Gives the ledger what changed since the last call. */
void job_update_facts(struct model_job *job);
int64_t job_end_ms(const struct model_job *job); /* TIME_OPEN while it runs */

#endif
