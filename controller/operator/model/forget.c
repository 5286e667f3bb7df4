/* Forgets the pods of earlier executions, so that a set of 12,736 pods that restarts twenty times takes the memory of
 * 12,736 pods. A pod can be forgotten some time after its deletion, when nothing more of it will be observed and the
 * ledger's texts do not name it (ledger/forget.h). The past of its replicated job keeps sums. */
#include "ledger/forget.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/facts/counted.h"
#include "operator/facts/facts.h"
#include "operator/facts/pod_end.h"
#include "operator/facts/ready.h"
#include "operator/store/forget.h"

#include <string.h>

#define LOOKS 4          /* evaluations that look for pods to forget, within the time after which they are forgotten */
#define ATTEMPTS_KEPT 18 /* of the newest attempts facts.c computes the waits */

/* ---- which ---- */

static bool can_forget_facts(const struct pod *p, const struct ledger_forgetting *f) {
    for (int i = 0; i < p->pushed.count; i++) {
        const struct pushed *x = &p->pushed.items[i];
        if (x->kind == PUSHED_HOLD && !ledger_can_forget_hold(f, (enum bucket)x->detail, x->key))
            return false;
        if (x->kind == PUSHED_DISRUPTION && !ledger_can_forget_disruption(f, x->key))
            return false;
    }
    return p->loss_recorded == 0 || ledger_can_forget_disruption(f, p->id);
}

struct wish {
    int64_t deleted_by_ms, steady_ms; /* ledger/forget.h */
    bool even_newest;
};

static bool can_forget(const struct pod *p, const struct wish *w, const struct ledger_forgetting *f) {
    bool even_newest = w->even_newest && p->phase != POD_SUCCEEDED;
    return p->is_deleted && p->removed_ms <= w->deleted_by_ms && !p->is_dirty && p->completion_index >= 0 &&
           p->slot >= 0 && fact_can_move_ready(p) && ledger_can_forget_occupancy(f, p->id, even_newest) &&
           can_forget_facts(p, f);
}

/* What was read of the log refers to its pods. */
static void keep_log_pods(struct model_job *job) {
    for (int i = 0; i < job->log_pods.count; i++)
        job->log_pods.items[i]->is_forgettable = false;
    for (int i = 0; i < job->log.process_count; i++)
        if (job->log.processes[i]->pod)
            job->log.processes[i]->pod->is_forgettable = false;
}

/* A pod that succeeded during its deletion has not completed its index if another pod took over the index. */
static void keep_successors(const struct target *t) {
    for (size_t i = 0; i < t->pods.count; i++) {
        const struct pod *p = t->pods.items[i];
        if (p->is_forgettable || p->phase != POD_SUCCEEDED || p->job == NULL || p->completion_index < 0 ||
            fact_pod_done_ms(p) != TIME_UNKNOWN)
            continue;
        for (struct pod *other = p->job->pods; other; other = other->next_in_job)
            if (other->completion_index == p->completion_index)
                other->is_forgettable = false;
    }
}

/* A Job's pods were refused until the first one that was created after the refusal (refusal.c). */
static void keep_first_made(const struct store *store, const struct target *t) {
    for (const struct kube_job *j = t->kube_jobs; j && store->refusals.count > 0; j = j->next_in_target) {
        const struct refusals *all = map_get(&store->refusals, slice_of(j->uid));
        for (int i = 0; all && i < all->count; i++) {
            struct pod *first = NULL;
            for (struct pod *p = j->pods; p; p = p->next_in_job)
                if (p->created_ms > all->items[i].last_ms && (first == NULL || p->created_ms < first->created_ms))
                    first = p;
            if (first)
                first->is_forgettable = false;
        }
    }
}

/* ---- forgetting ---- */

struct into {
    struct model_job *job;
    struct past *past;
};

static void take_change(void *context, const struct ledger_change *change) {
    const struct into *into = context;
    ledger_change_add(&past_at(into->past, change->at_ms)->all, change);
    ledger_add_past(into->job->ledger, change);
}

static void forget_facts(const struct pod *p, struct ledger_forgetting *f) {
    for (int i = 0; i < p->pushed.count; i++) {
        const struct pushed *x = &p->pushed.items[i];
        if (x->kind == PUSHED_HOLD)
            ledger_forget_hold(f, (enum bucket)x->detail, x->key);
        else if (x->kind == PUSHED_DISRUPTION)
            ledger_forget_disruption(f, (enum cause)x->detail, x->key);
    }
    if (p->loss_recorded > 0)
        ledger_forget_disruption(f, (enum cause)(p->loss_recorded - 1), p->id);
}

