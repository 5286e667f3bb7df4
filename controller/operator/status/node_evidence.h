/* node_evidence: writes status.executions[].nodeEvidence. */
#ifndef OPERATOR_STATUS_NODE_EVIDENCE_H
#define OPERATOR_STATUS_NODE_EVIDENCE_H

#include "base/jwrite.h"
#include "operator/job/evidence.h"

/* Of the interruption that ended that execution; nothing where there is none. */
void node_evidence_write(struct jwrite *w, const struct job_evidence *evidence, int number);

#endif
