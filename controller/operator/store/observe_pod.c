/* Pods and the Events about them, into the store. */
#include "operator/store/observe_pod.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/objects/cluster.h"
#include "operator/objects/pod.h"
#include "operator/store/claims.h"
#include "operator/store/failures.h"
#include "operator/store/observe_cluster.h"
#include "operator/store/signals.h"
#include "operator/store/unwatched.h"

#include <errno.h>
#include <string.h>

#define REFUSED_AGAIN_MS 62000 /* the Job controller tries again after at most 60 s (MaxJobApiBackOff) */

static bool set_time(int64_t *to, int64_t at) {
    if (at == TIME_UNKNOWN || *to == at)
        return false;
    *to = at;
    return true;
}

/* A pod that is not known, if it belongs to a job of one of the kinds; NULL otherwise. */
static struct pod *new_pod(struct store *store, struct object_meta *meta) {
    struct target *t = NULL;
    if (meta->uid.size_bytes == 0)
        return NULL;
    if (slice_is(meta->owner_kind, "Job"))
        meta->controller_uid = meta->owner_uid;
    for (int kind = 0; kind < TARGET_KIND_COUNT && t == NULL; kind++)
        if (kind_row((enum target_kind)kind)->of_pod != NULL)
            t = kind_row((enum target_kind)kind)->of_pod(store, meta);
    if (t != NULL)
        t->restarts.executions = max_of(t->restarts.executions, meta->execution_attempt);
    return t ? store_pod_new(store, t, meta) : NULL;
}

static struct instance unobserved(int64_t restart_count) {
    return (struct instance){.restart_count = (int)restart_count,
                             .exit_code = -1,
                             .reason = "",
                             .started_ms = TIME_UNKNOWN,
                             .finished_ms = TIME_UNKNOWN,
                             .last_line_ms = TIME_UNKNOWN};
}

static void apply_containers(struct store *store, struct pod *p, const struct object_pod *o) {
    struct slice rest = o->containers;
    struct object_container *all CLEANUP_FREE = NULL, one;
    int plain = 0, with_chips = 0;
    size_t count = 0, capacity = 0;
    int64_t chips = 0;
    if (p->containers)
        return;
    bool may_restart = !slice_is(o->restart_policy, "Never");
    while (object_container_next(&rest, &one)) {
        MEM_GROW(all, count, capacity);
        all[count++] = one;
        *(one.chips > 0 || one.has_claims ? &with_chips : &plain) += 1;
        chips = min_of(chips + one.chips, INT32_MAX);
        may_restart |= one.may_restart;
    }
    if (count == 0)
        return;
    with_chips = (int)min_of(with_chips, STORE_MAX_CONTAINERS);
    plain = (int)min_of(plain, STORE_MAX_CONTAINERS - with_chips);
    p->containers = mem_alloc((size_t)(plain + with_chips) * sizeof *p->containers);
    for (size_t i = 0; i < count; i++) {
        const struct object_container *shown = &all[i];
        if ((*(shown->chips > 0 || shown->has_claims ? &with_chips : &plain))-- <= 0)
            continue;
        struct container *c = &p->containers[p->container_count++];
        c->name = store_intern(store, shown->name);
        c->chips = (int32_t)min_of(shown->chips, INT32_MAX);
        c->has_claims = shown->has_claims;
        c->instances = &c->first;
        c->instances[0] = unobserved(0);
        c->count = c->capacity = 1;
    }
    p->chips = (int32_t)chips;
    p->restarts_in_place = may_restart;
    store_add_claimed(store, p);
}

/* A pod is bound from the earliest time that any of its versions shows: a kubelet may write the condition PodScheduled
 * of a pod that came with its node's name only when it starts it. */
static void note_bound(struct pod *p, int64_t at_ms) {
    p->bound_ms = p->bound_ms == TIME_UNKNOWN ? at_ms : min_of(p->bound_ms, at_ms);
}

