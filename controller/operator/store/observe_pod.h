/* observe_pod: what a watch shows of a pod, and Events of pods and Jobs. */
#ifndef OPERATOR_STORE_OBSERVE_POD_H
#define OPERATOR_STORE_OBSERVE_POD_H

#include "operator/store/store.h"

/* Bound and with its containers: of its next version only what object_pod_parse reads of a known one is needed. */
bool observe_knows_pod(const struct store *store, struct slice uid);
int observe_pod(struct store *store, enum observed what, struct slice uid, struct slice json, int64_t received_ms);
int observe_event(struct store *store, enum observed what, struct slice json);

#endif
