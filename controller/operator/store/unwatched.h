/* unwatched: time in which the pods of a target were not watched. */
#ifndef OPERATOR_STORE_UNWATCHED_H
#define OPERATOR_STORE_UNWATCHED_H

#include "operator/store/store.h"

/* Something was received: this process watches from its first receipt on. */
void store_watching(struct store *store, int64_t received_ms);
/* Pods in that namespace (empty: any) were not watched from then until now. */
void store_unwatch(struct store *store, struct slice namespace_, int64_t from_ms);
/* Time up to which all objects of that kind are known, now_ms at most. */
int64_t store_known_ms(const struct store *store, enum resource resource, int64_t now_ms);
/* status.failed of a Job. was_watched: an earlier version of it was known, or it was created while this process
 * watched.
 */
void store_count_failed(const struct store *store, struct kube_job *j, int64_t failed_pods, bool was_watched,
                        int64_t received_ms);
/* The watch of pods was cut between those times, and they were listed again. */
void store_cut(struct store *store, int64_t from_ms, int64_t to_ms);
/* The spans, in time order and disjoint, in which pods of the target may have been created and deleted unobserved.
 * Heap. */
struct spans store_unwatched(const struct store *store, const struct target *t);
/* When the pod was last known to exist; TIME_OPEN: it exists. */
int64_t store_known_until_ms(const struct pod *p);

#endif
