/* gate: decides who may read /metrics: the bearer of a token that the API server knows (TokenReview), if the user may
 * "get" the path (SubjectAccessReview), as in kube-rbac-proxy and controller-runtime. Verdicts hold for a while
 * (export/verdicts.h). */
#ifndef EXPORT_GATE_H
#define EXPORT_GATE_H

#include "io/server.h"
#include "kube/client.h"

struct gate;

/* serve: the endpoint behind the gate. */
struct gate *gate_new(struct kube_client *client, const struct server_endpoint *behind);
void gate_free(struct gate *gate); /* after the server */
/* The handle of a server_endpoint, with the gate as its context. */
void gate_handle(void *gate, const struct server_request *request, struct server_reply *reply);

#endif
