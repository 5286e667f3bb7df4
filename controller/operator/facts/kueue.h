/* kueue: what the Workloads of a target show. */
#ifndef OPERATOR_FACTS_KUEUE_H
#define OPERATOR_FACTS_KUEUE_H

#include "operator/facts/sink.h"
#include "operator/job/job.h"

/* The Workload that named the pod's node in status.unhealthyNodes then, give or take; NULL. */
const struct workload *fact_unhealthy_by_kueue(const struct pod *p, int64_t from_ms, int64_t to_ms);
void fact_add_workloads(struct model_job *job, struct sink *sink);

#endif
