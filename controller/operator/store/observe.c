#include "operator/store/observe.h"

#include "base/minmax.h"
#include "operator/store/observe_cluster.h"
#include "operator/store/observe_pod.h"
#include "operator/store/observe_target.h"
#include "operator/store/unwatched.h"

#include <errno.h>

/* ---- objects of a checkpoint, or named by others, that no list shows ---- */

static struct slice key_of(const struct map_entry *e) {
    return (struct slice){e->key, e->key_size};
}

static bool is_missing(const struct node *n, int64_t complete_ms) {
    const struct pod *p = n->pods;
    while (p && !store_is_on_missing_node(p, complete_ms))
        p = p->next_on_node;
    return p != NULL;
}

/* Where the controller may not read, no list can show that an object has vanished. */
static bool is_restored(const struct store *store, enum resource resource, const struct target *t, bool is_restored) {
    return is_restored && store_forbidden(store, resource, t->namespace_) == NULL;
}

static void sweep_nodes(struct store *store, int64_t received_ms) {
    for (size_t i = 0; i < store->nodes.count; i++) {
        const struct node *n = store->nodes.entries[i].value;
        if (n->exists ? n->is_restored : is_missing(n, received_ms))
            observe_node(store, OBSERVED_VANISHED, key_of(&store->nodes.entries[i]), (struct slice){0}, received_ms);
    }
}

static void sweep_jobsets(struct store *store, int64_t received_ms) {
    for (size_t i = 0; i < store->targets.count; i++) {
        const struct target *t = store->targets.entries[i].value;
        if (t->kind == TARGET_JOBSET && is_restored(store, RESOURCE_JOBSET, t, t->is_restored))
            observe_jobset(store, OBSERVED_VANISHED, key_of(&store->targets.entries[i]), (struct slice){0},
                           received_ms);
    }
}

/* A restored object of that kind that was not observed since has vanished; so has a node that only pods name. */
static void sweep(struct store *store, enum resource resource, int64_t received_ms) {
    const struct slice none = {0};
    for (size_t i = 0; resource == RESOURCE_POD && i < store->pods.count; i++) {
        const struct pod *p = store->pods.entries[i].value;
        if (is_restored(store, resource, p->target, p->is_restored))
            observe_pod(store, OBSERVED_VANISHED, key_of(&store->pods.entries[i]), none, received_ms);
    }
    for (size_t i = 0; resource == RESOURCE_WORKLOAD && i < store->workloads.count; i++) {
        const struct workload *w = store->workloads.entries[i].value;
        if (is_restored(store, resource, w->target, w->is_restored))
            observe_workload(store, OBSERVED_VANISHED, key_of(&store->workloads.entries[i]), none, received_ms);
    }
    for (size_t i = 0; resource == RESOURCE_JOB && i < store->kube_jobs.count; i++) {
        const struct kube_job *j = store->kube_jobs.entries[i].value;
        if (is_restored(store, resource, j->target, j->is_restored))
            observe_job(store, OBSERVED_VANISHED, key_of(&store->kube_jobs.entries[i]), none, received_ms);
    }
    if (resource == RESOURCE_NODE)
        sweep_nodes(store, received_ms);
    if (resource == RESOURCE_JOBSET)
        sweep_jobsets(store, received_ms);
}

/* ---- observe.h ---- */

int store_observe(struct store *store, enum resource resource, enum observed what, struct slice name, struct slice uid,
                  struct slice object, int64_t received_ms) {
    switch (resource) {
    case RESOURCE_JOBSET:
        return observe_jobset(store, what, uid, object, received_ms);
    case RESOURCE_JOB:
        return observe_job(store, what, uid, object, received_ms);
    case RESOURCE_POD:
        return observe_pod(store, what, uid, object, received_ms);
    case RESOURCE_NODE:
        return observe_node(store, what, name, object, received_ms);
    case RESOURCE_WORKLOAD:
        return observe_workload(store, what, uid, object, received_ms);
    case RESOURCE_EVENT:
        return observe_event(store, what, object);
    case RESOURCE_NODE_LEASE:
        return observe_lease(store, what, object);
    case RESOURCE_JOBGOODPUT:
    case RESOURCE_STEPLOGFORMAT:
    case RESOURCE_COUNT:
        break;
    }
    return -EINVAL;
}

void store_receive(struct store *store, enum resource resource, int64_t received_ms) {
    if (resource != RESOURCE_JOBGOODPUT && resource != RESOURCE_STEPLOGFORMAT)
        store_watching(store, received_ms);
    if (store->watermark_ms[resource] != TIME_UNKNOWN)
        store->watermark_ms[resource] = max_of(store->watermark_ms[resource], received_ms);
}

void store_complete(struct store *store, enum resource resource, int64_t received_ms, bool is_absent) {
    store->is_absent[resource] = is_absent;
    if (is_absent)
        return;
    if (resource != RESOURCE_JOBGOODPUT && resource != RESOURCE_STEPLOGFORMAT)
        store_watching(store, received_ms);
    if (!store->is_swept[resource]) {
        store->is_swept[resource] = true;
        sweep(store, resource, received_ms);
    }
    if (resource == RESOURCE_POD)
        store->pods_complete_ms = max_of(store->pods_complete_ms, received_ms);
    store->watermark_ms[resource] = max_of(store->watermark_ms[resource], received_ms);
}

void store_unreachable(struct store *store, int64_t from_ms, int64_t to_ms) {
    if (from_ms >= to_ms)
        return;
    spans_add(&store->unreachable, from_ms, to_ms);
    for (size_t i = 0; i < store->nodes.count; i++)
        if (node_past(store->nodes.entries[i].value)->trouble_count > 0)
            store_touch_node(store, store->nodes.entries[i].value);
}
