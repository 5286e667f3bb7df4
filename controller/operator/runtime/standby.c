#include "operator/runtime/standby.h"
#include "operator/store/kinds.h"

#include "base/jscan.h"
#include "base/jsonlog.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/pack.h"
#include "kube/frame.h"
#include "operator/objects/jobgoodput.h"
#include "operator/objects/objects.h"
#include "operator/runtime/positions.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define JOURNAL_MAX_BYTES ((size_t)8 << 20) /* a minute of 250 changes a second, and a third more */
/* How long changes are kept that no checkpoint covers: a JobGoodput may not have its first status yet. */
#define UNWRITTEN_MS INT64_C(300000)
#define OWN_SAMPLE 8 /* a target with this number of objects of a kind has its own sample */
#define KEY_SIZE 600
#define NODES "nodes" /* the target of all nodes, as they belong to no job alone */

struct change { /* a state of an object, packed */
    struct item *item;
    struct change *older, *newer;   /* in the journal, in the order of receipt; unset outside it */
    struct change *before, *behind; /* in the target's part of it */
    struct pack_sample *sample;
    int64_t version, received_ms;
    uint32_t size_bytes, packed_bytes;
    uint8_t what; /* enum observed */
    bool is_in_journal, is_newest;
    char packed[];
};

struct item { /* an object, by its name */
    struct group *group;
    struct change *newest; /* NULL: deleted, or known by the journal alone */
    int64_t changes;       /* in memory */
    uint8_t resource;
    char key[]; /* "resource/namespace/name" */
};

struct group { /* a target: a JobSet or a Job with all that belongs to it */
    int64_t items;
    struct change *first, *last;  /* its part of the journal */
    int64_t lost[RESOURCE_COUNT]; /* up to this version changes were dropped that no written status held */
    int64_t lost_ms;              /* receipt of the last of them; TIME_UNKNOWN */
    struct positions written;     /* of the newest checkpoint */
    struct pack_sample *samples[RESOURCE_COUNT];
    uint8_t packed[RESOURCE_COUNT];   /* objects, up to OWN_SAMPLE */
    bool has_checkpoint, has_written; /* without written: its writer named no versions */
    char *measured_by;                /* key of the JobGoodput with the checkpoint; NULL: none has one */
    char key[];
};

struct standby {
    struct map items, groups;
    struct group *nodes;
    struct packer *packer;
    struct pack_sample *samples[RESOURCE_COUNT];
    struct change *oldest, *newest;
    int64_t listed[RESOURCE_COUNT]; /* every change behind this version is known; 0: not listed */
    int64_t listed_ms[RESOURCE_COUNT];
    int64_t reached[RESOURCE_COUNT];
    size_t max_bytes;
    struct standby_figures figures;
};

/* ---- what an object belongs to ---- */

static int scan_meta(struct slice object, struct object_meta *meta) {
    static const struct jmember rows[] = {JMEMBER_SELF("metadata", object_meta_scan)};
    object_meta_init(meta);
    return object_read(object, JMEMBERS(rows), meta);
}

static void target_key(char key[static KEY_SIZE], const char *kind, struct slice namespace_, struct slice name) {
    snprintf(key, KEY_SIZE, "%s/%.*s/%.*s", kind, SLICE_ARG(namespace_), SLICE_ARG(name));
}

/* Objects of a TrainJob and of its JobSet, which has its name, are together. */
static const char *group_kind(struct slice kind) {
    enum target_kind found;
    return kind_find(kind, &found) ? kind_name(kind_row(found)->measured) : "Job";
}

/* A pod names only its RayCluster, whose name is that of its RayJob, "-", and five random characters (KubeRay
 * GenerateRayClusterName); up to v1.2 "-raycluster-" stands between them. */
static struct slice rayjob_of(struct slice cluster) {
    static const char suffix[] = "-raycluster";
    if (cluster.size_bytes > 6 && cluster.data[cluster.size_bytes - 6] == '-')
        cluster.size_bytes -= 6;
    if (slice_ends(cluster, suffix))
        cluster.size_bytes -= sizeof suffix - 1;
    return cluster;
}

static bool is_of_controller(const struct object_meta *pod) {
    enum target_kind kind;
    return kind_find(pod->owner_kind, &kind);
}

