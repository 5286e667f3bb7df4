/* observe_target: what a watch shows of a Job, a JobSet, or a job of a kind that is read as a JobSet is. */
#ifndef OPERATOR_STORE_OBSERVE_TARGET_H
#define OPERATOR_STORE_OBSERVE_TARGET_H

#include "operator/store/store.h"

/* namespace_ and uid: of what has vanished; json: of anything else. */
int observe_run(struct store *store, enum target_kind kind, enum observed what, struct slice namespace_,
                struct slice uid, struct slice json, int64_t received_ms);
int observe_job(struct store *store, enum observed what, struct slice namespace_, struct slice uid, struct slice json,
                int64_t received_ms);
/* Registers an observed target by its name, and marks it for the JobGoodputs that name it. */
void store_target_named(struct store *store, struct target *t);
/* For observe_raycluster.c: what is kept like a Job of the target was deleted; meta NULL: it has vanished. */
void store_job_removed(struct store *store, struct kube_job *j, const struct object_meta *meta, int64_t received_ms);
/* The replicated jobs of the target, from at_ms on. */
void store_apply_shape(struct store *store, struct target *t, const struct object_jobset *shape, int64_t at_ms);

#endif