static void apply_binding(struct store *store, struct pod *p, const struct object_pod *o, int64_t received_ms) {
    const struct object_condition *c = object_condition_find(&o->conditions, "PodScheduled");
    bool is_true = c && slice_is(c->status, "True");
    bool is_gated = c && !is_true && slice_is(c->reason, "SchedulingGated");
    if (o->node.size_bytes > 0 && p->node == NULL) {
        store_pod_bind(p, store_node(store, o->node));
    }
    if (is_true)
        note_bound(p, c->at_ms == TIME_UNKNOWN ? received_ms : c->at_ms);
    else if (p->node)
        note_bound(p, received_ms);
    if (is_gated && pod_trouble(p)->gated_from_ms == TIME_UNKNOWN)
        store_trouble(p)->gated_from_ms = p->created_ms;
    if (is_gated)
        p->trouble->gated_written_ms = o->meta.written_ms;
    if (!is_gated && pod_trouble(p)->gated_from_ms != TIME_UNKNOWN && pod_trouble(p)->gated_to_ms == TIME_UNKNOWN)
        p->trouble->gated_to_ms = p->bound_ms != TIME_UNKNOWN && p->bound_ms < received_ms ? p->bound_ms : received_ms;
    if (c && !is_true && !is_gated) {
        struct pod_trouble *t = store_trouble(p);
        if (t->unschedulable_ms == TIME_UNKNOWN)
            t->unschedulable_ms = t->gated_to_ms != TIME_UNKNOWN ? t->gated_to_ms
                                  : c->at_ms != TIME_UNKNOWN     ? c->at_ms
                                                                 : received_ms;
        store_text(&t->unschedulable_message, c->message);
    }
}

static struct instance *instance_add(struct pod *p, struct container *c, struct instance i) {
    if (c->count == STORE_MAX_INSTANCES) {
        p->target->is_cut = true;
        memmove(&c->instances[1], &c->instances[2], (size_t)(c->count - 2) * sizeof *c->instances);
        c->count--;
    }
    if (c->instances == &c->first) {
        c->capacity = 2;
        c->instances = mem_resize(NULL, c->capacity, sizeof i);
        c->instances[0] = c->first;
    }
    STORE_GROW(c->instances, c->count, c->capacity);
    c->instances[c->count++] = i;
    return &c->instances[c->count - 1];
}

/* lastState shows the previous instance, whose end may not have been observed. */
static void apply_last_state(struct store *store, struct pod *p, struct container *c,
                             const struct object_container_status *s) {
    struct instance *last = container_instance(c, (int)s->restart_count - 1);
    if (s->last_finished_ms == TIME_UNKNOWN || s->restart_count == 0)
        return;
    if (last == NULL)
        last = instance_add(p, c, unobserved(s->restart_count - 1));
    last->is_running = false;
    set_time(&last->started_ms, s->last_started_ms);
    set_time(&last->finished_ms, s->last_finished_ms);
    last->exit_code = (int)s->last_exit_code;
    last->reason = store_intern(store, s->last_reason);
}

/* Called before the object's own deletionTimestamp is taken in. */
static void note_end_order(const struct pod *p, struct instance *i, bool is_asked_now) {
    if (i->finished_ms == TIME_UNKNOWN || i->end_order != END_UNOBSERVED)
        return;
    i->end_order = p->deletion_ms != TIME_UNKNOWN ? END_SEEN_AFTER : is_asked_now ? END_SEEN_TOGETHER : END_SEEN_FIRST;
}

