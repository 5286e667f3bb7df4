/* observe_target: what a watch shows of a JobSet or a Job. */
#ifndef OPERATOR_STORE_OBSERVE_TARGET_H
#define OPERATOR_STORE_OBSERVE_TARGET_H

#include "operator/store/store.h"

int observe_jobset(struct store *store, enum observed what, struct slice uid, struct slice json, int64_t received_ms);
int observe_job(struct store *store, enum observed what, struct slice uid, struct slice json, int64_t received_ms);
/* Registers an observed target by its name, and marks it for the JobGoodputs that name it. */
void store_target_named(struct store *store, struct target *t);

#endif
