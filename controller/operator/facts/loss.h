/* loss: when a pod stopped holding its slot. */
#ifndef OPERATOR_FACTS_LOSS_H
#define OPERATOR_FACTS_LOSS_H

#include "operator/store/store.h"

/* End of the time in which the pod counts as available; TIME_OPEN: it still does. */
int64_t fact_pod_lost_ms(const struct pod *p);
/* The pod is bound and holds its slot, as far as its objects show. */
bool fact_is_pod_available(const struct pod *p);

#endif
