#include "operator/model/checkpoint_store.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/store/signals.h"
#include "operator/store/unwatched.h"

#include <string.h>

#define MAX_PODS 100000
#define MAX_FORGOTTEN 1000000 /* pods */
#define MAX_TIMES 200000
#define MAX_MESSAGE (STORE_MESSAGE_SIZE * 4)

static bool is_reading(const struct visitor *v) {
    return codec_is_reading(v->codec);
}

void visit_name(struct visitor *v, const char **name) {
    char text[254] = "";
    if (!is_reading(v))
        slice_copy(text, sizeof text, slice_of(*name));
    codec_chars(v->codec, text, sizeof text);
    if (is_reading(v))
        *name = store_intern(v->store, slice_of(text));
}

/* An array's length; reading makes room for that number of zeroed elements. */
static int visit_array(struct visitor *v, void *items, int count, int *capacity, size_t size, int max) {
    int n = (int)codec_count(v->codec, (size_t)count, (size_t)max);
    if (!is_reading(v))
        return n;
    *(void **)items = n > 0 ? mem_alloc((size_t)n * size) : NULL;
    if (capacity)
        *capacity = n;
    return n;
}
#define VISIT_ARRAY(v, items, count, capacity, max)                                                                    \
    ((count) = visit_array((v), &(items), (count), (capacity), sizeof *(items), (max)))

static void visit_history(struct visitor *v, struct history *h) {
    VISIT_ARRAY(v, h->items, h->count, &h->capacity, STORE_MAX_TRANSITIONS);
    for (int i = 0; i < h->count; i++) {
        struct transition *t = &h->items[i];
        codec_time(v->codec, &t->at_ms);
        codec_bool(v->codec, &t->is_true);
        codec_bool(v->codec, &t->is_derived);
        visit_name(v, &t->reason);
        codec_text(v->codec, &t->message, MAX_MESSAGE);
    }
    h->is_cut |= is_reading(v) && h->count == STORE_MAX_TRANSITIONS;
}

static void visit_spans(struct visitor *v, struct spans *s) {
    VISIT_ARRAY(v, s->items, s->count, &s->capacity, 4 * STORE_MAX_TRANSITIONS);
    for (int i = 0; i < s->count; i++) {
        codec_time(v->codec, &s->items[i].from_ms);
        codec_time(v->codec, &s->items[i].to_ms);
    }
}

/* ---- nodes ---- */

static void visit_troubles(struct visitor *v, struct node_past *n) {
    VISIT_ARRAY(v, n->troubles, n->trouble_count, &n->trouble_capacity, STORE_MAX_TRANSITIONS);
    for (int i = 0; i < n->trouble_count; i++) {
        struct node_trouble *t = &n->troubles[i];
        codec_time(v->codec, &t->visible_ms);
        codec_time(v->codec, &t->heartbeat_ms);
        codec_time(v->codec, &t->to_ms);
        codec_bool(v->codec, &t->is_silent);
        visit_name(v, &t->reason);
    }
    VISIT_ARRAY(v, n->taints, n->taint_count, &n->taint_capacity, STORE_MAX_TRANSITIONS);
    for (int i = 0; i < n->taint_count; i++) {
        struct node_taint *t = &n->taints[i];
        visit_name(v, &t->key);
        visit_name(v, &t->value);
        codec_time(v->codec, &t->from_ms);
        codec_time(v->codec, &t->to_ms);
    }
}

static void visit_signals(struct visitor *v, struct node_past *n) {
    VISIT_ARRAY(v, n->signals, n->signal_count, &n->signal_capacity, STORE_NODE_SIGNALS);
    for (int i = 0; i < n->signal_count; i++) {
        struct node_signal *s = &n->signals[i];
        CODEC_INT(v->codec, &s->kind, 0, NODE_SIGNAL_KIND_COUNT - 1);
        CODEC_INT(v->codec, &s->class_, 0, CLASS_COUNT - 1);
        CODEC_INT(v->codec, &s->owner, 0, OWNER_COUNT - 1);
        codec_bool(v->codec, &s->is_primary);
        visit_name(v, &s->key);
        visit_name(v, &s->name);
        codec_time(v->codec, &s->from_ms);
        codec_time(v->codec, &s->to_ms);
        codec_time(v->codec, &s->named_ms);
        codec_text(v->codec, &s->message, STORE_SIGNAL_TEXT);
    }
}

