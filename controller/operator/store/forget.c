/* The end of what store.c creates. */
#include "operator/store/forget.h"
#include "base/mem.h"
#include "operator/store/failures.h"

#include <stdio.h>

#define MAX_UNMEASURED 32 /* deleted targets that no JobGoodput measures */

static void pod_free(struct store *store, struct pod *p) {
    if (p->node) {
        struct pod **at = &p->node->pods;
        while (*at && *at != p)
            at = &(*at)->next_on_node;
        if (*at)
            *at = p->next_on_node;
    }
    map_remove(&store->events, slice_of(pod_uid(p)));
    for (int i = 0; i < p->container_count; i++)
        if (p->containers[i].instances != &p->containers[i].first)
            free(p->containers[i].instances);
    free(p->containers);
    store_trouble_free(p);
    if (p->ready_kind == READY_OFTEN)
        free(p->ready.items);
    free(p->pushed.items);
    map_remove(&store->pods, slice_of(pod_uid(p)));
    free(p);
}

void store_forget_pod(struct store *store, struct pod *p) {
    struct pod **at = p->job ? &p->job->pods : NULL;
    while (at && *at != p)
        at = &(*at)->next_in_job;
    if (at)
        *at = p->next_in_job;
    pod_free(store, p);
}

static void kube_job_free(struct store *store, struct kube_job *j) {
    char key[STORE_UID_KEY];
    map_remove(&store->refusals, slice_of(j->uid));
    map_remove(&store->kube_jobs, store_uid_key(key, slice_of(j->target->namespace_), slice_of(j->uid)));
    history_done(&j->suspended);
    free(j->completed_indexes);
    free(j->name);
    free(j->uid);
    free(j);
}

void store_forget_job(struct store *store, struct kube_job *j) {
    struct kube_job **at = &j->target->kube_jobs;
    while (*at != j)
        at = &(*at)->next_in_target;
    *at = j->next_in_target;
    kube_job_free(store, j);
}

static void workload_free(struct store *store, struct workload *w) {
    map_remove(&store->workloads, slice_of(w->uid));
    history_done(&w->reserved);
    history_done(&w->admitted);
    history_done(&w->evicted);
    history_done(&w->active);
    free(w->check_message);
    free(w->unhealthy);
    free(w->name);
    free(w->uid);
    free(w);
}

/* Takes the target out of the chain of its name. */
static void unname(struct store *store, struct target *t) {
    char key[STORE_NAME_KEY];
    store_name_key(key, t->kind, t->namespace_, t->name);
    struct target *first = map_get(&store->names, slice_of(key));
    if (first == t) {
        map_remove(&store->names, slice_of(key));
        if (t->next_named)
            map_put(&store->names, slice_of(key), t->next_named);
        return;
    }
    while (first && first->next_named != t)
        first = first->next_named;
    if (first)
        first->next_named = t->next_named;
}

void store_forget(struct store *store, struct target *t) {
    char key[STORE_UID_KEY];
    if (t->run != NULL)
        t->run->trainjob = NULL;
    if (t->trainjob != NULL)
        store_forget(store, t->trainjob);
    for (size_t i = 0; t->is_touched && i < store->touched_count; i++)
        if (store->touched[i] == t)
            store->touched[i--] = store->touched[--store->touched_count];
    unname(store, t);
    map_remove(&store->targets[t->kind], store_uid_key(key, slice_of(t->namespace_), slice_of(t->uid)));
    for (size_t i = 0; i < t->pods.count; i++)
        pod_free(store, t->pods.items[i]);
    for (struct kube_job *j = t->kube_jobs, *next; j; j = next) {
        next = j->next_in_target;
        kube_job_free(store, j);
    }
    for (struct workload *w = t->workloads, *next; w; w = next) {
        next = w->next_in_target;
        workload_free(store, w);
    }
    for (int i = 0; i < t->restarts.item_count; i++)
        free(t->restarts.items[i].message);
    history_done(&t->suspended);
    for (int i = 0; i < t->spec.job_count; i++)
        free(t->spec.jobs[i].sizes);
    for (int i = 0; i < t->past.count; i++)
        free(t->past.items[i].items);
    free(t->past.items);
    store_settled_done(t);
    free(t->restarts.items);
    store_forget_failures(t);
    free(t->spec.jobs);
    free(t->pods.items);
    free(t->watch.gaps.items);
    free(t->end.message);
    free(t->uid);
    free(t->namespace_);
    free(t->name);
    free(t);
}

static size_t count_unmeasured(const struct map *targets, struct target **oldest) {
    size_t count = 0;
    for (size_t i = 0; i < targets->count; i++) {
        struct target *t = map_at(targets, i);
        if (t->job || !t->end.is_deleted)
            continue;
        count++;
        if (*oldest == NULL || t->end.removed_ms < (*oldest)->end.removed_ms)
            *oldest = t;
    }
    return count;
}

void store_trim(struct store *store) {
    struct target *oldest = NULL;
    size_t count = 0;
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
        count += count_unmeasured(&store->targets[kind], &oldest);
    if (count > MAX_UNMEASURED)
        store_forget(store, oldest);
}

static void node_free(void *value) {
    struct node *n = value;
    store_node_done(n);
    free(n);
}

void store_done(struct store *store) {
    free(store->touched);
    store->touched = NULL;
    store->touched_count = 0; /* forgetting a target looks through them */
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
        while (store->targets[kind].count > 0)
            store_forget(store, map_at(&store->targets[kind], store->targets[kind].count - 1));
    for (size_t i = 0; i < store->nodes.count; i++)
        node_free(map_at(&store->nodes, i));
    free(store->signal_nodes);
    store_forbidden_done(store);
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
        map_done(&store->targets[kind]);
    map_done(&store->names);
    map_done(&store->pods);
    map_done(&store->kube_jobs);
    map_done(&store->workloads);
    map_done(&store->nodes);
    map_done(&store->events);
    map_done(&store->refusals);
    map_done(&store->claims_by_pod);
    map_done(&store->claim_templates);
    map_done(&store->claims);
    free(store->cuts.items);
    free(store->unreachable.items);
    map_done(&store->strings);
}
