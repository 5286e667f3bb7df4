/* What was restored from a checkpoint, or is only named by others, and that no list shows. */
#include "operator/store/sweep.h"
#include "operator/store/observe_cluster.h"
#include "operator/store/observe_pod.h"
#include "operator/store/observe_target.h"

static struct slice key_of(const struct map_entry *e) {
    return (struct slice){e->key, e->key_size};
}

static bool is_missing(const struct node *n, int64_t complete_ms) {
    const struct pod *p = n->pods;
    while (p && !store_is_on_missing_node(p, complete_ms))
        p = p->next_on_node;
    return p != NULL;
}

/* Of what may not be read no list shows that it has vanished. */
static bool is_restored(const struct model *m, enum resource resource, const struct target *t, bool is_restored) {
    return is_restored && store_forbidden(m, resource, t->namespace_) == NULL;
}

static void sweep_nodes(struct model *m, int64_t received_ms) {
    for (size_t i = 0; i < m->nodes.count; i++) {
        const struct node *n = m->nodes.entries[i].value;
        if (n->exists ? n->is_restored : is_missing(n, received_ms))
            observe_node(m, OBSERVED_VANISHED, key_of(&m->nodes.entries[i]), (struct slice){0}, received_ms);
    }
}

static void sweep_jobsets(struct model *m, int64_t received_ms) {
    for (size_t i = 0; i < m->targets.count; i++) {
        const struct target *t = m->targets.entries[i].value;
        if (t->kind == TARGET_JOBSET && is_restored(m, RESOURCE_JOBSET, t, t->is_restored))
            observe_jobset(m, OBSERVED_VANISHED, key_of(&m->targets.entries[i]), (struct slice){0}, received_ms);
    }
}

void store_sweep(struct model *m, enum resource resource, int64_t received_ms) {
    const struct slice none = {0};
    for (size_t i = 0; resource == RESOURCE_POD && i < m->pods.count; i++) {
        const struct pod *p = m->pods.entries[i].value;
        if (is_restored(m, resource, p->target, p->is_restored))
            observe_pod(m, OBSERVED_VANISHED, key_of(&m->pods.entries[i]), none, received_ms);
    }
    for (size_t i = 0; resource == RESOURCE_WORKLOAD && i < m->workloads.count; i++) {
        const struct workload *w = m->workloads.entries[i].value;
        if (is_restored(m, resource, w->target, w->is_restored))
            observe_workload(m, OBSERVED_VANISHED, key_of(&m->workloads.entries[i]), none, received_ms);
    }
    for (size_t i = 0; resource == RESOURCE_JOB && i < m->kube_jobs.count; i++) {
        const struct kube_job *j = m->kube_jobs.entries[i].value;
        if (is_restored(m, resource, j->target, j->is_restored))
            observe_job(m, OBSERVED_VANISHED, key_of(&m->kube_jobs.entries[i]), none, received_ms);
    }
    if (resource == RESOURCE_NODE)
        sweep_nodes(m, received_ms);
    if (resource == RESOURCE_JOBSET)
        sweep_jobsets(m, received_ms);
}
