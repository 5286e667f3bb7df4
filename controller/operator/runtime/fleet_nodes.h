/* fleet_nodes: the nodes that are the capacity of one FleetGoodput, watched for it alone: how many there are and how
 * many chips they have, by node pool. A node that is not Ready does not count. */
#ifndef OPERATOR_RUNTIME_FLEET_NODES_H
#define OPERATOR_RUNTIME_FLEET_NODES_H

#include "kube/client.h"
#include "operator/fleet/spec.h"

struct fleets_nodes;

struct fleets_nodes *fleets_nodes_new(struct kube_client *client, const struct fleets_spec *spec); /* borrows both */
void fleets_nodes_free(struct fleets_nodes *nodes);                                                /* NULL-safe */
/* Why they may not be read, in the server's words; NULL: they may. Borrowed until the loop runs again. */
const char *fleets_nodes_refusal(const struct fleets_nodes *nodes);
/* By pool, in the order of their names; borrowed until the next call. False: not all are known. */
bool fleets_nodes_count(struct fleets_nodes *nodes, const struct roll_nodes **pools, size_t *count);

#endif