static void forget_pod(struct model_job *job, struct pod *p, struct ledger_forgetting *f) {
    struct past *past = store_past(job->target, p->replicated_job);
    past->is_in_ledger = past->is_in_ready_line = true; /* as the facts of its pods are */
    fact_sum_ready(p, past, TIME_OPEN);
    ledger_forget_occupancy(f, p->id, take_change, &(struct into){job, past});
    forget_facts(p, f);
    job_slots_forget(&job->facts.slots, p);
    store_forget_pod(job->store, p);
}

static void drop_pods(struct model_job *job, struct ledger_forgetting *f) {
    struct target *t = job->target;
    size_t kept = 0, log_pods_seen = job->log_pods.pods_read, chip_seen = job->accelerator.pods_read;
    for (size_t i = 0; i < t->pods.count; i++) {
        struct pod *p = t->pods.items[i];
        if (!p->is_forgettable) {
            t->pods.items[kept++] = p;
            continue;
        }
        log_pods_seen -= i < job->log_pods.pods_read;
        chip_seen -= i < job->accelerator.pods_read;
        forget_pod(job, p, f);
    }
    job->log_pods.pods_read = log_pods_seen;
    job->accelerator.pods_read = chip_seen;
    t->pods.count = t->pods.capacity = kept;
    t->pods.items = mem_resize(t->pods.items, kept + 1, sizeof(struct pod *));
}

/* ---- Jobs without pods ---- */

static int64_t oldest_attempt(const struct target *t) {
    int64_t last = 0;
    bool is_ordered = t->spec.is_started_in_order;
    for (int i = 0; i < t->spec.job_count; i++)
        is_ordered |= t->spec.jobs[i].has_dependency;
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        last = max_of(last, j->attempt);
    return !is_ordered ? INT64_MAX : t->suspended.count > 0 ? INT64_MIN : last - ATTEMPTS_KEPT;
}

/* The time of a restart is that of the first Job that it created (counted.c). Stores it before one of them is
 * forgotten.
 */
static void keep_time(const struct kube_job *forgotten) {
    const struct target *t = forgotten->target;
    for (int i = 0; i < t->restarts.item_count; i++) {
        struct restart *r = &t->restarts.items[i];
        bool is_its = r->number == forgotten->attempt && strcmp(r->what, "restarts") == 0;
        if (!r->is_derived || !is_its || forgotten->created_ms == TIME_UNKNOWN)
            continue;
        for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
            if (j->attempt == r->number && j->created_ms != TIME_UNKNOWN)
                r->at_ms = min_of(r->at_ms, j->created_ms);
        r->is_derived = false;
    }
}

static void forget_jobs(struct store *store, struct target *t, int64_t by_ms) {
    int64_t before = oldest_attempt(t);
    for (struct kube_job *j = t->kube_jobs, *next; j; j = next) {
        next = j->next_in_target;
        if (j->removed_ms == TIME_UNKNOWN || j->removed_ms > by_ms || j->pods || j->attempt >= before ||
            map_get(&store->refusals, slice_of(j->uid)))
            continue;
        keep_time(j);
        t->forgotten_restarted += fact_is_restarted_alone(j);
        store_forget_job(store, j);
    }
}

/* ---- the whole ---- */

static bool forget(struct model_job *job, const struct wish *w) {
    struct target *t = job->target;
    struct ledger_forgetting *f = ledger_forget_begin(job->ledger, w->steady_ms);
    size_t count = t->pods.count;
    for (size_t i = 0; i < t->pods.count; i++)
        t->pods.items[i]->is_forgettable = can_forget(t->pods.items[i], w, f);
    keep_log_pods(job);
    keep_successors(t);
    keep_first_made(job->store, t);
    drop_pods(job, f);
    ledger_forget_done(f);
    forget_jobs(job->store, t, w->deleted_by_ms);
    job->jobs->pods_looked_at += (int64_t)count;
    return t->pods.count < count;
}

void job_forget_pods(struct model_job *job, int64_t through_ms) {
    struct target *t = job->target;
    int64_t after_ms = job->jobs->settings.forget_after_ms, next_ms = TIME_OPEN;
    if (job->final.status || through_ms - after_ms < t->pods.forget_at_ms)
        return;
    forget(job, &(struct wish){through_ms - after_ms, through_ms - after_ms, false});
    for (size_t i = 0; i < t->pods.count; i++)
        if (t->pods.items[i]->is_deleted && t->pods.items[i]->removed_ms > through_ms - after_ms)
            next_ms = min_of(next_ms, t->pods.items[i]->removed_ms);
    t->pods.forget_at_ms = next_ms == TIME_OPEN ? TIME_OPEN : max_of(next_ms, through_ms - after_ms + after_ms / LOOKS);
}

bool job_forget_all_pods(struct model_job *job) {
    if (job->observation.through_ms == TIME_UNKNOWN)
        return false;
    int64_t now_ms = job->observation.through_ms;
    return forget(job, &(struct wish){now_ms - STORE_SOON_MS, now_ms - job->jobs->settings.forget_after_ms, true});
}