static void visit_node(struct visitor *v, struct node *n) {
    visit_name(v, &n->pool);
    codec_bool(v->codec, &n->is_spot);
    codec_bool(v->codec, &n->exists);
    codec_time(v->codec, &n->renewed_ms);
    struct node_past none = {0}, *past = is_reading(v) ? store_node_past(n) : n->past ? n->past : &none;
    visit_troubles(v, past);
    visit_spans(v, &past->maintenance);
    visit_spans(v, &past->silences);
    visit_signals(v, past);
    if (past->trouble_count + past->taint_count + past->signal_count + past->maintenance.count + past->silences.count ==
        0) {
        store_node_done(n);
        n->past = NULL;
    }
}

/* Of several checkpoints of a node the newest counts. */
static void read_node(struct visitor *v) {
    char name[254] = "";
    struct node read = {.pool = "", .renewed_ms = TIME_UNKNOWN}, *n;
    codec_chars(v->codec, name, sizeof name);
    visit_node(v, &read);
    n = v->codec->failed || name[0] == '\0' ? NULL : store_node(v->store, slice_of(name));
    if (n == NULL || (n->restored_ms != TIME_UNKNOWN ? n->restored_ms >= v->written_ms : n->exists)) {
        store_node_done(&read);
        return;
    }
    if (n->has_signals) /* what this process has observed itself */
        store_node_move_signals(n, &read);
    store_node_done(n);
    n->pool = read.pool;
    n->is_spot = read.is_spot;
    n->exists = read.exists;
    n->renewed_ms = read.renewed_ms;
    n->past = read.past;
    store_restore_signals(v->store, n);
    n->restored_ms = v->written_ms;
    n->is_restored = true;
}

static void visit_nodes(struct visitor *v, struct target *t) {
    if (is_reading(v)) {
        for (size_t left = codec_count(v->codec, 0, MAX_PODS); left > 0 && !v->codec->failed; left--)
            read_node(v);
        return;
    }
    struct map seen;
    map_init(&seen, NULL);
    for (size_t i = 0; i < t->pods.count; i++)
        if (t->pods.items[i]->node && !t->pods.items[i]->is_left_out)
            map_put(&seen, slice_of(t->pods.items[i]->node->name), t->pods.items[i]->node);
    codec_count(v->codec, seen.count, MAX_PODS);
    for (size_t i = 0; i < seen.count; i++) {
        struct node *n = map_at(&seen, i);
        char name[254] = "";
        slice_copy(name, sizeof name, slice_of(n->name));
        codec_chars(v->codec, name, sizeof name);
        visit_node(v, n);
    }
    map_done(&seen);
}

/* ---- pods ---- */

static void visit_containers(struct visitor *v, struct pod *p) {
    p->container_count =
        (uint8_t)visit_array(v, &p->containers, p->container_count, NULL, sizeof *p->containers, STORE_MAX_CONTAINERS);
    for (int i = 0; i < p->container_count; i++) {
        struct container *c = &p->containers[i];
        visit_name(v, &c->name);
        CODEC_INT(v->codec, &c->chips, 0, INT32_MAX);
        codec_bool(v->codec, &c->has_claims);
        c->count = c->capacity =
            (uint16_t)visit_array(v, &c->instances, c->count, NULL, sizeof *c->instances, STORE_MAX_INSTANCES);
        p->target->is_cut |= is_reading(v) && c->count == STORE_MAX_INSTANCES;
        for (int k = 0; k < c->count; k++) {
            struct instance *x = &c->instances[k];
            CODEC_INT(v->codec, &x->restart_count, 0, INT32_MAX);
            codec_bool(v->codec, &x->is_running);
            codec_time(v->codec, &x->started_ms);
            codec_time(v->codec, &x->finished_ms);
            codec_time(v->codec, &x->last_line_ms);
            CODEC_INT(v->codec, &x->exit_code, -1, 0xffff);
            visit_name(v, &x->reason);
            CODEC_INT(v->codec, &x->end_order, END_UNOBSERVED, END_SEEN_TOGETHER);
        }
        v->codec->failed |= c->count == 0; /* a container has at least one instance */
    }
}

