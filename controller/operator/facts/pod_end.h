/* pod_end: when a pod was asked to stop, failed, completed, ended, or was no longer required. Each follows from its own
 * objects. */
#ifndef OPERATOR_FACTS_POD_END_H
#define OPERATOR_FACTS_POD_END_H

#include "operator/store/store.h"

/* When its index completed; TIME_UNKNOWN: it did not. */
int64_t fact_pod_done_ms(const struct pod *p);
/* When it failed by itself; TIME_OPEN: it did not. */
int64_t fact_pod_failed_ms(const struct pod *p);
/* When an elastic Job became so small that it no longer has the pod's slot; TIME_OPEN: it did not. */
int64_t fact_pod_surplus_ms(const struct pod *p);
/* From then on no container of the pod can run; TIME_OPEN: they may still. */
int64_t fact_pod_over_ms(const struct pod *p);
/* The pod's Events; NULL: there are none, or no JobGoodput measures the target. */
const struct pod_events *fact_pod_events(const struct pod *p);
/* When it was asked to stop: deleted, disrupted or evicted; TIME_OPEN: it was not. */
int64_t fact_pod_asked_ms(const struct pod *p);
/* The first training container that failed and is not restarted; NULL: none. */
const struct instance *fact_failed_instance(const struct pod *p, const char **name);

#endif
