#include "operator/store/adopt.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "operator/store/claims.h"
#include "operator/store/failures.h"
#include "operator/store/forget.h"

#include <stdio.h>

static void adopt_pod(struct store *store, struct pod *p, struct target *to) {
    p->target = to;
    MEM_GROW(to->pods.items, to->pods.count, to->pods.capacity);
    to->pods.items[to->pods.count++] = p;
    to->pods.unindexed += p->completion_index < 0;
    to->pods.version++;
    to->pods.first_created_ms = min_of(to->pods.first_created_ms, p->created_ms);
    if (p->is_deleted && to->pods.forget_at_ms == TIME_OPEN)
        to->pods.forget_at_ms = p->removed_ms;
    store_add_claimed(store, p);
    store_touch_pod(store, p);
}

static void move_pods(struct store *store, struct target *from, struct target *to) {
    for (struct pod *p = from->pods.dirty, *next; p; p = next) {
        next = p->next_dirty;
        p->is_dirty = false;
        p->next_dirty = NULL;
    }
    from->pods.dirty = NULL;
    for (size_t i = 0; i < from->pods.count; i++)
        adopt_pod(store, from->pods.items[i], to);
    from->pods.count = from->pods.unindexed = 0;
}

void store_adopt_workloads(struct target *from, struct target *to) {
    while (from->workloads != NULL) {
        struct workload *w = from->workloads;
        from->workloads = w->next_in_target;
        w->target = to;
        w->next_in_target = to->workloads;
        to->workloads = w;
    }
}

static void move_jobs(struct target *from, struct target *to) {
    while (from->kube_jobs != NULL) {
        struct kube_job *j = from->kube_jobs;
        from->kube_jobs = j->next_in_target;
        j->target = to;
        j->next_in_target = to->kube_jobs;
        to->kube_jobs = j;
    }
    to->jobs_version++;
}

void store_adopt(struct store *store, struct target *from, struct target *to) {
    if (from == NULL || from == to || from->job != NULL)
        return;
    move_jobs(from, to);
    move_pods(store, from, to);
    store_adopt_workloads(from, to);
    store_adopt_failures(from, to);
    store_forget(store, from);
}

/* What they did is in no sums yet: those of a checkpoint stay. */
static bool are_apart(const struct kube_job *j) {
    const struct pod *p = j->pods;
    while (p && p->settled_ms == 0)
        p = p->next_in_job;
    return p == NULL;
}

/* As if no job had read it. */
static bool unread(struct pod *p) {
    bool was_read = p->slot != POD_UNREAD;
    p->slot = POD_UNREAD;
    p->pushed.count = p->ready_counted = 0;
    p->loss_recorded = 0;
    return was_read;
}

static void take_pods_out(struct target_pods *pods, const struct kube_job *j) {
    size_t kept = 0;
    pods->first_created_ms = TIME_OPEN;
    for (size_t i = 0; i < pods->count; i++) {
        struct pod *p = pods->items[i];
        if (p->job == j) {
            pods->unindexed -= p->completion_index < 0;
            continue;
        }
        pods->first_created_ms = min_of(pods->first_created_ms, p->created_ms);
        pods->items[kept++] = p;
    }
    pods->count = kept;
    pods->version++;
    for (struct pod **at = &pods->dirty, *p; (p = *at) != NULL;) {
        if (p->job != j) {
            at = &p->next_dirty;
            continue;
        }
        *at = p->next_dirty;
        p->next_dirty = NULL;
        p->is_dirty = false;
    }
}

void store_adopt_job(struct store *store, struct kube_job *j, struct target *to) {
    struct target *from = j->target;
    if (from == to || !are_apart(j))
        return;
    take_pods_out(&from->pods, j);
    struct kube_job **at = &from->kube_jobs;
    while (*at != j)
        at = &(*at)->next_in_target;
    *at = j->next_in_target;
    j->next_in_target = to->kube_jobs;
    to->kube_jobs = j;
    j->target = to;
    from->jobs_version++;
    to->jobs_version++;
    for (struct pod *p = j->pods; p; p = p->next_in_job) {
        from->has_lost_pods |= unread(p);
        adopt_pod(store, p, to);
    }
    store_touch_target(store, from);
}

struct target *store_owner_of_job(struct store *store, const struct object_meta *job, enum target_kind kind,
                                  const char *owner_kind, struct target **ret_itself) {
    struct target *itself = *ret_itself = store_find_target(store, TARGET_JOB, job->namespace_, job->uid);
    bool is_measured_itself = itself != NULL && itself->job != NULL;
    if (is_measured_itself || !slice_is(job->owner_kind, owner_kind))
        return NULL;
    struct target *t = store_target(store, kind, job->owner_uid, job->namespace_, job->owner_name);
    return t;
}

#define KEY_SIZE 560

/* Instead of its UID; no UID has such bytes. */
static struct slice waiting_key(char key[static KEY_SIZE], enum target_kind kind, struct slice namespace_,
                                struct slice name) {
    snprintf(key, KEY_SIZE, "waiting/%d/%.*s/%.*s", (int)kind, SLICE_ARG(namespace_), SLICE_ARG(name));
    return slice_of(key);
}

struct target *store_waiting(struct store *store, enum target_kind kind, struct slice namespace_, struct slice name) {
    char key[KEY_SIZE];
    return store_target(store, kind, waiting_key(key, kind, namespace_, name), namespace_, name);
}

void store_adopt_waiting(struct store *store, struct target *to) {
    char key[KEY_SIZE];
    struct slice waiting = waiting_key(key, to->kind, slice_of(to->namespace_), slice_of(to->name));
    store_adopt(store, store_find_target(store, to->kind, slice_of(to->namespace_), waiting), to);
}
