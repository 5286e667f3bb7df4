/* kind_leaderworkerset: reads a LeaderWorkerSet and its pods: kinds.h. */
#ifndef OPERATOR_STORE_KIND_LEADERWORKERSET_H
#define OPERATOR_STORE_KIND_LEADERWORKERSET_H

#include "operator/objects/jobset.h"
#include "operator/store/store.h"

int leaderworkerset_parse(struct slice json, struct object_jobset *run);
struct target *leaderworkerset_of_pod(struct store *store, struct object_meta *pod);

#endif