static void visit_events(struct visitor *v, const char *uid) {
    struct pod_events *e = map_get(&v->store->events, slice_of(uid));
    bool has_events = e != NULL;
    codec_bool(v->codec, &has_events);
    if (!has_events)
        return;
    if (is_reading(v))
        e = store_events(v->store, slice_of(uid));
    codec_time(v->codec, &e->pull_start_ms);
    codec_time(v->codec, &e->pull_end_ms);
    codec_i64(v->codec, &e->pull_duration_ms);
    codec_time(v->codec, &e->evicted_ms);
    char message[STORE_MESSAGE_SIZE] = "";
    slice_copy(message, sizeof message, slice_of(e->evicted_message));
    codec_chars(v->codec, message, sizeof message);
    if (is_reading(v) && message[0]) {
        free(e->evicted_message);
        e->evicted_message = mem_strdup(message);
    }
}

/* With fields of p between its parts. */
static void visit_trouble(struct visitor *v, struct pod *p) {
    struct pod_trouble *t = store_trouble(p);
    codec_time(v->codec, &t->gated_from_ms);
    codec_time(v->codec, &t->gated_to_ms);
    codec_time(v->codec, &t->unschedulable_ms);
    codec_text(v->codec, &t->unschedulable_message, MAX_MESSAGE);
    codec_time(v->codec, &p->deletion_ms);
    codec_time(v->codec, &t->disruption_ms);
    visit_name(v, &t->disruption_reason);
    visit_name(v, &t->reason);
    visit_name(v, &p->waiting_reason);
    codec_text(v->codec, &t->disruption_message, MAX_MESSAGE);
    codec_text(v->codec, &t->message, MAX_MESSAGE);
    bool has_some = t->gated_from_ms != TIME_UNKNOWN || t->unschedulable_ms != TIME_UNKNOWN ||
                    t->disruption_ms != TIME_UNKNOWN || t->disruption_reason[0] || t->reason[0] ||
                    t->unschedulable_message || t->disruption_message || t->message;
    if (!has_some)
        store_trouble_free(p);
}

static void visit_ready(struct visitor *v, struct pod *p) {
    struct spans ready = pod_ready(p);
    visit_spans(v, &ready);
    if (!is_reading(v))
        return;
    p->ready_kind = ready.count > 1 ? READY_OFTEN : ready.count == 1 ? READY_ONCE : READY_NEVER;
    if (ready.count > 1) {
        p->ready = ready;
    } else if (ready.count == 1) {
        p->first_ready = ready.items[0];
        free(ready.items);
    }
}

static void visit_pod(struct visitor *v, struct pod *p) {
    CODEC_INT(v->codec, &p->phase, POD_PENDING, POD_FAILED);
    CODEC_INT(v->codec, &p->chips, 0, INT32_MAX);
    CODEC_INT(v->codec, &p->slot_index, 0, INT32_MAX);
    codec_bool(v->codec, &p->restarts_in_place);
    codec_bool(v->codec, &p->is_deleted);
    codec_bool(v->codec, &p->was_asked_first);
    codec_bool(v->codec, &p->had_pull_trouble);
    codec_bool(v->codec, &p->has_vanished);
    codec_time(v->codec, &p->seen_ms);
    codec_time(v->codec, &p->bound_ms);
    visit_trouble(v, p);
    codec_time(v->codec, &p->ended_ms);
    codec_time(v->codec, &p->removed_ms);
    codec_time(v->codec, &p->settled_ms);
    CODEC_INT(v->codec, &p->held, LEDGER_HELD_BY_NONE, LEDGER_HELD_BY_ANOTHER);
    visit_ready(v, p);
    visit_containers(v, p);
    visit_events(v, pod_uid(p));
}

/* What a pod is created with, and its node. */
struct pod_head {
    char uid[80], name[254], job_uid[80], node[254];
    const char *replicated_job, *default_container;
    int64_t job_index, completion_index, created_ms;
};

static void visit_head(struct visitor *v, struct pod_head *h) {
    codec_chars(v->codec, h->uid, sizeof h->uid);
    codec_chars(v->codec, h->name, sizeof h->name);
    codec_chars(v->codec, h->job_uid, sizeof h->job_uid);
    codec_chars(v->codec, h->node, sizeof h->node);
    visit_name(v, &h->replicated_job);
    visit_name(v, &h->default_container);
    CODEC_INT(v->codec, &h->job_index, 0, INT32_MAX);
    CODEC_INT(v->codec, &h->completion_index, -1, INT32_MAX);
    codec_time(v->codec, &h->created_ms);
}

