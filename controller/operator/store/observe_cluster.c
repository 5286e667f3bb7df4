/* Workloads, Nodes and their Leases, into the store. */
#include "operator/store/observe_cluster.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/objects/cluster.h"
#include "operator/store/kinds.h"
#include "operator/store/observe_target.h"
#include "operator/store/signals.h"

#include <errno.h>
#include <string.h>

/* A kubelet renews its lease every 10 s; a longer silence is remembered (kubelet nodeLeaseDurationSeconds 40). */
#define SILENCE_MS 15000

static void apply_condition(struct store *store, struct history *h, const struct object_workload *o, const char *type,
                            int64_t received_ms) {
    const struct object_condition *c = object_condition_find(&o->conditions, type);
    if (c == NULL)
        return;
    struct transition t = {c->at_ms, slice_is(c->status, "True"), c->at_ms == TIME_UNKNOWN,
                           store_intern(store, c->reason), NULL};
    if (t.is_derived)
        t.at_ms = received_ms;
    store_text(&t.message, c->message);
    history_add(h, t);
}

/* spec.active has no time: the eviction or the requeueing that followed it has one, mostly in a later version. A
 * Workload that is first observed without it was made so. */
static void apply_active(struct store *store, struct workload *w, const struct object_workload *o,
                         struct object_before before, bool is_first, int64_t received_ms) {
    const struct object_condition *evicted = object_condition_find(&o->conditions, "Evicted");
    const struct object_condition *requeued = object_condition_find(&o->conditions, "Requeued");
    const struct object_condition *cause = o->is_active ? requeued : evicted;
    int earlier = w->active.count - (w->active.count > 0 && history_is_true(&w->active) == o->is_active);
    int64_t since_ms = earlier > 0 ? w->active.items[earlier - 1].at_ms : w->created_ms;
    bool has_time = cause && slice_is(cause->status, "True") && cause->at_ms >= since_ms &&
                    slice_contains(cause->reason, o->is_active ? "Reactivated" : "Deactivated");
    if (w->active.count == 0 && o->is_active)
        return; /* as it was made */
    struct transition t = {has_time   ? cause->at_ms
                           : is_first ? w->created_ms
                                      : object_changed_ms(&o->meta, before, received_ms),
                           o->is_active, !has_time, has_time ? store_intern(store, cause->reason) : "", NULL};
    history_add(&w->active, t);
}

/* The check's state does not name its controller. The controller of ProvisioningRequests writes to the Workload as soon
 * as the autoscaler answers. Before that, and where there are several checks, the message decides. */
static bool is_provisioning(const struct object_workload *o, const struct object_check *c) {
    struct slice rest = o->checks;
    struct object_check other;
    bool is_only_one = object_check_next(&rest, &other) && !object_check_next(&rest, &other);
    return (o->meta.is_by_provisioner && is_only_one) || slice_contains(c->message, "rovisioning") ||
           slice_contains(c->name, "prov") || slice_contains(c->name, "dws");
}

static void apply_checks(struct store *store, struct workload *w, const struct object_workload *o) {
    struct slice rest = o->checks;
    struct object_check c;
    while (object_check_next(&rest, &c)) {
        if (slice_is(c.state, "Ready") && slice_is(c.name, w->check_name))
            w->awaits_provisioning |= is_provisioning(o, &c); /* what was waited for may be known only now */
        if (slice_is(c.state, "Ready") && (w->check_name[0] || !is_provisioning(o, &c)))
            continue; /* unless it was over when it was first seen */
        w->check_name = store_intern(store, c.name);
        store_text(&w->check_message, c.message);
        w->awaits_provisioning = is_provisioning(o, &c);
        if (w->awaits_provisioning)
            return;
    }
}

static void touch_node_named(struct store *store, const char *name) {
    struct node *n = map_get(&store->nodes, slice_of(name));
    if (n)
        store_touch_node(store, n);
}

/* The oldest that is over makes room. One that lasts stays: what ended its pods is known by it. */
static void unhealthy_make_room(struct workload *w) {
    int at = 0;
    while (at < w->unhealthy_count && w->unhealthy[at].to_ms == TIME_OPEN)
        at++;
    if (w->unhealthy_count < STORE_MAX_UNHEALTHY || at == w->unhealthy_count)
        return;
    memmove(&w->unhealthy[at], &w->unhealthy[at + 1], (size_t)(w->unhealthy_count - at - 1) * sizeof *w->unhealthy);
    w->unhealthy_count--;
}

