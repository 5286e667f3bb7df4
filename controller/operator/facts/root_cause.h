/* root_cause: why an execution ended, from the signals of its nodes. */
#ifndef OPERATOR_FACTS_ROOT_CAUSE_H
#define OPERATOR_FACTS_ROOT_CAUSE_H

#include "ledger/evaluate.h"
#include "operator/job/job.h"

/* After job_update_node_evidence. */
void job_update_root_causes(struct model_job *job, const struct ledger_result *result);

#endif