static void write_pod(struct visitor *v, struct pod *p) {
    struct pod_head h = {.replicated_job = p->replicated_job,
                         .default_container = p->default_container,
                         .job_index = p->job_index,
                         .completion_index = p->completion_index,
                         .created_ms = p->created_ms};
    slice_copy(h.uid, sizeof h.uid, slice_of(pod_uid(p)));
    slice_copy(h.name, sizeof h.name, slice_of(p->name));
    slice_copy(h.job_uid, sizeof h.job_uid, slice_of(p->job ? p->job->uid : ""));
    slice_copy(h.node, sizeof h.node, slice_of(p->node ? p->node->name : ""));
    visit_head(v, &h);
    visit_pod(v, p);
}

static void read_pod(struct visitor *v, struct target *t) {
    struct pod_head h = {0};
    struct object_meta meta;
    visit_head(v, &h);
    if (v->codec->failed || h.uid[0] == '\0' || map_get(&v->store->pods, slice_of(h.uid)) != NULL) {
        v->codec->failed = true;
        return;
    }
    object_meta_init(&meta);
    meta.uid = slice_of(h.uid);
    meta.name = slice_of(h.name);
    meta.namespace_ = slice_of(t->namespace_);
    meta.replicated_job = slice_of(h.replicated_job);
    meta.default_container = slice_of(h.default_container);
    meta.job_index = h.job_index;
    meta.completion_index = h.completion_index;
    meta.created_ms = h.created_ms;
    meta.controller_uid = slice_of(h.job_uid);
    struct pod *p = store_pod_new(v->store, t, &meta);
    if (h.node[0])
        store_pod_bind(p, store_node(v->store, slice_of(h.node)));
    visit_pod(v, p);
    p->is_restored = true;
    store_touch_pod(v->store, p);
}

static void visit_pods(struct visitor *v, struct target *t) {
    size_t count = 0;
    for (size_t i = 0; i < t->pods.count && !is_reading(v); i++)
        count += !t->pods.items[i]->is_left_out;
    count = codec_count(v->codec, count, MAX_PODS);
    for (size_t i = 0; is_reading(v) && i < count && !v->codec->failed; i++)
        read_pod(v, t);
    for (size_t i = 0; !is_reading(v) && i < t->pods.count; i++)
        if (!t->pods.items[i]->is_left_out)
            write_pod(v, t->pods.items[i]);
}

/* ---- jobs and workloads: lists with the newest first, written from their end ---- */

static void visit_refusals(struct visitor *v, const char *uid) {
    struct refusals *r = map_get(&v->store->refusals, slice_of(uid));
    int count = r ? r->count : 0;
    CODEC_INT(v->codec, &count, 0, STORE_MAX_REFUSALS);
    if (count > 0 && is_reading(v))
        r = store_refusals(v->store, slice_of(uid));
    if (count == 0 || r == NULL)
        return;
    r->count = count;
    for (int i = 0; i < count; i++) {
        codec_time(v->codec, &r->items[i].from_ms);
        codec_time(v->codec, &r->items[i].last_ms);
        codec_bool(v->codec, &r->items[i].is_quota);
    }
    codec_chars(v->codec, r->message, sizeof r->message);
}

static void visit_kube_job(struct visitor *v, struct kube_job *j) {
    codec_text(v->codec, &j->name, 253);
    visit_name(v, &j->replicated_job);
    codec_time(v->codec, &j->created_ms);
    codec_time(v->codec, &j->deletion_ms);
    codec_time(v->codec, &j->removed_ms);
    codec_time(v->codec, &j->failing_ms);
    codec_i64(v->codec, &j->attempt);
    codec_i64(v->codec, &j->job_index);
    codec_i64(v->codec, &j->failed_pods);
    codec_i64(v->codec, &j->failed_unwatched);
    int64_t forgotten = j->lost_pods; /* those in the checkpoint are counted again when they are read */
    for (const struct pod *p = j->pods; p && !is_reading(v); p = p->next_in_job)
        forgotten -= p->is_counted && !p->is_left_out;
    codec_i64(v->codec, &forgotten);
    if (is_reading(v))
        j->lost_pods = forgotten;
    visit_name(v, &j->failing_reason);
    visit_history(v, &j->suspended);
    codec_text(v->codec, &j->completed_indexes, 65536);
    visit_refusals(v, j->uid);
}

