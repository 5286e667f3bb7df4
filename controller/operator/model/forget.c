/* Forgetting the pods of past executions: a set of 12,736 pods that restarts twenty times is 12,736 pods, not twenty
 * times that. A pod can be forgotten once it has been gone for a while, so that nothing more is told of it, and the
 * ledger needs it for no words (ledger/forget.h). What stays of it are numbers in its replicated job's past. */
#include "ledger/forget.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/facts/facts.h"

#include <string.h>

#define LOOKS 4          /* in the time after which pods are forgotten */
#define ATTEMPTS_KEPT 18 /* facts.c looks at so many of the newest attempts for what they waited for */

/* ---- which ---- */

static bool can_forget_told(const struct pod *p, const struct ledger_forgetting *f) {
    for (int i = 0; i < p->pushed.count; i++) {
        const struct pushed *x = &p->pushed.items[i];
        if (x->kind == PUSHED_HOLD && !ledger_can_forget_hold(f, (enum bucket)x->detail, x->key))
            return false;
        if (x->kind == PUSHED_DISRUPTION && !ledger_can_forget_disruption(f, x->key))
            return false;
    }
    return p->loss_told == 0 || ledger_can_forget_disruption(f, p->id);
}

struct wish {
    int64_t gone_by_ms, steady_ms; /* ledger/forget.h */
    bool even_newest;
};

static bool can_forget(const struct pod *p, const struct wish *w, const struct ledger_forgetting *f) {
    bool even_newest = w->even_newest && p->phase != POD_SUCCEEDED;
    return p->is_deleted && p->gone_ms <= w->gone_by_ms && !p->is_dirty && p->completion_index >= 0 && p->slot >= 0 &&
           fact_can_move_ready(p) && ledger_can_forget_occupancy(f, p->id, even_newest) && can_forget_told(p, f);
}

/* The log hangs on its pods. */
static void keep_log_pods(struct model_job *job) {
    for (int i = 0; i < job->log_pod_count; i++)
        job->log_pods[i]->goes = false;
    for (int i = 0; i < job->process_count; i++)
        if (job->processes[i]->pod)
            job->processes[i]->pod->goes = false;
}

/* A pod that succeeded when it was asked to go has not completed its index, as long as another took it over. */
static void keep_successors(const struct target *t) {
    for (size_t i = 0; i < t->pod_count; i++) {
        const struct pod *p = t->pods[i];
        if (p->goes || p->phase != POD_SUCCEEDED || p->job == NULL || fact_pod_done_ms(p) != TIME_UNKNOWN)
            continue;
        for (struct pod *other = p->job->pods; other; other = other->next_in_job)
            if (other->completion_index == p->completion_index)
                other->goes = false;
    }
}

