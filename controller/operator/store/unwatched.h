/* unwatched: time that is not watched. */
#ifndef OPERATOR_STORE_UNWATCHED_H
#define OPERATOR_STORE_UNWATCHED_H

#include "operator/store/store.h"

/* unwatched.c: something was told: from the first time on this process watches. */
void store_watching(struct store *store, int64_t received_ms);
/* Pods in that namespace (empty: any) were not watched from then until now. */
void store_unwatch(struct store *store, struct slice namespace_, int64_t from_ms);
/* Up to when all objects of that kind are known, now_ms at most. */
int64_t store_known_ms(const struct store *store, enum resource resource, int64_t now_ms);
/* A Job counts so many failed pods. was_watched: a version of it was known, or it was made while this process watched.
 */
void store_count_failed(const struct store *store, struct kube_job *j, int64_t failed_pods, bool was_watched,
                        int64_t received_ms);
/* The watch of pods was cut between those times, and they were listed again. */
void store_cut(struct store *store, int64_t from_ms, int64_t to_ms);
/* The spans, in time order and disjoint, in which the target's pods may have come and gone unobserved. Heap. */
struct spans store_unwatched(const struct store *store, const struct target *t);
/* When the pod was last known to be there; TIME_OPEN: it is. */
int64_t store_known_until_ms(const struct pod *p);

#endif
