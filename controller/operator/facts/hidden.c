/* What was while nobody watched, before this controller looked or while its watch was cut, and left no pod behind: who
 * held the slots then nobody can tell. As far as no object proves that nobody did, that time is neither waiting nor
 * lost: the slots count as held, and the time shows as Unattributed (DESIGN.md section 2).
 *
 * Per slot and per span in which nobody watched: between the end of one known pod and the creation of the next. What
 * proves that the slot was empty is worked out backwards from that creation: the Job that made the pod was itself just
 * made, or resumed, or its whole set was just restarted. */
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/facts/facts.h"

#include <stdlib.h>
#include <string.h>

#define LATE_POD_MS 5000 /* a Job makes all its pods at once: one that is so much younger has replaced another */
#define MOST_PIECES 32   /* of one slot */
#define MOST_SLOTS 1000000
#define SHORTEST_MS 2000 /* less is between stamps of whole seconds */

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

/* Until Kueue admitted it for the first time nothing was there; known unless it was evicted since. */
static int64_t begun_ms(const struct target *t) {
    int64_t at_ms = t->created_ms;
    for (const struct workload *w = t->workloads; w; w = w->next_in_target)
        if (w->evicted.count == 0 || !(was_admitted_unseen(w) || was_readmitted_unseen(w)))
            for (int i = 0; i < w->admitted.count; i++)
                if (w->admitted.items[i].is_true &&
                    !(w->evicted.count > 0 && w->evicted.items[0].at_ms < w->admitted.items[i].at_ms)) {
                    at_ms = max_of(at_ms, w->admitted.items[i].at_ms);
                    break;
                }
    return at_ms;
}

/* What is there now began anew then, and how long it had waited for that nobody saw: resumed, or admitted again, after
 * who knows what. TIME_UNKNOWN: there was nothing before. */