/* By the rules of the store (observe_pod.c, observe_target.c, observe_cluster.c). "": to none. */
static void group_key(char key[static KEY_SIZE], enum resource resource, const struct object_meta *m) {
    bool is_of_set = m->jobset_uid.size_bytes > 0;
    key[0] = '\0';
    if (resource == RESOURCE_NODE)
        snprintf(key, KEY_SIZE, NODES);
    else if (resource == RESOURCE_JOBSET)
        target_key(key, "JobSet", m->namespace_, m->name);
    else if ((resource == RESOURCE_JOB || resource == RESOURCE_POD) && is_of_set)
        target_key(key, "JobSet", m->namespace_, m->jobset_name);
    else if (resource == RESOURCE_JOB)
        target_key(key, "Job", m->namespace_, m->name);
    else if (resource == RESOURCE_RAYJOB)
        target_key(key, "RayJob", m->namespace_, m->name);
    else if (resource == RESOURCE_RAYCLUSTER)
        target_key(key, "RayJob", m->namespace_, rayjob_of(m->name));
    else if (resource == RESOURCE_POD && slice_is(m->owner_kind, "RayCluster"))
        target_key(key, "RayJob", m->namespace_, rayjob_of(m->owner_name));
    else if (resource == RESOURCE_LEADERWORKERSET)
        target_key(key, "LeaderWorkerSet", m->namespace_, m->name);
    else if (resource == RESOURCE_POD && m->set_name.size_bytes > 0)
        target_key(key, "LeaderWorkerSet", m->namespace_, m->set_name);
    else if (resource == RESOURCE_WORKLOAD && slice_is(m->is_group, "true"))
        target_key(key, "Workload", m->namespace_, m->name);
    else if (resource == RESOURCE_POD && m->pod_group.size_bytes > 0 && !is_of_controller(m))
        target_key(key, "Workload", m->namespace_, m->pod_group);
    else if (resource == RESOURCE_PYTORCHJOB)
        target_key(key, "PyTorchJob", m->namespace_, m->name);
    else if (resource == RESOURCE_POD || resource == RESOURCE_WORKLOAD)
        target_key(key, group_kind(m->owner_kind), m->namespace_, m->owner_name);
}

static struct group *group_of(struct standby *s, const char *key) {
    struct group *g = map_get(&s->groups, slice_of(key));
    if (g != NULL)
        return g;
    size_t size = strlen(key) + 1;
    g = mem_alloc(sizeof *g + size);
    memcpy(g->key, key, size);
    g->lost_ms = TIME_UNKNOWN;
    map_put_borrowed(&s->groups, slice_of(g->key), g);
    return g;
}

static void group_free(void *value) {
    struct group *g = value;
    for (int r = 0; r < RESOURCE_COUNT; r++)
        pack_sample_unref(g->samples[r]);
    free(g->measured_by);
    free(g);
}

static struct item *item_of(struct standby *s, enum resource resource, struct slice namespace_, struct slice name) {
    char key[KEY_SIZE];
    snprintf(key, sizeof key, "%d/%.*s/%.*s", (int)resource, SLICE_ARG(namespace_), SLICE_ARG(name));
    struct item *item = map_get(&s->items, slice_of(key));
    if (item != NULL)
        return item;
    size_t size = strlen(key) + 1;
    item = mem_alloc(sizeof *item + size);
    memcpy(item->key, key, size);
    item->resource = (uint8_t)resource;
    map_put_borrowed(&s->items, slice_of(item->key), item);
    return item;
}

static void set_group(struct standby *s, struct item *item, struct group *group) {
    struct group *before = item->group;
    if (before == group)
        return;
    item->group = group;
    if (group != NULL)
        group->items++;
    if (before != NULL && --before->items == 0)
        map_remove(&s->groups, slice_of(before->key));
}

/* ---- the journal ---- */

static void journal_add(struct standby *s, struct change *c) {
    struct group *g = c->item->group;
    c->is_in_journal = true;
    c->older = s->newest;
    *(s->newest ? &s->newest->newer : &s->oldest) = c;
    s->newest = c;
    c->before = g->last;
    *(g->last ? &g->last->behind : &g->first) = c;
    g->last = c;
    s->figures.changes++;
    s->figures.journal_bytes += sizeof *c + c->packed_bytes;
}

static void free_unless_used(struct standby *s, struct change *c) {
    struct item *item = c->item;
    if (c->is_in_journal || c->is_newest)
        return;
    s->figures.object_bytes -= sizeof *c + c->packed_bytes;
    pack_sample_unref(c->sample);
    free(c);
    if (--item->changes > 0)
        return;
    set_group(s, item, NULL);
    map_remove(&s->items, slice_of(item->key));
}