static void apply_status(struct store *store, struct pod *p, const struct object_container_status *s,
                         bool is_asked_now) {
    struct container *c = NULL;
    for (int i = 0; i < p->container_count && c == NULL; i++)
        if (slice_is(s->name, p->containers[i].name))
            c = &p->containers[i];
    if (c == NULL)
        return;
    struct instance *now = container_now(c);
    if (c->count == 1 && now->started_ms == TIME_UNKNOWN && now->restart_count < s->restart_count &&
        s->last_finished_ms == TIME_UNKNOWN)
        now->restart_count = (int)s->restart_count; /* seen for the first time in the middle of its life */
    if (container_now(c)->restart_count < s->restart_count) {
        apply_last_state(store, p, c, s);
        instance_add(p, c, unobserved(s->restart_count));
    }
    now = container_instance(c, (int)s->restart_count);
    if (now == NULL)
        return;
    bool is_in_back_off = s->waiting_reason.size_bytes > 0 && !s->is_running && s->finished_ms == TIME_UNKNOWN;
    if (is_in_back_off && s->last_finished_ms != TIME_UNKNOWN) { /* the count moves with the next start only */
        set_time(&now->started_ms, s->last_started_ms);
        set_time(&now->finished_ms, s->last_finished_ms);
        now->exit_code = (int)(s->last_exit_code & 0xffff);
        now->reason = store_intern(store, s->last_reason);
    }
    now->is_running = s->is_running;
    set_time(&now->started_ms, s->started_ms);
    set_time(&now->finished_ms, s->finished_ms);
    note_end_order(p, now, is_asked_now);
    if (s->exit_code >= 0) {
        now->exit_code = (int)(s->exit_code & 0xffff);
        now->reason = store_intern(store, s->reason);
    }
    if (s->waiting_reason.size_bytes > 0 && !s->is_running) {
        p->waiting_reason = store_intern(store, s->waiting_reason);
        p->had_pull_trouble |= object_is_pull_reason(s->waiting_reason);
    } else if (s->is_running) {
        p->waiting_reason = "";
    }
}

static void ready_add(struct pod *p, int64_t from_ms) {
    if (p->ready_kind == READY_NEVER) {
        p->first_ready = (struct span){from_ms, TIME_OPEN};
        p->ready_kind = READY_ONCE;
        return;
    }
    if (p->ready_kind == READY_ONCE) {
        struct span first = p->first_ready;
        p->ready = (struct spans){mem_resize(NULL, 2, sizeof first), 1, 2};
        p->ready.items[0] = first;
        p->ready_kind = READY_OFTEN;
    }
    spans_add(&p->ready, from_ms, TIME_OPEN);
}

static void apply_ready(struct pod *p, const struct object_pod *o) {
    const struct object_condition *c = object_condition_find(&o->conditions, "Ready");
    if (c == NULL || c->at_ms == TIME_UNKNOWN)
        return;
    struct spans ready = pod_ready(p);
    struct span *last = ready.count > 0 ? &ready.items[ready.count - 1] : NULL;
    bool is_open = last && last->to_ms == TIME_OPEN;
    if (slice_is(c->status, "True") && !is_open && ready.count == STORE_MAX_TRANSITIONS)
        p->ready_counted -=
            p->ready_counted < 2 ? p->ready_counted : 2; /* those of the oldest span, which is dropped */
    if (slice_is(c->status, "True") && !is_open)
        ready_add(p, max_of(c->at_ms, p->settled_ms));
    else if (!slice_is(c->status, "True") && is_open)
        last->to_ms = c->at_ms > last->from_ms ? c->at_ms : last->from_ms;
}

/* finished_ms: the newest end of its containers. */
static void apply_end(struct pod *p, const struct object_pod *o, int64_t finished_ms, int64_t received_ms) {
    if (slice_is(o->phase, "Succeeded"))
        p->phase = POD_SUCCEEDED;
    else if (slice_is(o->phase, "Failed"))
        p->phase = POD_FAILED;
    else if (slice_is(o->phase, "Running"))
        p->phase = POD_RUNNING;
    if (p->phase < POD_SUCCEEDED || p->ended_ms != TIME_UNKNOWN)
        return;
    int64_t asked_ms = max_of(p->deletion_ms, pod_trouble(p)->disruption_ms);
    p->was_asked_first = asked_ms != TIME_UNKNOWN;
    p->ended_ms = finished_ms;
    const struct object_condition *c = object_condition_find(&o->conditions, "Ready");
    if (p->ended_ms == TIME_UNKNOWN && c && !slice_is(c->status, "True"))
        p->ended_ms = c->at_ms;
    if (p->was_asked_first && p->restarts_in_place) /* in back-off it was there until then */
        p->ended_ms = max_of(p->ended_ms, asked_ms);
    if (p->ended_ms == TIME_UNKNOWN)
        p->ended_ms = p->deletion_ms != TIME_UNKNOWN ? p->deletion_ms : received_ms;
}