static void unhealthy_add(struct store *store, struct workload *w, const char *name, int64_t at_ms) {
    for (int i = 0; i < w->unhealthy_count; i++)
        if (w->unhealthy[i].to_ms == TIME_OPEN && w->unhealthy[i].name == name)
            return;
    unhealthy_make_room(w);
    if (w->unhealthy_count == STORE_MAX_UNHEALTHY)
        return;
    STORE_GROW(w->unhealthy, w->unhealthy_count, w->unhealthy_capacity);
    w->unhealthy[w->unhealthy_count++] = (struct unhealthy_node){name, at_ms, TIME_OPEN};
    touch_node_named(store, name);
}

/* Kueue takes an entry back once the node is replaced, the Workload is evicted, or the node is well again. */
static void apply_unhealthy(struct store *store, struct workload *w, const struct object_workload *o,
                            int64_t changed_ms) {
    struct slice rest, name;
    for (int i = 0; i < w->unhealthy_count; i++) {
        bool is_there = false;
        for (rest = o->unhealthy; object_unhealthy_next(&rest, &name) && !is_there;)
            is_there = slice_is(name, w->unhealthy[i].name);
        if (w->unhealthy[i].to_ms != TIME_OPEN || is_there)
            continue;
        w->unhealthy[i].to_ms = changed_ms;
        touch_node_named(store, w->unhealthy[i].name);
    }
    for (rest = o->unhealthy; object_unhealthy_next(&rest, &name);)
        if (name.size_bytes > 0)
            unhealthy_add(store, w, store_intern(store, name), changed_ms);
}

/* A group of pods is its Workload. NULL: the Workload is of another kind, or has no owner. */
static struct target *target_of(struct store *store, const struct object_meta *meta) {
    enum target_kind kind;
    if (slice_is(meta->is_group, "true"))
        return store_target(store, TARGET_PODGROUP, meta->uid, meta->namespace_, meta->name);
    if (!kind_find(meta->owner_kind, &kind))
        return NULL;
    return store_target(store, kind, meta->owner_uid, meta->namespace_, meta->owner_name);
}

int observe_workload(struct store *store, enum observed what, struct slice namespace_, struct slice uid,
                     struct slice json, int64_t received_ms) {
    struct object_workload o;
    if (what == OBSERVED_VANISHED) {
        struct workload *removed = map_get(&store->workloads, uid);
        if (removed && removed->removed_ms == TIME_UNKNOWN) {
            removed->removed_ms = received_ms;
            store_touch_target(store, removed->target);
        }
        const struct target *group = store_find_target(store, TARGET_PODGROUP, namespace_, uid);
        return group != NULL ? observe_run(store, TARGET_PODGROUP, what, namespace_, uid, json, received_ms) : 0;
    }
    int err = object_workload_parse(json, &o);
    if (err < 0)
        return err;
    struct target *t = target_of(store, &o.meta);
    if (slice_is(o.meta.is_group, "true") &&
        (err = observe_run(store, TARGET_PODGROUP, what, namespace_, uid, json, received_ms)) < 0)
        return err;
    if (t == NULL || o.meta.uid.size_bytes == 0)
        return o.meta.owner_uid.size_bytes == 0 && o.meta.uid.size_bytes > 0 ? 0 : -EINVAL;
    struct workload *w = store_workload(store, t->run != NULL ? t->run : t, o.meta.uid);
    t = w->target;
    w->is_restored = false;
    bool is_first = w->name == NULL;
    if (is_first)
        w->name = slice_dup(o.meta.name);
    w->created_ms = o.meta.created_ms != TIME_UNKNOWN ? o.meta.created_ms : received_ms;
    w->queue = store_intern(store, o.queue);
    if (o.cluster_queue.size_bytes > 0)
        w->cluster_queue = store_intern(store, o.cluster_queue);
    if (o.priority.size_bytes > 0)
        w->priority = store_intern(store, o.priority);
    apply_condition(store, &w->reserved, &o, "QuotaReserved", received_ms);
    apply_condition(store, &w->admitted, &o, "Admitted", received_ms);
    apply_condition(store, &w->evicted, &o, "Evicted", received_ms);
    w->evictions = o.evictions;
    struct object_before before = {w->written_ms, is_first ? 0 : max_of(t->watch.known_ms, 0)};
    w->written_ms = o.meta.written_ms;
    apply_active(store, w, &o, before, is_first, received_ms);
    apply_checks(store, w, &o);
    apply_unhealthy(store, w, &o, object_changed_ms(&o.meta, before, received_ms));
    const struct object_condition *c = object_condition_find(&o.conditions, "Finished");
    if (c && slice_is(c->status, "True") && w->finished_ms == TIME_UNKNOWN)
        w->finished_ms = c->at_ms != TIME_UNKNOWN ? c->at_ms : received_ms;
    if (what == OBSERVED_DELETED && w->removed_ms == TIME_UNKNOWN)
        w->removed_ms =
            o.meta.deletion_ms != TIME_UNKNOWN && o.meta.deletion_ms < received_ms ? o.meta.deletion_ms : received_ms;
    store_touch_target(store, t);
    return 0;
}

