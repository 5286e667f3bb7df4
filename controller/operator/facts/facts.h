/* facts: turns stored objects into facts for a ledger: occupancies of slots, holds and disruptions. They are pure
 * functions of the store, so that the order of the watch events cannot matter. */
#ifndef OPERATOR_FACTS_FACTS_H
#define OPERATOR_FACTS_FACTS_H

#include "operator/job/job.h"

/* Adds to the ledger the facts that changed since the last call. */
void job_update_facts(struct model_job *job);
int64_t job_end_ms(const struct model_job *job); /* TIME_OPEN while it runs */

#endif