/* Kueue's TerminationTarget says the same of a pod that it deletes because it evicted the Workload of its group. */
static const struct object_condition *find_disruption(const struct object_pod *o) {
    const struct object_condition *c = object_condition_find(&o->conditions, "DisruptionTarget");
    const struct object_condition *by_kueue = object_condition_find(&o->conditions, "TerminationTarget");
    return c == NULL && by_kueue && slice_starts(by_kueue->reason, POD_EVICTED_WITH_WORKLOAD) ? by_kueue : c;
}

static void apply_disruption(struct store *store, struct pod *p, const struct object_pod *o) {
    const struct object_condition *c = find_disruption(o);
    if (c && slice_is(c->status, "True") && pod_trouble(p)->disruption_ms == TIME_UNKNOWN && c->at_ms != TIME_UNKNOWN) {
        struct pod_trouble *t = store_trouble(p);
        t->disruption_ms = c->at_ms;
        t->disruption_reason = store_intern(store, c->reason);
        store_text(&t->disruption_message, c->message);
    }
    if (o->meta.deletion_ms != TIME_UNKNOWN) {
        int64_t asked_ms = o->meta.deletion_ms - o->meta.grace_seconds * 1000;
        if (p->deletion_ms == TIME_UNKNOWN || asked_ms < p->deletion_ms)
            p->deletion_ms = asked_ms;
    }
    const struct object_condition *by_kueue = object_condition_find(&o->conditions, "TerminatedByKueue");
    if (o->reason.size_bytes > 0 || (by_kueue && slice_is(by_kueue->status, "True"))) {
        struct pod_trouble *t = store_trouble(p);
        bool has_reason = o->reason.size_bytes > 0; /* else Kueue set the phase, and says why in its condition */
        t->reason = has_reason ? store_intern(store, o->reason) : "TerminatedByKueue";
        store_text(&t->message, has_reason ? o->message : by_kueue->message);
    }
}

static void pod_removed(struct pod *p, const struct object_pod *o, int64_t received_ms) {
    p->is_deleted = true;
    p->removed_ms = received_ms;
    if (p->target->pods.forget_at_ms == TIME_OPEN)
        p->target->pods.forget_at_ms = received_ms;
    if (o && o->meta.deletion_ms != TIME_UNKNOWN && o->meta.deletion_ms < received_ms)
        p->removed_ms = o->meta.deletion_ms;
    struct spans ready = pod_ready(p);
    if (ready.count > 0 && ready.items[ready.count - 1].to_ms == TIME_OPEN)
        ready.items[ready.count - 1].to_ms = p->removed_ms;
}

/* Its identity, node and containers are known and cannot change: only its status is still read. */
static bool is_settled_in(const struct pod *p) {
    return p && p->seen_ms != TIME_UNKNOWN && p->containers && p->node && p->bound_ms != TIME_UNKNOWN;
}

/* A new list lacks the pod: its end was not observed, nor other pods that were created and deleted meanwhile. */
static void pod_vanished(struct store *store, struct pod *p, int64_t received_ms) {
    int64_t known_ms = p->is_restored                            ? p->target->watch.known_ms
                       : store->pods_complete_ms != TIME_UNKNOWN ? store->pods_complete_ms
                                                                 : p->seen_ms;
    if (!p->is_restored)
        store_cut(store, known_ms, received_ms);
    p->has_vanished = true;
    pod_removed(p, NULL, min_of(max_of(known_ms, p->seen_ms), received_ms));
    store_touch_pod(store, p);
}

