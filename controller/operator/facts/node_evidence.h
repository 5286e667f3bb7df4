/* node_evidence: which signals of nodes belong to which interruption of a job, by node and time. */
#ifndef OPERATOR_FACTS_NODE_EVIDENCE_H
#define OPERATOR_FACTS_NODE_EVIDENCE_H

#include "ledger/evaluate.h"
#include "operator/job/job.h"

#define EVIDENCE_BEFORE_MS 600000 /* older signals count only while they last */
#define EVIDENCE_AFTER_MS 300000  /* later ones belong to something else */

/* Looks again at the interruptions that signals may still join. */
void job_update_node_evidence(struct model_job *job, const struct ledger_result *result);

#endif
