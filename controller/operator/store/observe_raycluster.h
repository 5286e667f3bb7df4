/* observe_raycluster: what a watch shows of a RayCluster. That of a RayJob is kept as a Job of its target. */
#ifndef OPERATOR_STORE_OBSERVE_RAYCLUSTER_H
#define OPERATOR_STORE_OBSERVE_RAYCLUSTER_H

#include "operator/store/store.h"

int observe_raycluster(struct store *store, enum observed what, struct slice namespace_, struct slice uid,
                       struct slice json, int64_t received_ms);

#endif