bool observe_knows_pod(const struct store *store, struct slice uid) {
    return is_settled_in(map_get(&store->pods, uid));
}

int observe_pod(struct store *store, enum observed what, struct slice uid, struct slice json, int64_t received_ms) {
    struct object_pod o;
    if (what == OBSERVED_VANISHED) {
        struct pod *removed = map_get(&store->pods, uid);
        if (removed && !removed->is_deleted)
            pod_vanished(store, removed, received_ms);
        return 0;
    }
    struct pod *p = map_get(&store->pods, uid);
    int err = object_pod_parse(json, is_settled_in(p), &o);
    if (!slice_equal(o.meta.uid, uid)) {
        err = p ? object_pod_parse(json, false, &o) : err;
        p = map_get(&store->pods, o.meta.uid);
    }
    if (err < 0)
        return err;
    if (o.meta.created_ms == TIME_UNKNOWN) /* every real object has it; the receipt is the next best */
        o.meta.created_ms = received_ms;
    if (p == NULL)
        p = new_pod(store, &o.meta);
    if (p == NULL)
        return 0;
    p->is_restored = false;
    bool is_first = p->seen_ms == TIME_UNKNOWN;
    if (is_first)
        store_settle_pod(p);
    struct object_before before = {pod_trouble(p)->gated_written_ms,
                                   is_first ? 0 : max_of(p->seen_ms, p->target->watch.known_ms)};
    p->seen_ms = received_ms;
    apply_containers(store, p, &o);
    apply_binding(store, p, &o, object_changed_ms(&o.meta, before, received_ms));
    struct object_container_status status;
    int64_t finished_ms = TIME_UNKNOWN;
    struct slice statuses = o.statuses;
    bool has_failed = false;
    while (object_status_next(&o.statuses, &status)) {
        apply_status(store, p, &status, o.meta.deletion_ms != TIME_UNKNOWN);
        finished_ms = max_of(finished_ms, status.finished_ms);
        has_failed |= status.exit_code > 0 || status.last_exit_code > 0;
    }
    apply_disruption(store, p, &o);
    while (has_failed && object_status_next(&statuses, &status))
        store_note_failure(p, &status);
    apply_ready(p, &o);
    apply_end(p, &o, finished_ms, received_ms);
    if (what == OBSERVED_DELETED)
        pod_removed(p, &o, received_ms);
    if (store->is_swept[RESOURCE_NODE] && store_is_on_missing_node(p, store->watermark_ms[RESOURCE_NODE]))
        observe_node(store, OBSERVED_VANISHED, slice_of(p->node->name), (struct slice){0},
                     store->watermark_ms[RESOURCE_NODE]);
    store_touch_pod(store, p);
    return 0;
}

/* "Successfully pulled image "x" in 1.661s (2.1s including waiting). Image size: ..." -> 2100; -1 if there is none.
 * Durations are Go's: "1m2.5s", "350ms". Source: pkg/kubelet/images/image_manager.go. */
static int64_t go_duration_ms(struct slice *s) {
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = {{"ms", 1}, {"h", 3600000}, {"m", 60000}, {"s", 1000}};
    int64_t sum = -1, thousandths;
    while (slice_take_scaled(s, 3, &thousandths)) {
        size_t i = 0;
        while (i < ARRAY_SIZE(units) && !slice_take_prefix(s, units[i].unit))
            i++;
        if (i == ARRAY_SIZE(units) || thousandths < 0 || thousandths > 1000000000)
            return -1;
        sum = (sum < 0 ? 0 : sum) + thousandths * units[i].ms / 1000;
    }
    return sum;
}

static int64_t pull_duration_ms(struct slice message) {
    const char *at = slice_find(message, "(");
    if (at == NULL || slice_find(message, "including waiting") == NULL) {
        at = slice_find(message, " in ");
        at = at ? at + 3 : NULL;
    }
    if (at == NULL)
        return -1;
    struct slice rest = slice_range(at + 1, message.data + message.size_bytes);
    return go_duration_ms(&rest);
}

