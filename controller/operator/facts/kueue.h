/* kueue: holds and disruptions from the Workloads of a target. */
#ifndef OPERATOR_FACTS_KUEUE_H
#define OPERATOR_FACTS_KUEUE_H

#include "operator/facts/sink.h"
#include "operator/job/job.h"

/* The Workload whose status.unhealthyNodes named the pod's node at some time of [from_ms, to_ms]; NULL: none. */
const struct workload *fact_unhealthy_by_kueue(const struct pod *p, int64_t from_ms, int64_t to_ms);
void fact_add_workloads(struct model_job *job, struct sink *sink);

#endif