static void journal_remove(struct standby *s, struct change *c) {
    struct group *g = c->item->group;
    *(c->older ? &c->older->newer : &s->oldest) = c->newer;
    *(c->newer ? &c->newer->older : &s->newest) = c->older;
    *(c->before ? &c->before->behind : &g->first) = c->behind;
    *(c->behind ? &c->behind->before : &g->last) = c->before;
    c->older = c->newer = c->before = c->behind = NULL;
    c->is_in_journal = false;
    s->figures.changes--;
    s->figures.journal_bytes -= sizeof *c + c->packed_bytes;
    free_unless_used(s, c);
}

/* Before any status holds it. */
static void journal_lose(struct standby *s, struct change *c) {
    struct group *g = c->item->group;
    int64_t *lost = &g->lost[c->item->resource];
    *lost = max_of(*lost, c->version);
    g->lost_ms = max_of(g->lost_ms, c->received_ms);
    journal_remove(s, c);
}

static bool is_written(const struct group *g, const struct change *c) {
    return g->has_written && c->version <= g->written.version[c->item->resource];
}

static void trim_written(struct standby *s, struct group *g) {
    g->items++; /* it stays while it is looked through */
    for (struct change *c = g->first, *next; c != NULL; c = next) {
        next = c->behind;
        if (is_written(g, c))
            journal_remove(s, c);
    }
    g->items--;
}

static void trim(struct standby *s, struct group *g, int64_t now_ms) {
    while (!g->has_written && g->first != g->last && g->first->received_ms < now_ms - UNWRITTEN_MS)
        journal_lose(s, g->first);
    while (s->figures.journal_bytes > s->max_bytes && s->oldest != s->newest)
        journal_lose(s, s->oldest);
}

/* ---- what is observed ---- */

/* Until a target has its own, the first object of the kind serves all. */
static struct pack_sample *sample_for(struct standby *s, struct group *g, enum resource resource, struct slice object) {
    if (s->samples[resource] == NULL)
        s->samples[resource] = pack_sample_new(object);
    if (g == NULL || resource == RESOURCE_JOBGOODPUT)
        return s->samples[resource];
    if (g->packed[resource] < OWN_SAMPLE && ++g->packed[resource] == OWN_SAMPLE)
        g->samples[resource] = pack_sample_new(object);
    return g->samples[resource] != NULL ? g->samples[resource] : s->samples[resource];
}

static struct change *add_change(struct standby *s, struct item *item, enum observed what,
                                 const struct kube_event *event) {
    bool is_vanished = what == OBSERVED_VANISHED;
    struct slice object = is_vanished ? event->uid : event->object;
    struct pack_sample *sample = is_vanished ? NULL : sample_for(s, item->group, item->resource, object);
    struct slice packed = packer_pack(s->packer, sample, object);
    struct change *c = mem_alloc(sizeof *c + packed.size_bytes);
    memcpy(c->packed, packed.data, packed.size_bytes);
    c->item = item;
    c->what = (uint8_t)what;
    c->sample = pack_sample_ref(sample);
    c->size_bytes = (uint32_t)object.size_bytes;
    c->packed_bytes = (uint32_t)packed.size_bytes;
    c->received_ms = wall_ms(event->received);
    c->version = is_vanished ? s->reached[item->resource] : positions_version(event->resource_version);
    if (c->version == 0) /* no number: whether a status holds the change is not known */
        s->listed[item->resource] = INT64_MAX;
    s->reached[item->resource] = max_of(s->reached[item->resource], c->version);
    s->figures.object_bytes += sizeof *c + c->packed_bytes;
    item->changes++;
    return c;
}

static void set_newest(struct standby *s, struct item *item, struct change *newest) {
    struct change *before = item->newest;
    item->newest = newest;
    s->figures.objects += (newest != NULL) - (size_t)(before != NULL);
    if (newest != NULL)
        newest->is_newest = true;
    if (before != NULL) {
        before->is_newest = false;
        free_unless_used(s, before);
    }
}

static bool is_measured_by(const struct group *g, const struct item *jobgoodput) {
    return g != NULL && g->measured_by != NULL && strcmp(g->measured_by, jobgoodput->key) == 0;
}

