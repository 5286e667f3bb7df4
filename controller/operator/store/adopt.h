/* adopt: an object that was observed before the one that it belongs to is of a target by itself until then. */
#ifndef OPERATOR_STORE_ADOPT_H
#define OPERATOR_STORE_ADOPT_H

#include "operator/store/store.h"

/* Moves the pods, Jobs, Workloads and failures of `from` to `to`, and forgets it. NULL, the same, or one that is
 * measured itself: nothing happens. */
void store_adopt(struct store *store, struct target *from, struct target *to);
void store_adopt_workloads(struct target *from, struct target *to);

/* Moves a Job with its pods, whose labels named another target than its owner does. */
void store_adopt_job(struct store *store, struct kube_job *j, struct target *to);

/* The target of that kind that made the Job, by its owner reference; NULL: another one did, or the Job is measured
 * itself. *ret_itself: the target of the Job's pods, which may have been observed before it; NULL: none. */
struct target *store_owner_of_job(struct store *store, const struct object_meta *job, enum target_kind kind,
                                  const char *owner_kind, struct target **ret_itself);

/* The target of pods that bear its name alone, until it is observed. */
struct target *store_waiting(struct store *store, enum target_kind kind, struct slice namespace_, struct slice name);
void store_adopt_waiting(struct store *store, struct target *to);

#endif
