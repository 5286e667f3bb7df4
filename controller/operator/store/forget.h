/* forget: what is stored of an object is freed. */
#ifndef OPERATOR_STORE_FORGET_H
#define OPERATOR_STORE_FORGET_H

#include "operator/store/store.h"

void store_events_free(void *events);
/* A target that no JobGoodput measures and that is gone may be forgotten with all that belongs to it. */
void store_trim(struct model *m);
void store_forget(struct model *m, struct target *t);       /* with all that belongs to it; no JobGoodput measures it */
void store_forget_pod(struct model *m, struct pod *p);      /* takes it off all lists but its target's */
void store_forget_job(struct model *m, struct kube_job *j); /* it has no pods any more */
void store_done(struct model *m);

#endif
