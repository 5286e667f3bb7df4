/* kind_rayjob: reads a RayJob, its RayCluster and their pods: kinds.h. */
#ifndef OPERATOR_STORE_KIND_RAYJOB_H
#define OPERATOR_STORE_KIND_RAYJOB_H

#include "operator/objects/jobset.h"
#include "operator/store/store.h"

int rayjob_parse(struct slice json, struct object_jobset *run);
int raycluster_parse(struct slice json, struct object_jobset *run);
struct target *rayjob_of_pod(struct store *store, struct object_meta *pod);

#endif
