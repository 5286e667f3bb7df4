/* loss: when a pod stopped holding its slot. */
#ifndef OPERATOR_FACTS_LOSS_H
#define OPERATOR_FACTS_LOSS_H

#include "operator/store/store.h"

/* When the pod stopped to count as available; TIME_OPEN while it does. */
int64_t fact_pod_lost_ms(const struct pod *p);
/* It is bound, and nothing says that it does not hold its slot. */
bool fact_is_pod_available(const struct pod *p);

#endif
