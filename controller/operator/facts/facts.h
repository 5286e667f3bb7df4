/* facts: from the store to the ledger's facts: lives, holds and disruptions. Pure functions of what is stored, so that
 * the order in which the streams came cannot matter. Private to the model. */
#ifndef OPERATOR_FACTS_H
#define OPERATOR_FACTS_H

#include "operator/facts/sink.h"
#include "operator/job/job.h"
#include "operator/store/pod_end.h"

/* When the pod stopped to count as available; TIME_OPEN while it does. */
int64_t fact_pod_lost_ms(const struct pod *p);
/* It is bound, and nothing says that it does not hold its slot. */
bool fact_is_pod_available(const struct pod *p);
/* When its index was done; TIME_UNKNOWN if it is not. */
int64_t fact_pod_done_ms(const struct pod *p);
/* When it failed by itself; TIME_OPEN if it did not. */
int64_t fact_pod_failed_ms(const struct pod *p);
/* When an elastic Job became so small that the pod's slot is none any more; TIME_OPEN: it did not. */
int64_t fact_pod_unwanted_ms(const struct pod *p);
/* The trouble showed while the pod was there, give or take: what had ended before is not touched by it. */
bool fact_is_touched(const struct pod *p, const struct node_trouble *trouble, int64_t slack_ms);
/* Nothing of the pod can be there after this; TIME_OPEN while it is. */
int64_t fact_pod_over_ms(const struct pod *p);
/* What Events tell about it; NULL: nothing, or it is not measured. */
const struct pod_events *fact_pod_events(const struct pod *p);
/* When it was asked to go: deleted, disrupted or evicted; TIME_OPEN: it was not. */
int64_t fact_pod_asked_ms(const struct pod *p);
/* The first training container that ended with a failure for good; NULL: none did. */
const struct instance *fact_failed_instance(const struct pod *p, const char **name);
void fact_tell_silence(const struct pod *p, struct sink *sink);
/* When the node under the pod was last heard of before that trouble; when it showed, if nothing tells. */
int64_t fact_node_silent_from_ms(const struct node *n, const struct node_trouble *trouble);
/* Since when its node gives no sign of life, which nothing has explained yet; TIME_OPEN: it does. */
int64_t fact_pod_silent_ms(const struct pod *p);
/* The trouble of its node during which it was deleted or disrupted, and so the loss; NULL: none. */
const struct node_trouble *fact_pod_loss_by_node(const struct pod *p, int64_t *ret_from_ms);

/* In which time lives may have come and gone unobserved. */
void fact_tell_unwatched(struct model_job *job);
/* counted.c: interruptions that only counters tell of, into job->counted; after all pods are told. */
void fact_count(struct model_job *job);
/* When the restart was; TIME_OPEN: only the counter tells of it. */
int64_t fact_restarted_ms(const struct model_job *job, const struct restart *r);
/* It is not counted beside what it did to the pods: it was watched, or pods of before are known. */
bool fact_is_restart_known(const struct model_job *job, const struct restart *r);
bool fact_is_restart_watched(const struct model_job *job, const struct restart *r);
/* It was deleted, and another took its place in the same attempt. */
bool fact_is_restarted_alone(const struct kube_job *j);
void fact_tell_pod(struct model_job *job, struct pod *p);
/* Its part of how many required pods were Ready when; after p->slot is known. */
void fact_tell_ready(struct model_job *job, struct pod *p);
void fact_tell_past_ready(struct model_job *job, const struct past *past, int times);
/* What the pod did, until then, to how many were Ready is of the past: it is forgotten, or has no place elsewhere. */
void fact_sum_ready(const struct pod *p, struct past *past, int64_t until_ms);
bool fact_can_move_ready(const struct pod *p); /* it counts no more: one that is done does until its Job is deleted */
/* The ledger asks for what its lives are called and why they were lost when it needs it: to a new ledger. */
void fact_give_words(struct model_job *job);
/* The hold in as many pieces as suspensions leave of it: what is suspended is held back by that alone. */
void fact_tell_pieces(const struct history *suspended, struct ledger_hold hold, struct sink *sink);
/* Pods that could not be made. */
void fact_tell_refusals(struct model_job *job, struct sink *sink);
/* Why pods of that Job cannot be made now; NULL. Borrowed. */
const char *fact_refusal_now(const struct model_job *job, const char *replicated_job, int64_t job_index);
/* The Workload that named the pod's node in status.unhealthyNodes then, give or take; NULL. */
const struct workload *fact_unhealthy_by_kueue(const struct pod *p, int64_t from_ms, int64_t to_ms);
void fact_tell_workloads(struct model_job *job, struct sink *sink);
/* Why the pod was lost, if an object tells. */
bool fact_pod_cause(const struct pod *p, struct ledger_disruption *d);

#endif
