/* sweep: what was restored from a checkpoint and no list shows. */
#ifndef OPERATOR_STORE_SWEEP_H
#define OPERATOR_STORE_SWEEP_H

#include "operator/store/store.h"

/* What was restored of that kind and was not seen since has vanished; so have nodes that only pods tell of. */
void store_sweep(struct model *m, enum resource resource, int64_t received_ms);

#endif
