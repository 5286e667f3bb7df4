/* role: the label goodput.dev/role of this pod, by which a Service reaches the replica that leads: "leader" or
 * "standby". A new leader also takes the label from the pod of the one before it, which may be unable to do so itself.
 */
#ifndef OPERATOR_RUNTIME_ROLE_H
#define OPERATOR_RUNTIME_ROLE_H

#include "kube/client.h"

#define ROLE_LABEL "goodput.dev/role"

struct role;

/* pod: this process's own. */
struct role *role_new(struct kube_client *client, const char *namespace_, const char *pod);
void role_free(struct role *role); /* NULL-safe; stops */

void role_wait(struct role *role); /* standby */
/* predecessor: the identity that held the lease before, "<pod>_<random>"; "": none. */
void role_lead(struct role *role, const char *predecessor);

#endif
