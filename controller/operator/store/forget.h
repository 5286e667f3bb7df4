/* forget: frees what is stored of an object. */
#ifndef OPERATOR_STORE_FORGET_H
#define OPERATOR_STORE_FORGET_H

#include "operator/store/store.h"

/* Forgets the oldest deleted target that no JobGoodput measures, if there are too many. */
void store_trim(struct store *store);
void store_forget(struct store *store, struct target *t);  /* with all that belongs to it; no JobGoodput measures it */
void store_forget_pod(struct store *store, struct pod *p); /* takes it off all lists but its target's */
void store_forget_job(struct store *store, struct kube_job *j); /* it has no pods any more */
void store_done(struct store *store);

#endif