/* A Job's pods were refused until the first that was made after that (refusal.c). */
static void keep_first_made(const struct model *m, const struct target *t) {
    for (const struct kube_job *j = t->kube_jobs; j && m->refusals.count > 0; j = j->next_in_target) {
        const struct refusals *all = map_get(&m->refusals, slice_of(j->uid));
        for (int i = 0; all && i < all->count; i++) {
            struct pod *first = NULL;
            for (struct pod *p = j->pods; p; p = p->next_in_job)
                if (p->created_ms > all->items[i].last_ms && (first == NULL || p->created_ms < first->created_ms))
                    first = p;
            if (first)
                first->goes = false;
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

static void forget_told(const struct pod *p, struct ledger_forgetting *f) {
    for (int i = 0; i < p->pushed.count; i++) {
        const struct pushed *x = &p->pushed.items[i];
        if (x->kind == PUSHED_HOLD)
            ledger_forget_hold(f, (enum bucket)x->detail, x->key);
        else if (x->kind == PUSHED_DISRUPTION)
            ledger_forget_disruption(f, (enum cause)x->detail, x->key);
    }
    if (p->loss_told > 0)
        ledger_forget_disruption(f, (enum cause)(p->loss_told - 1), p->id);
}

static void forget_pod(struct model_job *job, struct pod *p, struct ledger_forgetting *f) {
    struct past *past = store_past(job->target, p->replicated_job);
    past->is_told = past->is_ready_told = true; /* as all that it comes from is */
    fact_sum_ready(p, past, TIME_OPEN);
    ledger_forget_occupancy(f, p->id, take_change, &(struct into){job, past});
    forget_told(p, f);
    job_slots_forget(&job->slots, p);
    store_forget_pod(job->model, p);
}

static void drop_pods(struct model_job *job, struct ledger_forgetting *f) {
    struct target *t = job->target;
    size_t kept = 0, log_pods_seen = job->log_pods_seen, chip_seen = job->chip_seen;
    for (size_t i = 0; i < t->pod_count; i++) {
        struct pod *p = t->pods[i];
        if (!p->goes) {
            t->pods[kept++] = p;
            continue;
        }
        log_pods_seen -= i < job->log_pods_seen;
        chip_seen -= i < job->chip_seen;
        forget_pod(job, p, f);
    }
    job->log_pods_seen = log_pods_seen;
    job->chip_seen = chip_seen;
    t->pod_count = t->pod_capacity = kept;
    t->pods = mem_resize(t->pods, kept + 1, sizeof(struct pod *));
}

/* ---- Jobs without pods ---- */

static int64_t oldest_attempt(const struct target *t) {
    int64_t last = 0;
    bool is_ordered = t->is_started_in_order;
    for (int i = 0; i < t->job_count; i++)
        is_ordered |= t->jobs[i].has_dependency;
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        last = max_of(last, j->attempt);
    return !is_ordered ? INT64_MAX : t->suspended.count > 0 ? INT64_MIN : last - ATTEMPTS_KEPT;
}

/* When a restart was is known from the first Job that it created (counted.c), whichever of its Jobs is forgotten first.
 */
static void keep_time(const struct kube_job *forgotten) {
    const struct target *t = forgotten->target;
    for (int i = 0; i < t->restart_count; i++) {
        struct restart *r = &t->restart_list[i];
        bool is_its = r->number == forgotten->attempt && strcmp(r->what, "restarts") == 0;
        if (!r->is_derived || !is_its || forgotten->created_ms == TIME_UNKNOWN)
            continue;
        for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
            if (j->attempt == r->number && j->created_ms != TIME_UNKNOWN)
                r->at_ms = min_of(r->at_ms, j->created_ms);
        r->is_derived = false;
    }
}

static void forget_jobs(struct model *m, struct target *t, int64_t by_ms) {
    int64_t before = oldest_attempt(t);
    for (struct kube_job *j = t->kube_jobs, *next; j; j = next) {
        next = j->next_in_target;
        if (j->gone_ms == TIME_UNKNOWN || j->gone_ms > by_ms || j->pods || j->attempt >= before ||
            map_get(&m->refusals, slice_of(j->uid)))
            continue;
        keep_time(j);
        t->forgotten_restarted += fact_is_restarted_alone(j);
        store_forget_job(m, j);
    }
}

/* ---- the whole ---- */

static bool forget(struct model_job *job, const struct wish *w) {
    struct target *t = job->target;
    struct ledger_forgetting *f = ledger_forget_begin(job->ledger, w->steady_ms);
    size_t count = t->pod_count;
    for (size_t i = 0; i < t->pod_count; i++)
        t->pods[i]->goes = can_forget(t->pods[i], w, f);
    keep_log_pods(job);
    keep_successors(t);
    keep_first_made(job->model, t);
    drop_pods(job, f);
    ledger_forget_done(f);
    forget_jobs(job->model, t, w->gone_by_ms);
    job->model->pods_looked_at += (int64_t)count;
    return t->pod_count < count;
}

void job_forget_pods(struct model_job *job, int64_t through_ms) {
    struct target *t = job->target;
    int64_t after_ms = job->model->forget_after_ms, next_ms = TIME_OPEN;
    if (job->final_status || through_ms - after_ms < t->look_ms)
        return;
    forget(job, &(struct wish){through_ms - after_ms, through_ms - after_ms, false});
    for (size_t i = 0; i < t->pod_count; i++)
        if (t->pods[i]->is_deleted && t->pods[i]->gone_ms > through_ms - after_ms)
            next_ms = min_of(next_ms, t->pods[i]->gone_ms);
    t->look_ms = next_ms == TIME_OPEN ? TIME_OPEN : max_of(next_ms, through_ms - after_ms + after_ms / LOOKS);
}

bool job_forget_all_pods(struct model_job *job) {
    if (job->told_through_ms == TIME_UNKNOWN)
        return false;
    int64_t now_ms = job->told_through_ms;
    return forget(job, &(struct wish){now_ms - STORE_SOON_MS, now_ms - job->model->forget_after_ms, true});
}