/* Which versions the newest status of a JobGoodput holds. Another one of the same target writes no checkpoint. */
static void read_written(struct standby *s, struct item *item, const struct object_jobgoodput *o) {
    struct group *g = item->group, *nodes = s->nodes;
    struct positions written;
    if (o->checkpoint.size_bytes == 0 && !is_measured_by(g, item))
        return;
    free(g->measured_by);
    g->measured_by = mem_strdup(item->key);
    g->has_checkpoint = o->checkpoint.size_bytes > 0;
    g->has_written = positions_read(o->checkpoint, &written);
    if (!g->has_written)
        return;
    g->written = written;
    trim_written(s, g);
    if (nodes->written.version[RESOURCE_NODE] >= written.version[RESOURCE_NODE])
        return;
    nodes->written.version[RESOURCE_NODE] = written.version[RESOURCE_NODE];
    nodes->has_written = true;
    trim_written(s, nodes);
}

static void forget_jobgoodput(struct standby *s, struct item *item) {
    struct group *g = item->group;
    if (is_measured_by(g, item)) {
        mem_freep(&g->measured_by);
        g->measured_by = NULL;
        g->has_checkpoint = g->has_written = false;
    }
    if (item->newest != NULL)
        set_newest(s, item, NULL);
    else if (item->changes == 0)
        map_remove(&s->items, slice_of(item->key));
}

static int observe_jobgoodput(struct standby *s, enum observed what, const struct kube_event *event) {
    struct object_jobgoodput o;
    char key[KEY_SIZE];
    int r = what == OBSERVED_PRESENT ? object_jobgoodput_parse(event->object, &o) : 0;
    if (r < 0)
        return r;
    struct item *item = item_of(s, RESOURCE_JOBGOODPUT, event->namespace_, event->name);
    if (what != OBSERVED_PRESENT) {
        forget_jobgoodput(s, item);
        return 0;
    }
    target_key(key, group_kind(o.target_kind), event->namespace_, o.target_name);
    set_group(s, item, group_of(s, key));
    set_newest(s, item, add_change(s, item, what, event));
    read_written(s, item, &o);
    return 0;
}

static void observe_member(struct standby *s, struct item *item, enum observed what, const struct kube_event *event) {
    struct change *c = add_change(s, item, what, event);
    struct group *g = item->group;
    g->items++; /* it stays until the end of this */
    if (!is_written(g, c))
        journal_add(s, c);
    set_newest(s, item, what == OBSERVED_PRESENT ? c : NULL);
    free_unless_used(s, c);
    trim(s, g, wall_ms(event->received));
    if (--g->items == 0)
        map_remove(&s->groups, slice_of(g->key));
}

int standby_observe(struct standby *s, enum resource resource, enum observed what, const struct kube_event *event) {
    struct object_meta meta;
    char key[KEY_SIZE] = "";
    int r = what != OBSERVED_VANISHED ? scan_meta(event->object, &meta) : 0;
    if (r < 0)
        return r;
    if (resource == RESOURCE_JOBGOODPUT)
        return observe_jobgoodput(s, what, event);
    struct item *item = item_of(s, resource, event->namespace_, event->name);
    if (what != OBSERVED_VANISHED)
        group_key(key, resource, &meta);
    if (key[0] != '\0')
        set_group(s, item, group_of(s, key));
    if (item->group != NULL) {
        observe_member(s, item, what, event);
        return 0;
    }
    if (what == OBSERVED_PRESENT)
        set_newest(s, item, add_change(s, item, what, event));
    else if (item->newest != NULL)
        set_newest(s, item, NULL);
    else if (item->changes == 0)
        map_remove(&s->items, slice_of(item->key));
    return 0;
}

void standby_listed(struct standby *s, enum resource resource, struct slice version, struct wall_time now) {
    int64_t listed = positions_version(version);
    s->listed_ms[resource] = wall_ms(now);
    if (version.size_bytes == 0)
        s->listed[resource] = 0;
    else if (listed < s->reached[resource]) /* no number, or etcd was restored: versions cannot be compared */
        s->listed[resource] = INT64_MAX;
    else
        s->listed[resource] = max_of(s->listed[resource], listed);
    s->reached[resource] = max_of(s->reached[resource], listed);
}

/* ---- the takeover ---- */

/* Until when changes behind the written status may be missing from the journal. */
static int64_t missed_until_ms(const struct standby *s, const struct group *g, int64_t now_ms) {
    int64_t until_ms = TIME_UNKNOWN;
    if (!g->has_written)
        return now_ms;
    for (int r = 0; r < RESOURCE_COUNT; r++) {
        int64_t written = g->written.version[r], listed = s->listed[r];
        if (!positions_has((enum resource)r) || (written == 0 && listed == 0))
            continue;
        if (written == 0 || listed == 0 || listed == INT64_MAX)
            return now_ms;
        if (written < listed)
            until_ms = max_of(until_ms, s->listed_ms[r]);
        if (written < g->lost[r])
            until_ms = max_of(until_ms, g->lost_ms);
    }
    return until_ms;
}

