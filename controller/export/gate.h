/* gate: who may read /metrics: the bearer of a token that the API server knows (TokenReview) and whose user may "get"
 * the path (SubjectAccessReview), as kube-rbac-proxy and controller-runtime ask it. Verdicts are kept for a minute
 * (refusals for ten seconds), by the token's SHA-256; tokens themselves are not kept and not logged. */
#ifndef EXPORT_GATE_H
#define EXPORT_GATE_H

#include "io/server.h"
#include "kube/client.h"

struct gate;

/* serve: the endpoint behind the gate. */
struct gate *gate_new(struct kube_client *client, const struct server_endpoint *behind);
void gate_free(struct gate *gate); /* after the server is gone */
/* A server_endpoint's handle; context: the gate. */
void gate_handle(void *gate, const struct server_request *request, struct server_reply *reply);

#endif
