#include "operator/store/observe.h"

#include "base/minmax.h"
#include "operator/store/claims.h"
#include "operator/store/completed.h"
#include "operator/store/kinds.h"
#include "operator/store/observe_cluster.h"
#include "operator/store/observe_pod.h"
#include "operator/store/observe_raycluster.h"
#include "operator/store/observe_target.h"
#include "operator/store/signals.h"
#include "operator/store/unwatched.h"

#include <errno.h>

/* ---- objects of a checkpoint, or named by others, that no list shows ---- */

static bool is_missing(const struct node *n, int64_t complete_ms) {
    const struct pod *p = n->pods;
    while (p && !store_is_on_missing_node(p, complete_ms))
        p = p->next_on_node;
    return p != NULL;
}

static const struct map *objects_of(const struct store *store, enum resource resource) {
    enum target_kind kind;
    return resource == RESOURCE_POD          ? &store->pods
           : resource == RESOURCE_WORKLOAD   ? &store->workloads
           : resource == RESOURCE_JOB        ? &store->kube_jobs
           : resource == RESOURCE_NODE       ? &store->nodes
           : resource == RESOURCE_RAYCLUSTER ? &store->kube_jobs
           : kind_shown_by(resource, &kind)  ? &store->targets[kind]
                                             : NULL;
}

/* A restored object that was not observed since has vanished; so has a node that only pods name. Where the controller
 * may not read, no list can show that. */
static bool has_vanished(const struct store *store, enum resource resource, const void *object, int64_t complete_ms) {
    const struct node *n = object;
    const struct pod *p = object;
    const struct workload *w = object;
    const struct kube_job *j = object;
    const struct target *t = object;
    bool is_restored = false;
    if (resource == RESOURCE_NODE)
        return n->exists ? n->is_restored : is_missing(n, complete_ms);
    if (resource == RESOURCE_POD)
        t = p->target, is_restored = p->is_restored;
    else if (resource == RESOURCE_WORKLOAD)
        t = w->target, is_restored = w->is_restored;
    else if (resource == RESOURCE_JOB || resource == RESOURCE_RAYCLUSTER)
        t = j->target, is_restored = j->is_restored && kind_is_of(t->kind, resource);
    else
        is_restored = kind_row(t->kind)->resource == resource && t->is_restored;
    return is_restored && store_forbidden(store, resource, t->namespace_) == NULL;
}

static void sweep(struct store *store, enum resource resource, int64_t received_ms) {
    const struct map *objects = objects_of(store, resource);
    for (size_t i = 0; objects != NULL && i < objects->count; i++) {
        const struct map_entry *e = &objects->entries[i];
        struct slice key = {e->key, e->key_size}; /* the UID; of a node the name */
        if (has_vanished(store, resource, e->value, received_ms))
            store_observe(store, resource, OBSERVED_VANISHED, key, key, (struct slice){0}, received_ms);
    }
}

/* ---- observe.h ---- */

int store_observe(struct store *store, enum resource resource, enum observed what, struct slice name, struct slice uid,
                  struct slice object, int64_t received_ms) {
    enum target_kind kind;
    switch (resource) {
    case RESOURCE_RAYCLUSTER:
        return observe_raycluster(store, what, uid, object, received_ms);
    case RESOURCE_JOB:
        return observe_job(store, what, uid, object, received_ms);
    case RESOURCE_POD:
        return observe_pod(store, what, uid, object, received_ms);
    case RESOURCE_NODE:
        return observe_node(store, what, name, object, received_ms);
    case RESOURCE_WORKLOAD:
        return observe_workload(store, what, uid, object, received_ms);
    case RESOURCE_EVENT:
    case RESOURCE_NODE_EVENT:
        return observe_event(store, what, object);
    case RESOURCE_NODE_LEASE:
        return observe_lease(store, what, object);
    case RESOURCE_RESOURCESLICE:
        return store_observe_resource_slice(store, what, name, object, received_ms);
    case RESOURCE_RESOURCECLAIM:
        return store_observe_claim(store, what, uid, object);
    case RESOURCE_RESOURCECLAIMTEMPLATE:
        return store_observe_claim_template(store, what, object);
    default: /* a run, by the table of kinds, or what only the model reads */
        return kind_shown_by(resource, &kind) ? observe_run(store, kind, what, uid, object, received_ms) : -EINVAL;
    }
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
    if (resource == RESOURCE_POD || resource == RESOURCE_JOB || resource == RESOURCE_JOBSET)
        store_add_completed(store);
}

void store_unreachable(struct store *store, int64_t from_ms, int64_t to_ms) {
    if (from_ms >= to_ms)
        return;
    spans_add(&store->unreachable, from_ms, to_ms);
    for (size_t i = 0; i < store->nodes.count; i++)
        if (node_past(map_at(&store->nodes, i))->trouble_count > 0)
            store_touch_node(store, map_at(&store->nodes, i));
}