struct replay {
    struct standby *s;
    const struct standby_handler *handler;
    struct wall_time now;
};

static void hand_on(const struct replay *p, const struct change *c, struct wall_time received) {
    struct kube_frame f = {0};
    CLEANUP_FREE char *text =
        packer_unpack(p->s->packer, c->sample, (struct slice){c->packed, c->packed_bytes}, c->size_bytes);
    struct slice object = {text, c->size_bytes}, key = slice_of(c->item->key), part;
    if (text == NULL || (c->what != OBSERVED_VANISHED && kube_frame_parse_item(object, &f) < 0)) {
        jsonlog(JSONLOG_ERROR, "a kept object is damaged", "key", LOG_S(c->item->key),
                NULL); /* it was whole when it came */
        return;
    }
    if (c->what == OBSERVED_VANISHED) {
        slice_take_until(&key, '/', &part);
        slice_take_until(&key, '/', &f.event.namespace_);
        f.event.name = key;
        f.event.uid = object;
    }
    f.event.received = received;
    p->handler->on_object(p->handler->context, c->item->resource, (enum observed)c->what, &f.event);
}

static void hand_on_all(const struct replay *p, enum resource resource) {
    for (size_t i = 0; i < p->s->items.count; i++) {
        const struct item *item = map_at(&p->s->items, i);
        if (item->resource == resource && item->newest != NULL && !item->newest->is_in_journal)
            hand_on(p, item->newest, p->now);
    }
}

/* A checkpoint without versions may hold any of the changes: only what exists is handed on. */
static void drop_unordered(struct standby *s) {
    for (struct change *c = s->oldest, *next; c != NULL; c = next) {
        next = c->newer;
        if (c->item->group->has_checkpoint && !c->item->group->has_written)
            journal_remove(s, c);
    }
}

static void report(const struct replay *p) {
    for (size_t i = 0; i < p->s->groups.count; i++) {
        const struct group *g = map_at(&p->s->groups, i);
        struct slice key = slice_of(g->measured_by), part;
        char namespace_[256], name[256];
        if (g->has_checkpoint && slice_take_until(&key, '/', &part) && slice_take_until(&key, '/', &part) &&
            slice_copy(namespace_, sizeof namespace_, part) && slice_copy(name, sizeof name, key))
            p->handler->on_resume(p->handler->context, namespace_, name, missed_until_ms(p->s, g, wall_ms(p->now)));
    }
}

void standby_replay(struct standby *s, struct wall_time now, const struct standby_handler *handler) {
    static const enum resource others[] = {RESOURCE_JOBSET,          RESOURCE_RAYJOB,     RESOURCE_RAYCLUSTER,
                                           RESOURCE_LEADERWORKERSET, RESOURCE_PYTORCHJOB, RESOURCE_JOB,
                                           RESOURCE_WORKLOAD,        RESOURCE_NODE,       RESOURCE_POD};
    const struct replay p = {s, handler, now};
    drop_unordered(s);
    hand_on_all(&p, RESOURCE_STEPLOGFORMAT);
    hand_on_all(&p, RESOURCE_JOBGOODPUT);
    report(&p);
    for (const struct change *c = s->oldest; c != NULL; c = c->newer)
        hand_on(&p, c, (struct wall_time){c->received_ms * 1000});
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        hand_on_all(&p, others[i]);
}

/* ---- the whole ---- */

struct standby *standby_new(size_t journal_bytes) {
    struct standby *s = mem_new(struct standby);
    map_init(&s->items, free);
    map_init(&s->groups, group_free);
    s->packer = packer_new();
    s->max_bytes = journal_bytes > 0 ? journal_bytes : JOURNAL_MAX_BYTES;
    s->nodes = group_of(s, NODES);
    s->nodes->items = 1;
    return s;
}

void standby_free(struct standby *s) {
    if (s == NULL)
        return;
    while (s->oldest != NULL)
        journal_remove(s, s->oldest);
    while (s->items.count > 0)
        set_newest(s, map_at(&s->items, s->items.count - 1), NULL);
    for (int r = 0; r < RESOURCE_COUNT; r++)
        pack_sample_unref(s->samples[r]);
    map_done(&s->items);
    map_done(&s->groups);
    packer_free(s->packer);
    free(s);
}

void standby_figures(const struct standby *s, struct standby_figures *figures) {
    *figures = s->figures;
}
