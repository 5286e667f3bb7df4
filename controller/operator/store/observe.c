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

struct found {
    const struct target *target; /* NULL: a node */
    struct slice uid;            /* of a node the name */
    bool is_restored;
};

static struct found found_in(enum resource resource, const struct map_entry *e) {
    const struct node *n = e->value;
    const struct pod *p = e->value;
    const struct workload *w = e->value;
    const struct kube_job *j = e->value;
    const struct target *t = e->value;
    struct slice key = {e->key, e->key_size};
    switch (resource) {
    case RESOURCE_NODE:
        return (struct found){NULL, key, n->is_restored};
    case RESOURCE_POD:
        return (struct found){p->target, key, p->is_restored};
    case RESOURCE_WORKLOAD:
        return (struct found){w->target, key, w->is_restored};
    case RESOURCE_JOB:
    case RESOURCE_RAYCLUSTER:
        return (struct found){j->target, slice_of(j->uid), j->is_restored && kind_is_of(j->target->kind, resource)};
    default:
        return (struct found){t, slice_of(t->uid), kind_row(t->kind)->resource == resource && t->is_restored};
    }
}

/* A restored object that was not observed since has vanished; so has a node that only pods name. Where the controller
 * may not read, no list can show that. */
static void sweep(struct store *store, enum resource resource, int64_t received_ms) {
    const struct map *objects = objects_of(store, resource);
    for (size_t i = 0; objects != NULL && i < objects->count; i++) {
        const struct node *n = objects->entries[i].value;
        struct found o = found_in(resource, &objects->entries[i]);
        struct slice namespace_ = {0};
        bool has_vanished = o.is_restored;
        if (o.target == NULL) {
            has_vanished = n->exists ? n->is_restored : is_missing(n, received_ms);
        } else {
            namespace_ = slice_of(o.target->namespace_);
            has_vanished &= store_forbidden(store, resource, o.target->namespace_) == NULL;
        }
        if (has_vanished)
            store_observe(store, resource, OBSERVED_VANISHED, namespace_, o.uid, o.uid, (struct slice){0}, received_ms);
    }
}

/* ---- observe.h ---- */

int store_observe(struct store *store, enum resource resource, enum observed what, struct slice namespace_,
                  struct slice name, struct slice uid, struct slice object, int64_t received_ms) {
    enum target_kind kind;
    switch (resource) {
    case RESOURCE_RAYCLUSTER:
        return observe_raycluster(store, what, namespace_, uid, object, received_ms);
    case RESOURCE_JOB:
        return observe_job(store, what, namespace_, uid, object, received_ms);
    case RESOURCE_POD:
        return observe_pod(store, what, uid, object, received_ms);
    case RESOURCE_NODE:
        return observe_node(store, what, name, object, received_ms);
    case RESOURCE_WORKLOAD:
        return observe_workload(store, what, namespace_, uid, object, received_ms);
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
        return kind_shown_by(resource, &kind) ? observe_run(store, kind, what, namespace_, uid, object, received_ms)
                                              : -EINVAL;
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