/* What still exists can be left out: the cluster shows it again. */
static bool has_kube_job(const struct visitor *v, const struct kube_job *j) {
    return v->extent <= EXTENT_ORDINARY || (v->extent == EXTENT_FEW_JOBS && j->removed_ms != TIME_UNKNOWN);
}

static void visit_kube_jobs(struct visitor *v, struct target *t) {
    size_t count = 0, left;
    for (struct kube_job *j = t->kube_jobs; j && !is_reading(v); j = j->next_in_target)
        count += has_kube_job(v, j);
    CLEANUP_FREE struct kube_job **jobs = mem_resize(NULL, count + 1, sizeof *jobs);
    left = count;
    for (struct kube_job *j = t->kube_jobs; j && !is_reading(v); j = j->next_in_target)
        if (has_kube_job(v, j))
            jobs[--left] = j;
    count = codec_count(v->codec, count, MAX_PODS);
    for (size_t i = 0; !is_reading(v) && i < count; i++) {
        codec_chars(v->codec, jobs[i]->uid, 80);
        visit_kube_job(v, jobs[i]);
    }
    for (size_t i = 0; is_reading(v) && i < count && !v->codec->failed; i++) {
        char uid[80] = "";
        codec_chars(v->codec, uid, sizeof uid);
        if (uid[0] == '\0' || store_find_job(v->store, slice_of(t->namespace_), slice_of(uid)) != NULL) {
            v->codec->failed = true;
            return;
        }
        struct kube_job *j = store_kube_job(v->store, t, slice_of(uid));
        visit_kube_job(v, j);
        j->is_restored = true;
    }
}

static void visit_workload(struct visitor *v, struct workload *w) {
    codec_text(v->codec, &w->name, 253);
    codec_time(v->codec, &w->created_ms);
    codec_time(v->codec, &w->finished_ms);
    codec_time(v->codec, &w->removed_ms);
    visit_history(v, &w->reserved);
    visit_history(v, &w->admitted);
    visit_history(v, &w->evicted);
    visit_history(v, &w->active);
    codec_bool(v->codec, &w->awaits_provisioning);
    codec_i64(v->codec, &w->evictions);
    visit_name(v, &w->check_name);
    visit_name(v, &w->queue);
    visit_name(v, &w->cluster_queue);
    visit_name(v, &w->priority);
    codec_text(v->codec, &w->check_message, MAX_MESSAGE);
    VISIT_ARRAY(v, w->unhealthy, w->unhealthy_count, &w->unhealthy_capacity, STORE_MAX_UNHEALTHY);
    for (int i = 0; i < w->unhealthy_count; i++) {
        visit_name(v, &w->unhealthy[i].name);
        codec_time(v->codec, &w->unhealthy[i].from_ms);
        codec_time(v->codec, &w->unhealthy[i].to_ms);
    }
}

static void write_workloads(struct visitor *v, struct workload *w) {
    if (w == NULL)
        return;
    write_workloads(v, w->next_in_target);
    codec_chars(v->codec, w->uid, 80);
    visit_workload(v, w);
}

static void visit_workloads(struct visitor *v, struct target *t) {
    size_t count = 0;
    for (struct workload *w = t->workloads; w && !is_reading(v); w = w->next_in_target)
        count++;
    count = codec_count(v->codec, count, 1000);
    if (!is_reading(v))
        write_workloads(v, t->workloads);
    for (size_t i = 0; is_reading(v) && i < count && !v->codec->failed; i++) {
        char uid[80] = "";
        codec_chars(v->codec, uid, sizeof uid);
        if (uid[0] == '\0' || map_get(&v->store->workloads, slice_of(uid)) != NULL) {
            v->codec->failed = true;
            return;
        }
        struct workload *w = store_workload(v->store, t, slice_of(uid));
        visit_workload(v, w);
        w->is_restored = true;
    }
}

