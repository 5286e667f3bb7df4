#include "operator/store/store.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/jscan.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

void store_init(struct store *store) {
    *store = (struct store){.pods_complete_ms = TIME_UNKNOWN, .received_ms = TIME_UNKNOWN, .watching_ms = TIME_OPEN};
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
        map_init(&store->targets[kind], NULL);
    map_init(&store->names, NULL);
    map_init_stable(&store->pods, NULL); /* by the pod's id: facts/pod.c */
    map_init(&store->kube_jobs, NULL);
    map_init(&store->workloads, NULL);
    map_init(&store->nodes, NULL);
    map_init(&store->events, store_events_free);
    map_init(&store->refusals, free);
    map_init(&store->strings, free);
    map_init(&store->claims, free);
    map_init(&store->claims_by_pod, NULL);
    map_init(&store->claim_templates, NULL);
    for (int r = 0; r < RESOURCE_COUNT; r++)
        store->watermark_ms[r] = TIME_UNKNOWN;
}

const char *store_intern(struct store *store, struct slice text) {
    if (text.size_bytes > 253)
        text.size_bytes = 253;
    if (text.size_bytes == 0)
        return "";
    char *known = map_get(&store->strings, text);
    if (known)
        return known;
    char *copy = mem_strndup(text.data, text.size_bytes);
    map_put(&store->strings, text, copy);
    return copy;
}

bool store_text(char **to, struct slice raw) {
    char text[STORE_MESSAGE_SIZE] = "";
    if (raw.size_bytes == 0) {
        bool changed = *to != NULL;
        free(*to);
        *to = NULL;
        return changed;
    }
    if (!jscan_unescape(raw, text, sizeof text))
        return false;
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    if (*to && strcmp(*to, text) == 0)
        return false;
    free(*to);
    *to = mem_strdup(text);
    return true;
}

void store_name_key(char out[static STORE_NAME_KEY], enum target_kind kind, const char *namespace_, const char *name) {
    snprintf(out, STORE_NAME_KEY, "%d/%s/%s", (int)kind, namespace_, name);
}

struct slice store_uid_key(char out[static STORE_UID_KEY], struct slice namespace_, struct slice uid) {
    enum { PART = STORE_UID_KEY / 2 }; /* snprintf() would take as long as all lookups of a pod */
    slice_copy(out, PART, namespace_);
    size_t n = strlen(out);
    out[n] = '/';
    slice_copy(out + n + 1, PART, uid);
    return slice_of(out);
}

struct target *store_find_target(const struct store *store, enum target_kind kind, struct slice namespace_,
                                 struct slice uid) {
    char key[STORE_UID_KEY];
    return map_get(&store->targets[kind], store_uid_key(key, namespace_, uid));
}

struct kube_job *store_find_job(const struct store *store, struct slice namespace_, struct slice uid) {
    char key[STORE_UID_KEY];
    return map_get(&store->kube_jobs, store_uid_key(key, namespace_, uid));
}

struct target *store_target(struct store *store, enum target_kind kind, struct slice uid, struct slice namespace_,
                            struct slice name) {
    char key[STORE_UID_KEY];
    if (uid.size_bytes == 0)
        return NULL;
    struct target *t = store_find_target(store, kind, namespace_, uid);
    if (t)
        return t;
    t = mem_new(struct target);
    t->uid = slice_dup(uid);
    t->namespace_ = slice_dup(namespace_);
    t->name = slice_dup(name);
    t->kind = kind;
    t->created_ms = t->end.at_ms = t->end.removed_ms = t->watch.known_ms = TIME_UNKNOWN;
    t->watch.resumed_ms = t->written_ms = t->suspended_ms = TIME_UNKNOWN;
    t->pods.forget_at_ms = t->pods.first_created_ms = TIME_OPEN;
    t->end.reason = t->spec.queue = t->spec.managed_by = "";
    t->restarts.count = t->restarts.job_restarts = t->restarts.executions = -1;
    map_put(&store->targets[kind], store_uid_key(key, namespace_, uid), t);
    return t;
}

struct target *store_target_by_name(struct store *store, enum target_kind kind, const char *namespace_,
                                    const char *name) {
    char key[STORE_NAME_KEY];
    store_name_key(key, kind, namespace_, name);
    return map_get(&store->names, slice_of(key));
}

