/* lost_pod: why a pod was lost, if an object shows it. */
#ifndef OPERATOR_FACTS_LOST_POD_H
#define OPERATOR_FACTS_LOST_POD_H

#include "operator/store/store.h"

/* Why the pod was lost, if an object tells. */
bool fact_pod_cause(const struct pod *p, struct ledger_disruption *d);

#endif
