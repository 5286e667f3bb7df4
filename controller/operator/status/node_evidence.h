/* node_evidence: writes status.executions[].nodeEvidence, and names the node that it accuses. */
#ifndef OPERATOR_STATUS_NODE_EVIDENCE_H
#define OPERATOR_STATUS_NODE_EVIDENCE_H

#include "base/jwrite.h"
#include "operator/job/evidence.h"

/* Of the interruption that ended that execution; nothing where there is none. */
void node_evidence_write(struct jwrite *w, const struct job_evidence *evidence, int number);
/* The node that showed the cause of that interruption, which is to blame; NULL: none is. Borrowed. */
const char *node_evidence_accused(const struct job_evidence *evidence, int number);

#endif