static bool apply_event(struct pod_events *e, const struct object_event *o) {
    if (slice_is(o->reason, "Pulling")) {
        if (e->pull_start_ms != TIME_UNKNOWN && o->first_ms >= e->pull_start_ms)
            return false;
        return set_time(&e->pull_start_ms, o->first_ms);
    }
    if (slice_is(o->reason, "Pulled")) {
        int64_t duration_ms = pull_duration_ms(o->message);
        if (slice_contains(o->message, "already present") || o->first_ms <= e->pull_end_ms)
            return false;
        e->pull_duration_ms = duration_ms;
        return set_time(&e->pull_end_ms, o->first_ms);
    }
    if (e->evicted_ms != TIME_UNKNOWN)
        return false;
    store_text(&e->evicted_message, o->message);
    return set_time(&e->evicted_ms, o->first_ms);
}

/* Joins what is nearer than the Job controller's longest back-off between two tries, whatever the order it came in. */
static void refusal_add(struct refusals *all, struct refusal r) {
    int n = 0;
    for (int i = 0; i < all->count; i++) {
        struct refusal *known = &all->items[i];
        if (known->is_quota == r.is_quota && r.from_ms <= known->last_ms + REFUSED_AGAIN_MS &&
            known->from_ms <= r.last_ms + REFUSED_AGAIN_MS) {
            r.from_ms = min_of(r.from_ms, known->from_ms);
            r.last_ms = max_of(r.last_ms, known->last_ms);
        } else {
            all->items[n++] = *known;
        }
    }
    if (n == STORE_MAX_REFUSALS)
        memmove(&all->items[0], &all->items[1], (size_t)--n * sizeof all->items[0]);
    all->count = n;
    while (n > 0 && all->items[n - 1].from_ms > r.from_ms) {
        all->items[n] = all->items[n - 1];
        n--;
    }
    all->items[n] = r;
    all->count++;
}

static void observe_job_event(struct store *store, const struct object_event *o) {
    struct refusals *all = slice_is(o->reason, "FailedCreate") ? store_refusals(store, o->uid) : NULL;
    struct kube_job *j = store_find_job(store, o->meta.namespace_, o->uid);
    if (all == NULL)
        return;
    bool is_last = all->count == 0 || o->last_ms >= all->items[all->count - 1].last_ms;
    char *text = NULL;
    store_text(&text, o->message);
    if (is_last)
        slice_copy(all->message, sizeof all->message, slice_of(text));
    free(text);
    refusal_add(all, (struct refusal){o->first_ms, max_of(o->first_ms, o->last_ms),
                                      slice_contains(o->message, "exceeded quota")});
    if (j)
        store_touch_target(store, j->target);
}

int observe_event(struct store *store, enum observed what, struct slice json) {
    struct object_event o;
    if (what != OBSERVED_PRESENT)
        return 0; /* Events expire after an hour; what they reported stays true */
    int err = object_event_parse(json, &o);
    if (err < 0)
        return err;
    if (slice_is(o.kind, "Node") && o.name.size_bytes > 0 && o.name.size_bytes <= 253 && o.first_ms != TIME_UNKNOWN)
        store_observe_node_event(store, &o);
    if (slice_is(o.kind, "Job") && o.uid.size_bytes > 0 && o.uid.size_bytes <= 64 && o.first_ms != TIME_UNKNOWN)
        observe_job_event(store, &o);
    if (!slice_is(o.kind, "Pod") || o.uid.size_bytes == 0 || o.uid.size_bytes > 64 || o.first_ms == TIME_UNKNOWN)
        return 0;
    if (!slice_is(o.reason, "Pulling") && !slice_is(o.reason, "Pulled") && !slice_is(o.reason, "Evicted"))
        return 0;
    struct pod *p = map_get(&store->pods, o.uid);
    if (apply_event(store_events(store, o.uid), &o) && p)
        store_touch_pod(store, p);
    return 0;
}