struct node *store_node(struct store *store, struct slice name) {
    struct node *n = map_get(&store->nodes, name);
    if (n)
        return n;
    n = mem_alloc(sizeof *n + name.size_bytes + 1);
    slice_copy(n->name, name.size_bytes + 1, name);
    n->price = PRICE_NONE;
    n->pool = "";
    n->renewed_ms = n->restored_ms = n->ready_ms = TIME_UNKNOWN;
    map_put_borrowed(&store->nodes, (struct slice){n->name, name.size_bytes}, n);
    return n;
}

struct pod *store_pod_new(struct store *store, struct target *t, const struct object_meta *meta) {
    struct pod *p = mem_alloc(sizeof *p + meta->name.size_bytes + 1 + meta->uid.size_bytes + 1);
    p->uid_at = (uint8_t)(meta->name.size_bytes + 1); /* names are at most 253 bytes: object_meta_bound */
    slice_copy(p->name, meta->name.size_bytes + 1, meta->name);
    slice_copy(p->name + p->uid_at, meta->uid.size_bytes + 1, meta->uid);
    p->id = hash_stable(0, meta->uid);
    p->target = t;
    p->replicated_job = store_intern(store, meta->replicated_job);
    p->default_container = store_intern(store, meta->default_container);
    p->job_index = meta->job_index < 0 ? 0 : (int)meta->job_index;
    p->completion_index = (int)meta->completion_index;
    p->created_ms = meta->created_ms;
    p->bound_ms = p->seen_ms = p->deletion_ms = p->ended_ms = p->removed_ms = TIME_UNKNOWN;
    p->waiting_reason = "";
    p->slot = POD_UNREAD;
    map_put_borrowed(&store->pods, (struct slice){pod_uid(p), meta->uid.size_bytes}, p);
    MEM_GROW(t->pods.items, t->pods.count, t->pods.capacity);
    t->pods.items[t->pods.count++] = p;
    t->pods.unindexed += p->completion_index < 0;
    t->pods.version++;
    t->pods.first_created_ms = p->created_ms < t->pods.first_created_ms ? p->created_ms : t->pods.first_created_ms;
    if (meta->controller_uid.size_bytes > 0) {
        p->job = store_kube_job(store, t, meta->controller_uid);
        p->next_in_job = p->job->pods;
        p->job->pods = p;
    }
    return p;
}

void store_pod_bind(struct pod *p, struct node *n) {
    p->node = n;
    p->next_on_node = n->pods;
    n->pods = p;
}

struct kube_job *store_kube_job(struct store *store, struct target *t, struct slice uid) {
    char key[STORE_UID_KEY];
    struct kube_job *j = store_find_job(store, slice_of(t->namespace_), uid);
    if (j)
        return j;
    j = mem_new(struct kube_job);
    j->uid = slice_dup(uid);
    j->target = t;
    j->replicated_job = j->failing_reason = "";
    j->created_ms = j->deletion_ms = j->removed_ms = j->failing_ms = j->failed_ms = j->seen_ms = TIME_UNKNOWN;
    j->attempt = -1;
    j->next_in_target = t->kube_jobs;
    t->kube_jobs = j;
    t->jobs_version++;
    map_put(&store->kube_jobs, store_uid_key(key, slice_of(t->namespace_), uid), j);
    return j;
}

struct workload *store_workload(struct store *store, struct target *t, struct slice uid) {
    struct workload *w = map_get(&store->workloads, uid);
    if (w)
        return w;
    w = mem_new(struct workload);
    w->uid = slice_dup(uid);
    w->target = t;
    w->created_ms = w->finished_ms = w->removed_ms = w->written_ms = TIME_UNKNOWN;
    w->check_name = w->queue = "";
    w->next_in_target = t->workloads;
    t->workloads = w;
    map_put(&store->workloads, uid, w);
    return w;
}

void store_touch_target(struct store *store, struct target *t) {
    if (t->is_touched)
        return;
    t->is_touched = true;
    MEM_GROW(store->touched, store->touched_count, store->touched_capacity);
    store->touched[store->touched_count++] = t;
}

void store_touch_pod(struct store *store, struct pod *p) {
    store_mark_pod(p);
    store_touch_target(store, p->target);
}

void store_touch_node(struct store *store, struct node *n) {
    for (struct pod *p = n->pods; p; p = p->next_on_node)
        store_touch_pod(store, p); /* deleted ones too: this may show why they were lost */
}

bool store_is_cut(const struct target *t) {
    bool is_cut = t->suspended.is_cut || t->is_cut;
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        is_cut |= j->suspended.is_cut;
    for (const struct workload *w = t->workloads; w; w = w->next_in_target)
        is_cut |= w->reserved.is_cut || w->admitted.is_cut || w->evicted.is_cut || w->active.is_cut;
    return is_cut;
}
