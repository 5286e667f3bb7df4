/* nodes: the last sign of life of a node that stopped being ready: its lease in kube-node-lease, fetched once
 * per outage. Without the right to read it the time of death is the node controller's, some 40 s later. */
#ifndef OPERATOR_RUNTIME_NODES_H
#define OPERATOR_RUNTIME_NODES_H

#include "kube/client.h"
#include "operator/model/model.h"

struct runtime_nodes;

struct runtime_nodes *runtime_nodes_new(struct kube_client *client, struct model *model, loop_callback *on_change,
                                        void *context);
void runtime_nodes_free(struct runtime_nodes *nodes);
void runtime_nodes_observed(struct runtime_nodes *nodes, struct slice name, enum observed what, struct slice node);

#endif
