/* observe: what the watches show, recorded in the store. model.h says what each means. */
#ifndef OPERATOR_STORE_OBSERVE_H
#define OPERATOR_STORE_OBSERVE_H

#include "operator/store/store.h"

/* An object; -EINVAL: it is malformed, or not of a kind that is stored. */
int store_observe(struct store *store, enum resource resource, enum observed what, struct slice namespace_,
                  struct slice name, struct slice uid, struct slice object, int64_t received_ms);
/* An object of that kind was received. */
void store_receive(struct store *store, enum resource resource, int64_t received_ms);
/* All changes of that kind up to then were observed; is_absent: the cluster does not serve it. */
void store_complete(struct store *store, enum resource resource, int64_t received_ms, bool is_absent);
/* The API server could not be reached between those times. */
void store_unreachable(struct store *store, int64_t from_ms, int64_t to_ms);

#endif