static struct node_trouble *trouble_now(struct node *n) {
    struct node_past *past = n->past;
    struct node_trouble *last = past && past->trouble_count > 0 ? &past->troubles[past->trouble_count - 1] : NULL;
    return last && last->to_ms == TIME_OPEN ? last : NULL;
}

/* A kubelet that itself reported NotReady was alive at that time, whatever came after. */
static bool trouble_begin(struct node *n, int64_t at_ms, int64_t heartbeat_ms, bool is_silent, const char *reason) {
    if (trouble_now(n))
        return false;
    struct node_past *past = store_node_past(n);
    if (past->trouble_count == STORE_MAX_TRANSITIONS) {
        memmove(&past->troubles[0], &past->troubles[1], (size_t)(past->trouble_count - 1) * sizeof *past->troubles);
        past->trouble_count--;
    }
    STORE_GROW(past->troubles, past->trouble_count, past->trouble_capacity);
    past->troubles[past->trouble_count++] = (struct node_trouble){at_ms, heartbeat_ms, TIME_OPEN, is_silent, reason};
    return true;
}

/* Ready again since a time after it was last known to be: that it was not Ready was not observed. */
static bool apply_return(struct node *n, int64_t at_ms) {
    int64_t known_ms = n->ready_ms != TIME_UNKNOWN ? n->ready_ms : n->restored_ms;
    n->ready_ms = at_ms;
    if (known_ms == TIME_UNKNOWN || at_ms <= known_ms || !trouble_begin(n, at_ms, TIME_UNKNOWN, true, "NodeReturned"))
        return false;
    struct node_trouble *now = trouble_now(n);
    if (now != NULL)
        now->to_ms = at_ms;
    return true;
}

static bool apply_ready(struct store *store, struct node *n, const struct object_node *o, int64_t received_ms) {
    const struct object_condition *c = object_condition_find(&o->conditions, "Ready");
    if (c == NULL)
        return false;
    int64_t at_ms = c->at_ms != TIME_UNKNOWN ? c->at_ms : received_ms;
    struct node_trouble *now = trouble_now(n);
    if (now && now->is_silent && slice_is(c->status, "False") && at_ms > now->visible_ms)
        now->to_ms = at_ms; /* its kubelet speaks again */
    if (!slice_is(c->status, "True"))
        return trouble_begin(n, at_ms, c->heartbeat_ms, slice_is(c->status, "Unknown"), store_intern(store, c->reason));
    if (now == NULL)
        return apply_return(n, at_ms);
    now->to_ms = at_ms > now->visible_ms ? at_ms : now->visible_ms;
    n->ready_ms = now->to_ms;
    return true;
}

