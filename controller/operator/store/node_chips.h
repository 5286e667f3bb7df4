/* node_chips: the chips of pods that ask for none and whose group declares none to Ray, on nodes that they select by
 * a label of accelerators: all that the node's labels count. Where two pods of such groups are on one node at once,
 * their groups have none: nothing says how many each uses. */
#ifndef OPERATOR_STORE_NODE_CHIPS_H
#define OPERATOR_STORE_NODE_CHIPS_H

#include "operator/store/store.h"

/* Counts those of all pods of the target again; marks the pods that have others now. */
void store_count_node_chips(struct store *store, struct target *t);
/* The first group whose pods share nodes; NULL: none does. */
const struct replicated_job *store_sharing_nodes(const struct target *t);

#endif
