/* pod_end: when a pod was asked to go, failed, was done, was over, or was not required any more: each from its own
 * objects alone. */
#ifndef OPERATOR_FACTS_POD_END_H
#define OPERATOR_FACTS_POD_END_H

#include "operator/store/store.h"

/* When its index was done; TIME_UNKNOWN if it is not. */
int64_t fact_pod_done_ms(const struct pod *p);
/* When it failed by itself; TIME_OPEN if it did not. */
int64_t fact_pod_failed_ms(const struct pod *p);
/* When an elastic Job became so small that the pod's slot is none any more; TIME_OPEN: it did not. */
int64_t fact_pod_surplus_ms(const struct pod *p);
/* Nothing of the pod can be there after this; TIME_OPEN while it is. */
int64_t fact_pod_over_ms(const struct pod *p);
/* What Events tell about it; NULL: nothing, or it is not measured. */
const struct pod_events *fact_pod_events(const struct pod *p);
/* When it was asked to go: deleted, disrupted or evicted; TIME_OPEN: it was not. */
int64_t fact_pod_asked_ms(const struct pod *p);
/* The first training container that ended with a failure for good; NULL: none did. */
const struct instance *fact_failed_instance(const struct pod *p, const char **name);

#endif
