/* kind_podgroup: reads the Workload of a group of pods and its pods: kinds.h. */
#ifndef OPERATOR_STORE_KIND_PODGROUP_H
#define OPERATOR_STORE_KIND_PODGROUP_H

#include "operator/objects/jobset.h"
#include "operator/store/store.h"

int podgroup_parse(struct slice json, struct object_jobset *run);
struct target *podgroup_of_pod(struct store *store, struct object_meta *pod);

#endif
