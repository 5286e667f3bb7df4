/* Forgetting: the other end of store.c. */
#include "operator/store/forget.h"
#include "base/mem.h"

#include <stdio.h>

void store_events_free(void *value) {
    struct pod_events *e = value;
    free(e->evicted_message);
    free(e);
}

static void pod_free(struct model *m, struct pod *p) {
    if (p->node) {
        struct pod **at = &p->node->pods;
        while (*at && *at != p)
            at = &(*at)->next_on_node;
        if (*at)
            *at = p->next_on_node;
    }
    map_remove(&m->events, slice_of(pod_uid(p)));
    for (int i = 0; i < p->container_count; i++)
        if (p->containers[i].instances != &p->containers[i].first)
            free(p->containers[i].instances);
    free(p->containers);
    store_trouble_free(p);
    if (p->ready_kind == READY_OFTEN)
        free(p->ready.items);
    free(p->pushed.items);
    map_remove(&m->pods, slice_of(pod_uid(p)));
    free(p);
}

void store_forget_pod(struct model *m, struct pod *p) {
    struct pod **at = p->job ? &p->job->pods : NULL;
    while (at && *at != p)
        at = &(*at)->next_in_job;
    if (at)
        *at = p->next_in_job;
    pod_free(m, p);
}

static void kube_job_free(struct model *m, struct kube_job *j) {
    map_remove(&m->refusals, slice_of(j->uid));
    map_remove(&m->kube_jobs, slice_of(j->uid));
    history_done(&j->suspended);
    free(j->completed_indexes);
    free(j->name);
    free(j->uid);
    free(j);
}

void store_forget_job(struct model *m, struct kube_job *j) {
    struct kube_job **at = &j->target->kube_jobs;
    while (*at != j)
        at = &(*at)->next_in_target;
    *at = j->next_in_target;
    kube_job_free(m, j);
}

static void workload_free(struct model *m, struct workload *w) {
    map_remove(&m->workloads, slice_of(w->uid));
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
static void unname(struct model *m, struct target *t) {
    char key[STORE_NAME_KEY];
    store_name_key(key, t->kind, t->namespace_, t->name);
    struct target *first = map_get(&m->names, slice_of(key));
    if (first == t) {
        map_remove(&m->names, slice_of(key));
        if (t->next_named)
            map_put(&m->names, slice_of(key), t->next_named);
        return;
    }
    while (first && first->next_named != t)
        first = first->next_named;
    if (first)
        first->next_named = t->next_named;
}

void store_forget(struct model *m, struct target *t) {
    for (size_t i = 0; t->is_touched && i < m->touched_count; i++)
        if (m->touched[i] == t)
            m->touched[i--] = m->touched[--m->touched_count];
    unname(m, t);
    map_remove(&m->targets, slice_of(t->uid));
    for (size_t i = 0; i < t->pods.count; i++)
        pod_free(m, t->pods.items[i]);
    for (struct kube_job *j = t->kube_jobs, *next; j; j = next) {
        next = j->next_in_target;
        kube_job_free(m, j);
    }
    for (struct workload *w = t->workloads, *next; w; w = next) {
        next = w->next_in_target;
        workload_free(m, w);
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
    free(t->spec.jobs);
    free(t->pods.items);
    free(t->watch.gaps.items);
    free(t->end.message);
    free(t->uid);
    free(t->namespace_);
    free(t->name);
    free(t);
}

void store_trim(struct model *m) {
    struct target *oldest = NULL;
    size_t count = 0;
    for (size_t i = 0; i < m->targets.count; i++) {
        struct target *t = m->targets.entries[i].value;
        if (t->job || !t->end.is_deleted)
            continue;
        count++;
        if (oldest == NULL || t->end.gone_ms < oldest->end.gone_ms)
            oldest = t;
    }
    if (count > STORE_MAX_UNMEASURED)
        store_forget(m, oldest);
}

static void node_free(void *value) {
    struct node *n = value;
    store_node_done(n);
    free(n);
}

void store_done(struct model *m) {
    free(m->touched);
    m->touched = NULL;
    m->touched_count = 0; /* forgetting a target looks through them */
    while (m->targets.count > 0)
        store_forget(m, m->targets.entries[m->targets.count - 1].value);
    for (size_t i = 0; i < m->nodes.count; i++)
        node_free(m->nodes.entries[i].value);
    store_forbidden_done(m);
    map_done(&m->targets);
    map_done(&m->names);
    map_done(&m->pods);
    map_done(&m->kube_jobs);
    map_done(&m->workloads);
    map_done(&m->nodes);
    map_done(&m->events);
    map_done(&m->refusals);
    free(m->cuts.items);
    free(m->unreachable.items);
    map_done(&m->strings);
}
