/* What was before this controller looked, and left no pod behind: who held the slots then nobody can tell. That time is
 * neither waiting nor lost: the slots count as held, and the time shows as Unattributed (DESIGN.md section 2). */
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/facts.h"

#include <string.h>

#define MAX_SIBLINGS 256
#define LATE_POD_MS 5000 /* a Job makes all its pods at once: one that is so much younger has replaced another */

/* Its first known eviction was over, or had taken the quota that was not seen to be given. */
static bool was_admitted_unseen(const struct workload *w) {
    const struct transition *evicted = &w->evicted.items[0];
    const struct transition *reserved = w->reserved.count > 0 ? &w->reserved.items[0] : NULL;
    return !evicted->is_true || (reserved && !reserved->is_true && reserved->at_ms >= evicted->at_ms);
}

/* It was evicted before the eviction that its condition still shows, and admitted again. */
static bool was_readmitted_unseen(const struct workload *w) {
    return w->evicted.items[0].is_true && w->first_evictions > 1 && w->reserved.count > 0 &&
           w->reserved.items[0].is_true && w->reserved.items[0].at_ms < w->evicted.items[0].at_ms;
}

/* When what is there now began: the Jobs of this attempt, the readmission, the resumption. TIME_UNKNOWN: there was
 * nothing before. */
static int64_t began_anew_ms(const struct target *t) {
    int64_t at_ms = TIME_UNKNOWN, newest = -1;
    for (const struct kube_job *j = t->kube_jobs; j && t->first_restarts > 0; j = j->next_in_target)
        newest = j->attempt <= t->first_restarts ? max_of(newest, j->attempt) : newest;
    for (const struct kube_job *j = t->kube_jobs; j && newest > 0; j = j->next_in_target)
        if (j->attempt == newest && j->created_ms != TIME_UNKNOWN)
            at_ms = at_ms == TIME_UNKNOWN ? j->created_ms : min_of(at_ms, j->created_ms);
    const struct transition *suspended = t->suspended.count > 0 ? &t->suspended.items[0] : NULL;
    if (!target_is_queued_by_kueue(t))
        at_ms = max_of(at_ms, t->resumed_unseen_ms);
    if (!target_is_queued_by_kueue(t) && suspended && suspended->is_true && suspended->at_ms < t->first_seen_ms &&
        suspended->at_ms > t->created_ms + LATE_POD_MS) /* it was not made so */
        at_ms = max_of(at_ms, suspended->at_ms);
    for (const struct workload *w = t->workloads; w; w = w->next_in_target)
        if (w->evicted.count > 0 && was_admitted_unseen(w))
            at_ms = max_of(at_ms, w->evicted.items[0].at_ms);
        else if (w->evicted.count > 0 && was_readmitted_unseen(w))
            at_ms = max_of(at_ms, w->reserved.items[0].at_ms);
    return at_ms;
}

/* Until Kueue admitted it for the first time nothing was there; known unless it was evicted since. */
static int64_t begun_ms(const struct target *t) {
    int64_t at_ms = t->created_ms;
    for (const struct workload *w = t->workloads; w; w = w->next_in_target)
        if (w->evicted.count == 0 || !(was_admitted_unseen(w) || was_readmitted_unseen(w)))
            for (int i = 0; i < w->admitted.count; i++)
                if (w->admitted.items[i].is_true) {
                    at_ms = max_of(at_ms, w->admitted.items[i].at_ms);
                    break;
                }
    return at_ms;
}

/* A pod that was not seen to come, of a Job that had others before it: since when it makes pods. TIME_UNKNOWN: it may
 * be the first of its slot. */
static int64_t had_pods_since_ms(const struct pod *p) {
    const struct kube_job *j = p->job;
    const struct target *t = p->target;
    if (j == NULL || j->created_ms == TIME_UNKNOWN || !(p->was_late || p->created_ms < t->first_seen_ms))
        return TIME_UNKNOWN;
    if (t->first_job_restarts > 0 && j->created_ms > begun_ms(t) + LATE_POD_MS)
        return begun_ms(t); /* its Job was restarted alone */
    if (j->failed_pods == 0)
        return TIME_UNKNOWN;
    int64_t since_ms = j->created_ms;
    for (int i = 0; i < j->suspended.count; i++)
        if (!j->suspended.items[i].is_true && j->suspended.items[i].at_ms <= p->created_ms)
            since_ms = max_of(since_ms, j->suspended.items[i].at_ms);
    return p->created_ms > since_ms + LATE_POD_MS ? since_ms : TIME_UNKNOWN;
}

/* A slot that was held, by nobody knows whom; not at all if the times say so. */
static struct ledger_life held(uint64_t id, int64_t slot, int64_t from_ms, int64_t to_ms) {
    return (struct ledger_life){.id = id,
                                .slot = (uint32_t)slot,
                                .bound_ms = from_ms < to_ms ? from_ms : TIME_UNKNOWN,
                                .pull_start_ms = TIME_UNKNOWN,
                                .pull_end_ms = TIME_UNKNOWN,
                                .running_ms = from_ms,
                                .lost_ms = to_ms,
                                .ended_ms = to_ms,
                                .done_ms = TIME_UNKNOWN,
                                .released_ms = to_ms};
}

