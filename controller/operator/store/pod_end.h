/* pod_end: when a pod's containers ended, and whether they were asked to. */
#ifndef OPERATOR_STORE_POD_END_H
#define OPERATOR_STORE_POD_END_H

#include "operator/store/store.h"

/* A whole-second stamp means [t, t + 1 s); a line of the same process stamped within that second proves it later. */
int64_t instance_finished_ms(const struct instance *i);
/* When the pod was over; TIME_UNKNOWN while it is not. */
int64_t pod_ended_ms(const struct pod *p);
bool pod_is_training_container(const struct pod *p, int container);
/* The container ended because its pod was asked to go, not by itself. */
bool instance_was_signalled(const struct pod *p, const struct instance *i);
/* When it was signalled to stop and given time, before it ended: TIME_UNKNOWN if it was not, or nobody can tell. */
int64_t instance_signalled_ms(const struct pod *p, const struct instance *i);

#endif