/* ---- sums of forgotten pods: field by field, since similar small numbers pack well ---- */

#define VISIT_FIELD(v, past, field, max)                                                                               \
    for (size_t i_ = 0; i_ < (past)->count; i_++)                                                                      \
    CODEC_INT((v)->codec, &(past)->items[i_].field, -(max), (max))

static void visit_past(struct visitor *v, struct past *past) {
    visit_name(v, &past->replicated_job);
    past->count = codec_count(v->codec, past->count, MAX_TIMES);
    if (is_reading(v)) {
        past->capacity = past->count;
        past->items = mem_alloc((past->count + 1) * sizeof *past->items);
    }
    for (size_t i = 0; i < past->count; i++) {
        int64_t *at_ms = &past->items[i].all.at_ms;
        codec_time(v->codec, at_ms);
        v->codec->failed |= *at_ms == TIME_UNKNOWN || *at_ms == TIME_OPEN;
        v->codec->failed |= i > 0 && *at_ms <= past->items[i - 1].all.at_ms;
    }
    VISIT_FIELD(v, past, all.available, MAX_FORGOTTEN);
    VISIT_FIELD(v, past, all.running, MAX_FORGOTTEN);
    VISIT_FIELD(v, past, all.pulling, MAX_FORGOTTEN);
    VISIT_FIELD(v, past, all.silent, MAX_FORGOTTEN);
    VISIT_FIELD(v, past, all.known, MAX_FORGOTTEN);
    VISIT_FIELD(v, past, all.chips, INT32_MAX);
    VISIT_FIELD(v, past, all.largest_chips, INT32_MAX);
    VISIT_FIELD(v, past, all.replaced, MAX_FORGOTTEN);
    VISIT_FIELD(v, past, all.restarted, MAX_FORGOTTEN);
    VISIT_FIELD(v, past, all.lost, MAX_FORGOTTEN);
    VISIT_FIELD(v, past, ready, MAX_FORGOTTEN);
}

static void visit_pasts(struct visitor *v, struct target *t) {
    int count = (int)codec_count(v->codec, (size_t)t->past.count, OBJECT_REPLICATED_JOBS);
    if (is_reading(v)) {
        t->past.items = mem_alloc(((size_t)count + 1) * sizeof *t->past.items);
        t->past.count = count;
        for (int i = 0; i < count; i++)
            t->past.items[i].replicated_job = "";
    }
    for (int i = 0; i < count; i++)
        visit_past(v, &t->past.items[i]);
}

static void visit_slots(struct visitor *v, struct settled_slots *s) {
    visit_name(v, &s->replicated_job);
    CODEC_INT(v->codec, &s->stride, 0, MAX_FORGOTTEN);
    s->count = codec_count(v->codec, s->count, MAX_FORGOTTEN);
    if (is_reading(v))
        s->are_held = mem_alloc(s->count + 1);
    for (size_t i = 0; i < s->count; i++)
        CODEC_INT(v->codec, &s->are_held[i], 0, 1);
}

static void visit_settled(struct visitor *v, struct target *t) {
    int count = (int)codec_count(v->codec, (size_t)t->past.slot_list_count, OBJECT_REPLICATED_JOBS);
    if (is_reading(v)) {
        t->past.slots = mem_alloc(((size_t)count + 1) * sizeof *t->past.slots);
        t->past.slot_list_count = count;
        t->past.settled_ms = v->written_ms;
        t->past.settled_created_ms = v->extent == EXTENT_NUMBERS ? v->written_ms : v->written_ms - STORE_SOON_MS;
    }
    for (int i = 0; i < count; i++)
        visit_slots(v, &t->past.slots[i]);
}

/* ---- the target ---- */

static void visit_shape(struct visitor *v, struct target *t) {
    VISIT_ARRAY(v, t->spec.jobs, t->spec.job_count, NULL, OBJECT_REPLICATED_JOBS);
    for (int i = 0; i < t->spec.job_count; i++) {
        struct replicated_job *r = &t->spec.jobs[i];
        visit_name(v, &r->name);
        CODEC_INT(v->codec, &r->replicas, 0, 1000000);
        CODEC_INT(v->codec, &r->pods, 0, 1000000);
        CODEC_INT(v->codec, &r->stride, 0, 1000000);
        codec_i64(v->codec, &r->chips);
        codec_i64(v->codec, &r->claimed_chips);
        codec_bool(v->codec, &r->shares_nodes);
        codec_bool(v->codec, &r->has_dependency);
        VISIT_ARRAY(v, r->sizes, r->size_count, &r->size_capacity, STORE_MAX_TRANSITIONS);
        for (int k = 0; k < r->size_count; k++) {
            codec_time(v->codec, &r->sizes[k].at_ms);
            codec_i64(v->codec, &r->sizes[k].slots);
        }
    }
}