static int64_t began_anew_ms(const struct target *t) {
    int64_t at_ms = TIME_UNKNOWN;
    const struct transition *suspended = t->suspended.count > 0 ? &t->suspended.items[0] : NULL;
    if (!target_is_queued_by_kueue(t))
        at_ms = t->resumed_unseen_ms;
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

/* ---- since when a slot was empty ---- */

/* When the Job last began to make pods before then: made, or resumed. */
static int64_t making_since_ms(const struct kube_job *j, int64_t at_ms) {
    int64_t since_ms = j->created_ms;
    for (int i = 0; i < j->suspended.count; i++)
        if (!j->suspended.items[i].is_true && j->suspended.items[i].at_ms <= at_ms)
            since_ms = max_of(since_ms, j->suspended.items[i].at_ms);
    return since_ms;
}

/* It was resumed then: as far back as the suspension, or the wait for quota, is known without a gap. */
static int64_t suspended_since_ms(const struct target *t, int64_t resumed_ms) {
    int64_t since_ms = resumed_ms;
    for (int i = 0; i + 1 < t->suspended.count; i++)
        if (t->suspended.items[i].is_true && t->suspended.items[i + 1].at_ms >= resumed_ms - LATE_POD_MS &&
            t->suspended.items[i].at_ms < resumed_ms && !t->suspended.items[i].is_derived)
            since_ms = min_of(since_ms, t->suspended.items[i].at_ms);
    for (const struct workload *w = t->workloads; w; w = w->next_in_target) {
        for (int i = 0; i < w->reserved.count; i++) /* checks and the start itself lie between */
            for (int k = 0; k < w->admitted.count && w->reserved.items[i].is_true; k++)
                if (w->admitted.items[k].is_true && w->admitted.items[k].at_ms >= w->reserved.items[i].at_ms &&
                    w->admitted.items[k].at_ms <= resumed_ms + 1000 &&
                    w->admitted.items[k].at_ms >= resumed_ms - LATE_POD_MS)
                    since_ms = min_of(since_ms, w->reserved.items[i].at_ms);
        for (int i = 0; i + 1 < w->evicted.count; i++)
            if (w->evicted.items[i].is_true && w->evicted.items[i].at_ms < resumed_ms &&
                w->evicted.items[i + 1].at_ms >= since_ms - 1000)
                since_ms = min_of(since_ms, w->evicted.items[i].at_ms);
    }
    return since_ms;
}

/* The Jobs of an attempt are made right after it was begun, and those of the one before are over then. */
static int64_t attempt_begun_ms(const struct target *t, int64_t attempt, int64_t at_ms) {
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        if (j->attempt == attempt && j->created_ms != TIME_UNKNOWN)
            at_ms = min_of(at_ms, j->created_ms);
    for (int i = 0; i < t->restart_count; i++)
        if (t->restart_list[i].number == attempt && strcmp(t->restart_list[i].what, "restarts") == 0 &&
            !t->restart_list[i].is_derived)
            at_ms = min_of(at_ms, t->restart_list[i].at_ms);
    return at_ms;
}

/* So often it had been restarted when the watch began, or began again. */
static int64_t restarts_unseen(const struct target *t, const char *what, int64_t first) {
    int64_t number = max_of(first, 0), until_ms = t->unseen.items[t->unseen.count - 1].to_ms;
    for (int i = 0; i < t->restart_count; i++)
        if (strcmp(t->restart_list[i].what, what) == 0 && t->restart_list[i].at_ms <= until_ms)
            number = max_of(number, t->restart_list[i].number);
    return number;
}

static bool has_restarted_jobs(const struct target *t) {
    return restarts_unseen(t, "jobRestarts", t->first_job_restarts) > 0;
}

static bool may_be_restarted_alone(const struct target *t, const struct kube_job *j) {
    int64_t begun_at_ms = j->attempt > 0 ? attempt_begun_ms(t, j->attempt, j->created_ms) : begun_ms(t);
    return has_restarted_jobs(t) && j->created_ms > begun_at_ms + LATE_POD_MS;
}

/* The Job began to make pods then, and had made none before. */
static int64_t empty_before_ms(const struct target *t, const struct kube_job *j, int64_t since_ms) {
    if (since_ms > j->created_ms) {
        bool was_never_stopped = begun_ms(t) > t->created_ms; /* Kueue would have had to */
        return was_never_stopped ? t->created_ms : suspended_since_ms(t, since_ms);
    }
    if (may_be_restarted_alone(t, j))
        return since_ms;
    return j->attempt > 0 ? attempt_begun_ms(t, j->attempt, since_ms) : t->created_ms;
}

/* None of the Job's pods is gone without having been seen: it was told first when nobody had watched, and counted no
 * others then. */
static bool has_all_its_pods(const struct target *t, const struct kube_job *j) {
    bool is_new = j->first_told_ms >= t->unseen.items[t->unseen.count - 1].to_ms - STORE_LATE_MS;
    return j->failed_pods == 0 || (is_new && j->first_failed_pods <= j->known_lost);
}

/* Of a pod made then, or missing until then. */
static int64_t empty_since_ms(const struct target *t, const struct kube_job *j, int64_t at_ms) {
    if (j == NULL || j->created_ms == TIME_UNKNOWN)
        return at_ms;
    int64_t since_ms = making_since_ms(j, at_ms + 1000);
    at_ms = fact_refused_since_ms(t->job, j, at_ms);
    return at_ms <= since_ms + LATE_POD_MS || has_all_its_pods(t, j) ? min_of(at_ms, empty_before_ms(t, j, since_ms))
                                                                     : at_ms;
}

/* Suspended, evicted, or never admitted, and so then. */
static int64_t stopped_since_ms(const struct target *t, int64_t at_ms) {
    int64_t since_ms = at_ms;
    for (int i = t->suspended.count - 1; i >= 0; i--) {
        if (t->suspended.items[i].at_ms > at_ms)
            continue;
        if (t->suspended.items[i].is_true && !t->suspended.items[i].is_derived)
            since_ms = min_of(since_ms, t->suspended.items[i].at_ms);
        break;
    }
    for (const struct workload *w = t->workloads; w; w = w->next_in_target) {
        bool was_admitted = w->evicted.count > 0;
        for (int i = 0; i < w->admitted.count; i++)
            was_admitted |= w->admitted.items[i].is_true && w->admitted.items[i].at_ms <= at_ms;
        if (!was_admitted)
            return t->created_ms;
        for (int i = w->evicted.count - 1; i >= 0; i--) {
            if (w->evicted.items[i].at_ms > at_ms)
                continue;
            if (w->evicted.items[i].is_true)
                since_ms = min_of(since_ms, w->evicted.items[i].at_ms);
            break;
        }
    }
    return t->queue[0] && t->workloads == NULL ? t->created_ms : since_ms;
}

static bool is_gone_by(const struct kube_job *j, int64_t at_ms) {
    bool was_missed = j->gone_ms != TIME_UNKNOWN && j->deletion_ms == j->gone_ms; /* when the watch was back */
    return j->gone_ms != TIME_UNKNOWN && j->gone_ms <= at_ms + (was_missed ? STORE_LATE_MS : 0);
}

/* The place's Job at that time; NULL if there is none. */
static const struct kube_job *job_at(const struct target *t, const char *replicated_job, int64_t index, int64_t at_ms) {
    const struct kube_job *newest = NULL;
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        if (j->job_index == index && j->created_ms != TIME_UNKNOWN && j->created_ms <= at_ms && !is_gone_by(j, at_ms) &&
            (t->kind == TARGET_JOB || strcmp(j->replicated_job, replicated_job) == 0) &&
            (newest == NULL || j->created_ms > newest->created_ms))
            newest = j;
    return newest;
}

/* No pod is there when the watch begins: since when that is known. */
static int64_t missing_since_ms(const struct target *t, const char *replicated_job, int64_t index, int64_t at_ms) {
    const struct kube_job *j = job_at(t, replicated_job, index, at_ms);
    if (t->end_ms != TIME_UNKNOWN && t->end_ms <= at_ms)
        return t->end_ms; /* it ran to its end, for all that is known */
    int64_t since_ms = stopped_since_ms(t, at_ms);
    if (j == NULL && !has_restarted_jobs(t)) { /* else it was restarted alone, perhaps */
        int64_t attempt = restarts_unseen(t, "restarts", t->first_restarts);
        return min_of(since_ms, attempt == 0 ? t->created_ms : attempt_begun_ms(t, attempt, at_ms));
    }
    if (since_ms < at_ms || j == NULL)
        return since_ms;
    for (int i = j->suspended.count - 1; i >= 0; i--) /* while its set is resumed already, in order */
        if (j->suspended.items[i].at_ms <= at_ms) {
            if (j->suspended.items[i].is_true)
                since_ms = min_of(since_ms, j->suspended.items[i].at_ms);
            break;
        }
    if (since_ms < at_ms)
        return since_ms;
    if (j->failing_ms != TIME_UNKNOWN && j->failing_ms <= at_ms)
        return j->failing_ms;
    if (j->deletion_ms != TIME_UNKNOWN && j->deletion_ms <= at_ms)
        return j->deletion_ms;
    return empty_since_ms(t, j, at_ms);
}

/* Before that the place had no pod yet, whatever came later. */
static int64_t first_ms(const struct target *t, const struct pod *p) {
    int64_t at_ms = begun_ms(t);
    if (p && p->job && p->job->attempt <= 0 && p->job->created_ms != TIME_UNKNOWN && !has_restarted_jobs(t))
        at_ms = max_of(at_ms, p->job->created_ms);
    return at_ms;
}

/* ---- the pieces that nobody knows ---- */

struct slot_pod {
    int64_t slot;
    const struct pod *pod; /* NULL: the slot itself */
};

struct pieces {
    struct model_job *job;
    uint64_t hash;
    int64_t slot;
    int count;
    bool is_telling;
};

/* from == to: empty from then on, though a pod that has vanished may seem to be there. */
static void add(struct pieces *all, int64_t created_ms, int64_t from_ms, int64_t to_ms) {
    const struct target *t = all->job->target;
    uint64_t id = (slice_hash(slice_of(t->uid)) ^ (uint64_t)(all->slot + 1) * UINT64_C(0x9E3779B97F4A7C15)) +
                  (uint64_t)all->count * UINT64_C(0x5851F42D4C957F2D);
    if (all->count == MOST_PIECES)
        return;
    all->count++;
    all->hash = (all->hash ^ id ^ (uint64_t)created_ms * 31 ^ (uint64_t)from_ms * 7 ^ (uint64_t)to_ms) *
                UINT64_C(0x9E3779B97F4A7C15);
    if (!all->is_telling)
        return;
    struct ledger_life life = {.id = id,
                               .slot = (uint32_t)all->slot,
                               .created_ms = created_ms,
                               .bound_ms = from_ms < to_ms ? from_ms : TIME_UNKNOWN,
                               .pull_start_ms = TIME_UNKNOWN,
                               .pull_end_ms = TIME_UNKNOWN,
                               .running_ms = from_ms < to_ms ? from_ms : TIME_UNKNOWN,
                               .lost_ms = from_ms < to_ms ? to_ms : TIME_OPEN,
                               .ended_ms = from_ms < to_ms ? to_ms : TIME_OPEN,
                               .done_ms = TIME_UNKNOWN,
                               .released_ms = from_ms < to_ms ? to_ms : TIME_OPEN};
    ledger_add_life(all->job->ledger, &life);
}

/* Nobody is known to have held the slot between then and then, and since empty_ms nobody did. Which wait it was before
 * all began anew is not known either, though the slot was empty. */
static void add_gap(struct pieces *all, const struct pod *p, int64_t from_ms, int64_t empty_ms, int64_t until_ms) {
    const struct target *t = all->job->target;
    int64_t anew_ms = min_of(began_anew_ms(t), until_ms);
    from_ms = max_of(from_ms, anew_ms > from_ms ? begun_ms(t) : first_ms(t, p));
    int64_t to_ms = max_of(empty_ms, anew_ms);
    if (to_ms - from_ms >= SHORTEST_MS)
        add(all, from_ms, from_ms, to_ms);
}

/* When the pod is known to have been lost; one that has vanished may have been there until it was missed. */
static int64_t known_until_ms(const struct pod *p) {
    return fact_pod_done_ms(p) != TIME_UNKNOWN ? TIME_OPEN : fact_pod_lost_ms(p);
}

/* Its node was lost and it was not asked to go when it was seen last: until then nothing takes its place. */
static bool waits_for_eviction(const struct pod *p) {
    return p->has_vanished && p->deletion_ms == TIME_UNKNOWN && p->phase < POD_SUCCEEDED &&
           pod_trouble(p)->disruption_ms == TIME_UNKNOWN && fact_pod_lost_ms(p) < p->gone_ms;
}

/* Its Job puts another in its place from then on: once it is asked to go, or over. */
static int64_t replaced_from_ms(const struct pod *p) {
    int64_t at_ms = p->is_gone ? p->gone_ms : TIME_OPEN;
    if (p->deletion_ms != TIME_UNKNOWN)
        at_ms = min_of(at_ms, p->deletion_ms);
    if (p->phase == POD_FAILED)
        at_ms = min_of(at_ms, fact_pod_failed_ms(p));
    return at_ms;
}

/* The Job of the attempt after that one, in the same place; NULL if it is not known. */
static const struct kube_job *next_attempt(const struct target *t, const struct kube_job *old) {
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        if (j->attempt == old->attempt + 1 && j->job_index == old->job_index && j->created_ms != TIME_UNKNOWN &&
            strcmp(j->replicated_job, old->replicated_job) == 0)
            return j;
    return NULL;
}

/* The pod's Job had failed or was deleted by then: nothing takes its place before the next attempt begins. */
static int64_t barred_until_ms(const struct target *t, const struct pod *before, int64_t from_ms, int64_t until_ms) {
    const struct kube_job *old = before ? before->job : NULL, *next;
    if (old == NULL || has_restarted_jobs(t))
        return from_ms;
    bool is_over = (old->failing_ms != TIME_UNKNOWN && old->failing_ms <= from_ms) ||
                   (old->deletion_ms != TIME_UNKNOWN && old->deletion_ms <= from_ms);
    if (is_over && (next = next_attempt(t, old)) != NULL)
        return max_of(from_ms, min_of(until_ms, next->created_ms));
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        if (j->attempt > old->attempt && j->created_ms != TIME_UNKNOWN)
            until_ms = min_of(until_ms, j->created_ms);
    for (int i = 0; i < t->restart_count; i++) {
        is_over &= t->restart_list[i].number <= old->attempt || !t->restart_list[i].is_derived;
        if (t->restart_list[i].number > old->attempt)
            until_ms = min_of(until_ms, t->restart_list[i].at_ms);
    }
    return is_over ? max_of(from_ms, until_ms) : from_ms;
}

/* One slot's pods in the order of their creation, in one span. */
static void tell_slot(struct pieces *all, const struct slot_pod *pods, size_t count, const struct span *unseen,
                      const struct replicated_job *r, int64_t job_index) {
    const struct target *t = all->job->target;
    int64_t at_ms = unseen->from_ms, end_ms = unseen->to_ms;
    const struct pod *before = NULL;
    if (t->end_ms != TIME_UNKNOWN)
        end_ms = min_of(end_ms, t->end_ms);
    for (size_t i = 0; i < count && pods[i].pod->created_ms <= end_ms; i++) {
        const struct pod *p = pods[i].pod;
        int64_t empty_ms = empty_since_ms(t, p->job, p->created_ms);
        if (p->created_ms > unseen->from_ms) {
            at_ms = barred_until_ms(t, before, at_ms, p->created_ms);
            add_gap(all, p, at_ms, empty_ms, p->created_ms);
            if (before && before->has_vanished && empty_ms > fact_pod_watched_until_ms(before) &&
                empty_ms < p->created_ms)
                add(all, empty_ms, empty_ms, empty_ms);
        }
        int64_t next_ms = i + 1 < count ? pods[i + 1].pod->created_ms : TIME_OPEN;
        at_ms = max_of(at_ms, known_until_ms(p));
        if (!p->has_vanished)
            at_ms = max_of(at_ms, min_of(replaced_from_ms(p), next_ms));
        else if (waits_for_eviction(p) && next_ms != TIME_OPEN && p->created_ms <= unseen->from_ms)
            at_ms = max_of(at_ms, next_ms);
        before = p;
    }
    bool is_there = before && (!before->is_gone || before->gone_ms > end_ms) && before->phase < POD_SUCCEEDED;
    bool is_done = before && known_until_ms(before) == TIME_OPEN;
    if ((is_there || is_done) && !before->has_vanished)
        return;
    int64_t empty_ms = missing_since_ms(t, r->name, job_index, end_ms);
    if (before && before->has_vanished && empty_ms > fact_pod_watched_until_ms(before) && empty_ms < end_ms)
        add(all, empty_ms, empty_ms, empty_ms);
    add_gap(all, before, barred_until_ms(t, before, at_ms, end_ms), empty_ms, end_ms);
}

static int compare_slot_pods(const void *a, const void *b) {
    const struct slot_pod *x = a, *y = b;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    if (x->pod->created_ms != y->pod->created_ms)
        return x->pod->created_ms < y->pod->created_ms ? -1 : 1;
    return strcmp(pod_uid(x->pod), pod_uid(y->pod));
}

/* It was deleted because its Job was suspended, which counts as no failure. */
static bool went_by_suspension(const struct pod *p) {
    bool is_off = false;
    for (int i = 0; i < p->job->suspended.count && p->job->suspended.items[i].at_ms <= p->deletion_ms; i++)
        is_off = p->job->suspended.items[i].is_true;
    return is_off && p->deletion_ms != TIME_UNKNOWN && fact_pod_failed_ms(p) >= p->deletion_ms;
}

/* Its Job may have counted it as failed by then: not while only its node is silent. */
static bool may_be_counted(const struct pod *p, int64_t by_ms) {
    if (went_by_suspension(p))
        return false;
    int64_t at_ms = p->is_gone ? p->gone_ms : TIME_OPEN;
    if (p->deletion_ms != TIME_UNKNOWN)
        at_ms = min_of(at_ms, p->deletion_ms);
    return fact_pod_lost_ms(p) <= by_ms && min_of(at_ms, fact_pod_failed_ms(p)) <= by_ms;
}

/* All pods in required slots, by slot and creation. Heap. */
static struct slot_pod *sorted_pods(const struct model_job *job, size_t *ret_count) {
    const struct target *t = job->target;
    struct slot_pod *all = mem_alloc((t->pod_count + 1) * sizeof *all);
    size_t count = 0;
    for (struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        j->known_lost = 0;
    for (size_t i = 0; i < t->pod_count; i++) {
        struct pod *p = t->pods[i];
        int64_t slot = job_slot(job, p);
        if (p->job && may_be_counted(p, t->unseen.items[t->unseen.count - 1].to_ms))
            p->job->known_lost++;
        if (slot >= 0)
            all[count++] = (struct slot_pod){slot, p};
    }
    qsort(all, count, sizeof *all, compare_slot_pods);
    *ret_count = count;
    return all;
}

static void tell_all(struct pieces *all, const struct slot_pod *pods, size_t count) {
    const struct model_job *job = all->job;
    const struct target *t = job->target;
    size_t at = 0;
    int64_t slot = 0;
    int most = job->hidden_most;
    for (int i = 0; i < t->job_count; i++) {
        const struct replicated_job *r = &t->jobs[i];
        for (int64_t k = 0; job_requires(job, i) && k < r->replicas * r->stride; k++, slot++) {
            size_t first = at;
            while (at < count && pods[at].slot == slot)
                at++;
            all->slot = slot;
            all->count = 0;
            for (int u = 0; u < t->unseen.count; u++)
                tell_slot(all, &pods[first], at - first, &t->unseen.items[u], r, k / r->stride);
            most = all->count > most ? all->count : most;
            while (all->count < job->hidden_most) /* told before, and nothing any more */
                add(all, t->created_ms - 1, 0, 0);
        }
    }
    all->job->hidden_most = most;
}

/* Of a large job only what can change it is looked at. */
#define FEW_PODS 512

static uint64_t version_of(const struct target *t) {
    uint64_t v = (uint64_t)t->unseen.count * 31 + (uint64_t)t->unseen_pods * 7 + t->shape_version * 1000003 +
                 (uint64_t)t->restart_count * 101 + (uint64_t)t->suspended.count * 103 +
                 (uint64_t)(t->end_ms != TIME_UNKNOWN) * 107 + (uint64_t)t->unseen.items[t->unseen.count - 1].to_ms;
    for (const struct workload *w = t->workloads; w; w = w->next_in_target)
        v += (uint64_t)(w->reserved.count + w->admitted.count + w->evicted.count) * 109;
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        v += 113 + (uint64_t)(j->failing_ms != TIME_UNKNOWN) * 127 + (uint64_t)j->suspended.count * 131 +
             (uint64_t)j->failed_pods * 137;
    return v;
}

void fact_tell_hidden(struct model_job *job) {
    const struct target *t = job->target;
    int64_t slots = 0;
    for (int i = 0; i < t->job_count; i++)
        slots += job_requires(job, i) ? t->jobs[i].replicas * t->jobs[i].stride : 0;
    if (t->unseen.count == 0 || slots == 0 || slots > MOST_SLOTS)
        return;
    uint64_t version = version_of(t);
    if (version == job->hidden_version && t->pod_count > FEW_PODS)
        return;
    job->hidden_version = version;
    size_t count;
    struct slot_pod *pods = sorted_pods(job, &count);
    struct pieces look = {.job = job};
    int most = job->hidden_most;
    tell_all(&look, pods, count);
    if (look.hash != job->hidden_hash) {
        struct pieces told = {.job = job, .is_telling = true};
        job->hidden_most = most;
        tell_all(&told, pods, count);
        job->hidden_hash = look.hash;
    }
    free(pods);
}
