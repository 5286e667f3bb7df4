/* signals: what nodes showed about their health (rootcause/node_signals.h), and when. Few nodes ever show one: they are
 * in store.signal_nodes. */
#ifndef OPERATOR_STORE_SIGNALS_H
#define OPERATOR_STORE_SIGNALS_H

#include "operator/objects/cluster.h"
#include "operator/store/store.h"

#define STORE_NODE_SIGNALS 16       /* of one node; one that is over makes room, then a weak one */
#define STORE_MAX_SIGNALS 16384     /* of all nodes together: 6 MiB at most; more are left out */
#define STORE_SIGNAL_TEXT 256       /* of a message */
#define STORE_SIGNAL_AGAIN_MS 60000 /* an Event that comes again within that time is one signal */

void store_restore_signals(struct store *store, struct node *n); /* from a checkpoint */
/* Whether something has changed. is_first: the node was not observed before, so that a signal without a time
 * may be old. */
bool store_observe_node_signals(struct store *store, struct node *n, struct slice json, int64_t received_ms,
                                bool is_first);
void store_observe_node_event(struct store *store, const struct object_event *event);
int store_observe_resource_slice(struct store *store, enum observed what, struct slice name, struct slice json,
                                 int64_t received_ms);

#endif
