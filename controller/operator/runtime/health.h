/* health: /healthz and /readyz for the kubelet's probes. */
#ifndef OPERATOR_RUNTIME_HEALTH_H
#define OPERATOR_RUNTIME_HEALTH_H

#include "io/server.h"
#include "kube/lease.h"
#include "operator/runtime/watches.h"

struct runtime_health {
    const struct runtime_watches *watches; /* NULL until they exist */
    const struct kube_lease *lease;        /* NULL without leader election */
    bool is_cold;                          /* it does not watch while it waits for the lease */
};

/* Serves `health`, which stays the caller's and may be filled later. NULL without error for address "0". */
struct server *runtime_health_serve(struct loop *loop, const char *address, struct runtime_health *health,
                                    struct error **err);

#endif