static void visit_restarts(struct visitor *v, struct target *t) {
    codec_i64(v->codec, &t->restarts.count);
    codec_i64(v->codec, &t->restarts.job_restarts);
    codec_i64(v->codec, &t->restarts.executions);
    VISIT_ARRAY(v, t->restarts.items, t->restarts.item_count, &t->restarts.item_capacity, STORE_MAX_TRANSITIONS);
    t->is_cut |= is_reading(v) && t->restarts.item_count == STORE_MAX_TRANSITIONS;
    for (int i = 0; i < t->restarts.item_count; i++) {
        struct restart *r = &t->restarts.items[i];
        codec_time(v->codec, &r->at_ms);
        codec_i64(v->codec, &r->number);
        visit_name(v, &r->what);
        codec_text(v->codec, &r->message, MAX_MESSAGE);
        codec_bool(v->codec, &r->is_derived);
    }
}

static void visit_coordinator(struct visitor *v, struct target *t) {
    bool has_coordinator = t->spec.coordinator != NULL;
    codec_bool(v->codec, &has_coordinator);
    if (has_coordinator)
        visit_name(v, &t->spec.coordinator);
    codec_i64(v->codec, &t->spec.coordinator_job_index);
    codec_i64(v->codec, &t->spec.coordinator_pod_index);
}

/* Where even the sums have no room, nothing proves what was before the checkpoint. */
static void visit_unwatched(struct visitor *v, struct target *t) {
    struct spans unwatched = is_reading(v) ? t->watch.gaps : store_unwatched(v->store, t);
    if (!is_reading(v) && v->extent == EXTENT_BARE) {
        unwatched.count = 0;
        if (t->created_ms < v->written_ms)
            spans_add(&unwatched, t->created_ms, v->written_ms);
    }
    visit_spans(v, &unwatched);
    if (is_reading(v))
        t->watch.gaps = unwatched;
    else
        free(unwatched.items);
}

void visit_target(struct visitor *v, struct target *t) {
    codec_bool(v->codec, &t->is_seen);
    codec_bool(v->codec, &t->end.is_deleted);
    codec_bool(v->codec, &t->end.has_vanished);
    codec_time(v->codec, &t->created_ms);
    codec_time(v->codec, &t->end.at_ms);
    codec_time(v->codec, &t->end.removed_ms);
    visit_unwatched(v, t);
    CODEC_INT(v->codec, &t->end.outcome, OUTCOME_RUNNING, OUTCOME_DELETED);
    visit_name(v, &t->end.reason);
    visit_name(v, &t->spec.queue);
    visit_name(v, &t->spec.managed_by);
    codec_text(v->codec, &t->end.message, MAX_MESSAGE);
    visit_history(v, &t->suspended);
    visit_shape(v, t);
    codec_bool(v->codec, &t->spec.is_started_in_order);
    visit_coordinator(v, t);
    visit_restarts(v, t);
    visit_kube_jobs(v, t);
    visit_workloads(v, t);
    visit_nodes(v, t);
    visit_pods(v, t);
    codec_time(v->codec, &t->pods.first_created_ms);
    codec_i64(v->codec, &t->forgotten_restarted);
    visit_pasts(v, is_reading(v) ? t : v->numbers);
    visit_settled(v, is_reading(v) ? t : v->numbers);
    if (is_reading(v)) {
        t->pods.forget_at_ms = INT64_MIN / 2; /* some may have been deleted long ago */
        t->watch.known_ms = v->written_ms;
        t->is_partial = v->extent > EXTENT_ORDINARY;
        if (t->is_partial) /* some of its Jobs are not in the checkpoint */
            t->forgotten_restarted = max_of(t->restarts.job_restarts, 0);
        t->pods.shape_version++;
    }
}
