/* kind_pytorchjob: reads a PyTorchJob and its pods: kinds.h. */
#ifndef OPERATOR_STORE_KIND_PYTORCHJOB_H
#define OPERATOR_STORE_KIND_PYTORCHJOB_H

#include "operator/objects/jobset.h"
#include "operator/store/store.h"

int pytorchjob_parse(struct slice json, struct object_jobset *run);
struct target *pytorchjob_of_pod(struct store *store, struct object_meta *pod);

#endif
