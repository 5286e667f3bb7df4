/* observe_cluster: what a watch shows of a Workload, a node or its lease. */
#ifndef OPERATOR_STORE_OBSERVE_CLUSTER_H
#define OPERATOR_STORE_OBSERVE_CLUSTER_H

#include "operator/store/store.h"

int observe_workload(struct store *store, enum observed what, struct slice namespace_, struct slice uid,
                     struct slice json, int64_t received_ms);
int observe_node(struct store *store, enum observed what, struct slice name, struct slice json, int64_t received_ms);
int observe_lease(struct store *store, enum observed what, struct slice json);

#endif
