/* lost_pod: the cause of the loss of a pod. */
#ifndef OPERATOR_FACTS_LOST_POD_H
#define OPERATOR_FACTS_LOST_POD_H

#include "operator/store/store.h"

/* Fills cause, evidence and time of the loss. False: no object shows a cause. */
bool fact_pod_cause(const struct pod *p, struct ledger_disruption *d);

#endif
