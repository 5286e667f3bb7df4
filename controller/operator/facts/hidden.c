/* What was while nobody watched, before this controller looked or while its watch was cut, and left no pod behind: who
 * held the slots then nobody can tell. As far as no object proves that nobody did, that time is neither waiting nor
 * lost: the slots count as held, and the time shows as Unattributed (DESIGN.md section 2).
 *
 * Per slot and per span in which nobody watched: between the end of one known pod and the creation of the next, less
 * what empty.h proves. */
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/facts/empty.h"
#include "operator/facts/facts.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PIECES 32     /* of one slot */
#define FIRST_PODS_MS 5000 /* a Job makes all its pods at once */
#define MOST_SLOTS 1000000
#define SHORTEST_MS 2000 /* less is between stamps of whole seconds */

struct slot_pod {
    int64_t slot;
    const struct pod *pod; /* NULL: the slot itself */
};

struct pieces {
    struct model_job *job;
    uint64_t hash;
    const char *replicated_job; /* of the slot */
    int64_t slot, job_index;
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
    int64_t anew_ms = min_of(empty_anew_ms(t), until_ms);
    from_ms = max_of(from_ms, anew_ms > from_ms ? empty_begun_ms(t) : empty_first_ms(t, p));
    int64_t to_ms = max_of(empty_ms, anew_ms);
    struct span refused;
    while (fact_refused_within(all->job, all->replicated_job, all->job_index, from_ms, to_ms, &refused)) {
        if (refused.from_ms - from_ms >= SHORTEST_MS)
            add(all, from_ms, from_ms, refused.from_ms);
        from_ms = refused.to_ms;
    }
    if (to_ms - from_ms >= SHORTEST_MS)
        add(all, from_ms, from_ms, to_ms);
}

/* When the pod is known to have been lost; one that has vanished may have been there until it was missed. */
static int64_t known_until_ms(const struct pod *p) {
    return fact_pod_done_ms(p) != TIME_UNKNOWN ? TIME_OPEN : fact_pod_lost_ms(p);
}

/* Its node was lost and it was not asked to go when it was seen last: until then nothing takes its place, and that is
 * the next one, unless the set was restarted more often than once, or its Job had others in between. */
static bool waits_for_eviction(const struct pod *p, const struct pod *next) {
    bool is_next = p->job == NULL || next->job == NULL || next->job->attempt <= p->job->attempt + 1;
    if (p->job && p->job == next->job)
        is_next = empty_knows_all_pods(p->job);
    else if (next->job && next->job->created_ms != TIME_UNKNOWN) /* of the first that the next Job made */
        is_next &= next->created_ms <= next->job->created_ms + FIRST_PODS_MS;
    for (int i = 0; p->job && i < p->job->suspended.count; i++) { /* what is deleted then is not counted */
        const struct transition *s = &p->job->suspended.items[i];
        is_next &= !s->is_true || s->at_ms <= fact_pod_lost_ms(p) || s->at_ms >= next->created_ms;
    }
    return is_next && p->has_vanished && p->deletion_ms == TIME_UNKNOWN && p->phase < POD_SUCCEEDED &&
           pod_trouble(p)->disruption_ms == TIME_UNKNOWN && fact_pod_stopped_unseen_ms(p) == TIME_OPEN &&
           fact_pod_lost_ms(p) < p->gone_ms;
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

/* One slot's pods in the order of their creation, in one span. */
static void tell_slot(struct pieces *all, const struct slot_pod *pods, size_t count, const struct span *unseen) {
    const struct target *t = all->job->target;
    int64_t at_ms = unseen->from_ms, end_ms = unseen->to_ms;
    const struct pod *before = NULL;
    if (t->end_ms != TIME_UNKNOWN)
        end_ms = min_of(end_ms, t->end_ms);
    for (size_t i = 0; i < count && pods[i].pod->created_ms <= end_ms; i++) {
        const struct pod *p = pods[i].pod;
        int64_t empty_ms = empty_since_ms(t, p->job, p->created_ms);
        if (p->created_ms > unseen->from_ms) {
            at_ms = empty_barred_until_ms(t, before, at_ms, p->created_ms);
            add_gap(all, p, at_ms, empty_ms, p->created_ms);
            if (before && before->has_vanished && empty_ms > fact_pod_watched_until_ms(before) &&
                empty_ms < p->created_ms)
                add(all, empty_ms, empty_ms, empty_ms);
        }
        int64_t next_ms = i + 1 < count ? pods[i + 1].pod->created_ms : TIME_OPEN;
        at_ms = max_of(at_ms, known_until_ms(p));
        if (!p->has_vanished)
            at_ms = max_of(at_ms, min_of(replaced_from_ms(p), next_ms));
        else if (i + 1 < count && p->created_ms <= unseen->from_ms && waits_for_eviction(p, pods[i + 1].pod))
            at_ms = max_of(at_ms, next_ms);
        before = p;
    }
    bool is_there = before && replaced_from_ms(before) > end_ms && before->phase < POD_SUCCEEDED;
    bool is_done = before && known_until_ms(before) == TIME_OPEN;
    if ((is_there || is_done) && !before->has_vanished)
        return;
    int64_t empty_ms = empty_missing_since_ms(t, all->replicated_job, all->job_index, end_ms);
    if (before && before->has_vanished && empty_ms > fact_pod_watched_until_ms(before) && empty_ms < end_ms)
        add(all, empty_ms, empty_ms, empty_ms);
    add_gap(all, before, empty_barred_until_ms(t, before, at_ms, end_ms), empty_ms, end_ms);
}

static int compare_slot_pods(const void *a, const void *b) {
    const struct slot_pod *x = a, *y = b;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    if (x->pod->created_ms != y->pod->created_ms)
        return x->pod->created_ms < y->pod->created_ms ? -1 : 1;
    return strcmp(pod_uid(x->pod), pod_uid(y->pod));
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
        if (p->job && fact_pod_may_be_counted(p))
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
            all->replicated_job = r->name;
            all->job_index = k / r->stride;
            all->slot = slot;
            all->count = 0;
            for (int u = 0; u < t->unseen.count; u++)
                tell_slot(all, &pods[first], at - first, &t->unseen.items[u]);
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
