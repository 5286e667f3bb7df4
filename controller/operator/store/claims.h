/* claims: the chips that pods ask for by ResourceClaims, added to those that their containers ask for; and those that a
 * RayCluster declares for pods that ask for none. A claim that
 * several pods share is of the first that it is reserved for. A claim is deleted before its pod is, or lost while no
 * controller runs: the chips of a pod never become fewer. */
#ifndef OPERATOR_STORE_CLAIMS_H
#define OPERATOR_STORE_CLAIMS_H

#include "operator/store/store.h"

int store_observe_claim(struct store *store, enum observed what, struct slice uid, struct slice json);
int store_observe_claim_template(struct store *store, enum observed what, struct slice json);
/* The ResourceClaimTemplates that pods of that replicated job name, and their chips: known before a pod is. */
void store_read_claim_templates(struct store *store, struct target *t, struct replicated_job *r, struct slice claims);
/* Pods of that replicated job have that many chips besides those that their containers ask for. */
void store_raise_claimed(struct target *t, struct replicated_job *r, int64_t claimed);
/* The pod's containers are known: what was claimed for it before counts. */
void store_add_claimed(struct store *store, struct pod *p);

#endif