/* The end of the pod that held its place before, as far as one is known. */
static int64_t previous_lost_ms(const struct pod *p) {
    int64_t at_ms = TIME_UNKNOWN;
    int looked_at = 0;
    for (const struct pod *other = p->job->pods; other && looked_at < MAX_SIBLINGS;
         other = other->next_in_job, looked_at++)
        if (other != p && other->completion_index == p->completion_index && other->created_ms <= p->created_ms)
            at_ms = max_of(at_ms, fact_pod_lost_ms(other));
    return at_ms;
}

void fact_tell_predecessor(struct model_job *job, const struct pod *p, int64_t slot) {
    int64_t since_ms = had_pods_since_ms(p);
    if (since_ms == TIME_UNKNOWN)
        return;
    since_ms = max_of(since_ms, previous_lost_ms(p));
    struct ledger_life life = held(p->id ^ UINT64_C(0x5851F42D4C957F2D), slot, since_ms, p->created_ms);
    life.created_ms = min_of(since_ms, p->created_ms);
    ledger_add_life(job->ledger, &life);
}

/* It is older than any pod that is known, so that each of those takes its place. */
static void tell(struct model_job *job, int64_t slot, int64_t from_ms, int64_t to_ms) {
    if (from_ms >= to_ms && !job->has_hidden)
        return;
    job->has_hidden = true;
    uint64_t id = slice_hash(slice_of(job->target->uid)) ^ (uint64_t)(slot + 1) * UINT64_C(0x9E3779B97F4A7C15);
    struct ledger_life life = held(id, slot, from_ms, to_ms);
    life.created_ms = job->target->created_ms - 1;
    ledger_add_life(job->ledger, &life);
}

/* The first pod that is known of each slot. */
static int64_t find_first_pods(const struct model_job *job, const struct pod **first, int64_t slots) {
    const struct target *t = job->target;
    int64_t earliest_ms = TIME_OPEN;
    for (size_t i = 0; i < t->pod_count; i++) {
        const struct pod *p = t->pods[i];
        int64_t slot = job_slot(job, p);
        if (slot < 0 || slot >= slots)
            continue;
        if (first[slot] == NULL || p->created_ms < first[slot]->created_ms)
            first[slot] = p;
        earliest_ms = min_of(earliest_ms, p->created_ms);
    }
    return earliest_ms;
}

/* The Job of the place that was there when the target was seen first; NULL if it was made later. */
static const struct kube_job *job_at_first_sight(const struct target *t, const char *replicated_job, int64_t index) {
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        if (j->job_index == index && j->created_ms != TIME_UNKNOWN && j->created_ms + LATE_POD_MS < t->first_seen_ms &&
            strcmp(j->replicated_job, replicated_job) == 0)
            return j;
    return NULL;
}

/* Until when the slot was held by pods that were gone when the target was seen first. */
static int64_t emptied_ms(const struct target *t, const struct kube_job *j, const struct pod *first) {
    if (j == NULL || (first && first->created_ms < t->first_seen_ms))
        return TIME_UNKNOWN;
    if (j->failing_ms != TIME_UNKNOWN && j->failing_ms < t->first_seen_ms)
        return j->failing_ms;
    return j->first_failed_pods > 0 ? t->first_seen_ms : TIME_UNKNOWN;
}

static void tell_slots(struct model_job *job, int64_t from_ms, int64_t to_ms, int64_t slots) {
    const struct target *t = job->target;
    const struct pod **first = mem_alloc((size_t)slots * sizeof *first);
    int64_t earliest_ms = find_first_pods(job, first, slots), s = 0;
    bool has_run = t->outcome == OUTCOME_SUCCEEDED ||
                   (t->outcome == OUTCOME_FAILED && (earliest_ms == TIME_OPEN || t->late_pods > 0));
    for (int i = 0; i < t->job_count; i++) {
        if (!job_requires(job, i))
            continue;
        for (int64_t k = 0; k < t->jobs[i].replicas; k++) {
            const struct kube_job *j = job_at_first_sight(t, t->jobs[i].name, k);
            for (int64_t end = s + t->jobs[i].stride; s < end; s++) {
                int64_t until_ms = max_of(to_ms, emptied_ms(t, j, first[s]));
                if (first[s] == NULL && t->end_ms != TIME_UNKNOWN && has_run)
                    until_ms = t->end_ms; /* and nothing is left of it */
                tell(job, s, from_ms, until_ms);
            }
        }
    }
    free(first);
}

void fact_tell_hidden(struct model_job *job) {
    const struct target *t = job->target;
    int64_t slots = 0, from_ms = begun_ms(t), to_ms = began_anew_ms(t);
    for (int i = 0; i < t->job_count; i++)
        slots += job_requires(job, i) ? t->jobs[i].replicas * t->jobs[i].stride : 0;
    uint64_t version = (uint64_t)to_ms * 31 + (uint64_t)from_ms * 7 + (uint64_t)t->late_pods * 3 +
                       (uint64_t)t->first_seen_ms + t->shape_version * 1000003 +
                       (t->end_ms != TIME_UNKNOWN ? t->pod_count + 1 : 0) * 5;
    bool is_of_interest = t->first_seen_ms > t->created_ms + LATE_POD_MS || to_ms != TIME_UNKNOWN || t->late_pods > 0 ||
                          t->end_ms != TIME_UNKNOWN;
    if (version == job->hidden_version || !is_of_interest || slots == 0 || slots > 1000000)
        return;
    job->hidden_version = version;
    tell_slots(job, from_ms, to_ms, slots);
}