static bool apply_taints(struct store *store, struct node *n, const struct object_node *o, int64_t received_ms) {
    bool changed = false;
    for (int i = 0; i < node_past(n)->taint_count; i++) {
        struct node_taint *known = &n->past->taints[i];
        bool is_there = false;
        for (int k = 0; k < o->taint_count && known->to_ms == TIME_OPEN; k++)
            is_there |= slice_is(o->taints[k].key, known->key);
        if (known->to_ms == TIME_OPEN && !is_there) {
            known->to_ms = received_ms;
            changed = true;
        }
    }
    for (int k = 0; k < o->taint_count; k++) {
        const struct object_taint *t = &o->taints[k];
        bool is_known = false;
        for (int i = 0; i < node_past(n)->taint_count && !is_known; i++)
            is_known = n->past->taints[i].to_ms == TIME_OPEN && slice_is(t->key, n->past->taints[i].key);
        if (is_known)
            continue;
        struct node_past *past = store_node_past(n);
        if (past->taint_count == STORE_MAX_TRANSITIONS)
            memmove(&past->taints[0], &past->taints[1], (size_t)--past->taint_count * sizeof *past->taints);
        STORE_GROW(past->taints, past->taint_count, past->taint_capacity);
        past->taints[past->taint_count++] =
            (struct node_taint){store_intern(store, t->key), store_intern(store, t->value),
                                t->added_ms != TIME_UNKNOWN ? t->added_ms : received_ms, TIME_OPEN};
        changed = true;
    }
    return changed;
}

static bool apply_maintenance(struct node *n, bool is_on, int64_t received_ms) {
    const struct spans *maintenance = &node_past(n)->maintenance;
    struct span *last = maintenance->count > 0 ? &maintenance->items[maintenance->count - 1] : NULL;
    bool is_open = last && last->to_ms == TIME_OPEN;
    if (is_on == is_open)
        return false;
    if (is_on)
        spans_add(&store_node_past(n)->maintenance, received_ms, TIME_OPEN);
    else
        last->to_ms = received_ms;
    return true;
}

int observe_node(struct store *store, enum observed what, struct slice name, struct slice json, int64_t received_ms) {
    struct object_node o;
    if (what == OBSERVED_VANISHED) {
        struct node *removed = map_get(&store->nodes, name);
        const char *reason =
            removed && removed->exists ? "NodeDeleted" : "NodeMissing"; /* never seen, though pods name it */
        if (removed && trouble_begin(removed, received_ms, TIME_UNKNOWN, true, reason))
            store_touch_node(store, removed);
        return 0;
    }
    int err = object_node_parse(json, &o);
    if (err < 0)
        return err;
    struct node *n = store_node(store, o.meta.name);
    const char *pool = store_intern(store, o.meta.node_pool);
    int64_t chips = o.meta.is_partitioned ? 0 : o.meta.node_chips;
    bool changed = !n->exists || n->pool != pool || n->is_spot != o.meta.is_spot || n->chips != chips;
    changed |= store_observe_node_signals(store, n, json, received_ms, !n->exists);
    n->exists = true;
    n->is_restored = false;
    n->pool = pool;
    store->labels_version += n->chip != o.meta.chip || n->price != o.meta.price;
    n->chip = o.meta.chip;
    n->price = o.meta.price;
    n->chips = chips;
    n->is_spot = o.meta.is_spot;
    changed |= apply_ready(store, n, &o, received_ms);
    changed |= apply_taints(store, n, &o, received_ms);
    changed |= apply_maintenance(n, o.meta.is_under_maintenance, received_ms);
    if (what == OBSERVED_DELETED) {
        int64_t at_ms =
            o.meta.deletion_ms != TIME_UNKNOWN && o.meta.deletion_ms < received_ms ? o.meta.deletion_ms : received_ms;
        changed |= trouble_begin(n, at_ms, TIME_UNKNOWN, true, "NodeDeleted");
    }
    if (changed)
        store_touch_node(store, n);
    return 0;
}

int observe_lease(struct store *store, enum observed what, struct slice json) {
    struct object_lease o;
    if (what != OBSERVED_PRESENT)
        return 0;
    int err = object_lease_parse(json, &o);
    if (err < 0)
        return err;
    if (!slice_is(o.meta.namespace_, "kube-node-lease") || o.renewed_ms == TIME_UNKNOWN)
        return 0;
    struct node *n = store_node(store, o.meta.name);
    if (n->renewed_ms != TIME_UNKNOWN && o.renewed_ms > n->renewed_ms + SILENCE_MS) {
        spans_add(&store_node_past(n)->silences, n->renewed_ms, o.renewed_ms);
        store_touch_node(store, n);
    }
    if (o.renewed_ms > n->renewed_ms) {
        n->renewed_ms = o.renewed_ms;
        if (trouble_now(n))
            store_touch_node(store, n); /* now it is known since when it was silent */
    }
    return 0;
}
