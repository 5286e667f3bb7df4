#include "operator/runtime/fleets.h"

#include "base/hash.h"
#include "base/jmembers.h"
#include "base/jsonlog.h"
#include "base/jwrite.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/rfc3339.h"
#include "fleet/roll_archive.h"
#include "fleet/roll_store.h"
#include "kube/reflector.h"
#include "operator/fleet/status.h"
#include "operator/runtime/fleet_archive.h"
#include "operator/runtime/fleet_nodes.h"
#include "operator/runtime/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PATH "/apis/goodput.dev/v1alpha1/fleetgoodputs"
#define MAX_SETTLED_BYTES ((size_t)32768)
#define MAX_PENDING_BYTES ((size_t)262144) /* while days are to be archived */
#define READING_MS INT64_C(30000)          /* how long a status waits for what is read from the archive */
#define MAX_STATUS_BYTES ((size_t)1 << 20)
#define ABSENT_RETRY_US INT64_C(60000000)
#define REFRESH_MS INT64_C(600000) /* a status that would say the same is written no later */
#define LEASE_LOOK_US INT64_C(1000000)
#define ARCHIVE_TROUBLE_MS INT64_C(86400000) /* an archive that is not written for so long degrades the fleet */

struct fleet_object {
    struct fleets *owner;
    char *name;
    char version[64], sent_version[64]; /* resourceVersion, as last observed; of the last write that was sent */
    uint64_t key;                       /* of the spec */
    int64_t generation;
    struct fleets_spec spec;
    char trouble[512]; /* why the spec is of no use; "" */
    struct roll roll;
    struct fleets_nodes *nodes;
    struct fleet_archive *archive;            /* NULL: there is none */
    int64_t began_ms;                         /* TIME_UNKNOWN: the first roll-up is still to come */
    int64_t sent_closed_ms, stored_closed_ms; /* roll.closed_until_ms of the last write; of the last that succeeded */
    struct kube_call *write;
    bool is_unreadable; /* what was settled before could not be read */
    uint64_t written_hash;
    int64_t written_ms;
    struct fleets_condition conditions[FLEETS_CONDITIONS]; /* as written last */
};

struct fleets {
    struct kube_client *client;
    const struct model *model;
    struct runtime_archive *archive; /* NULL: there is none */
    struct loop *loop;
    const struct kube_lease *lease;
    int64_t interval_us;
    bool is_active;
    struct kube_reflector *reflector;
    struct loop_timer *timer;
    struct map members;      /* "namespace/name" -> member */
    struct map objects;      /* name -> fleet_object */
    struct member **deleted; /* since the last roll-up */
    size_t deleted_count, deleted_capacity;
    struct buf status, body; /* scratch */
};

static void work(void *context);

/* ---- JobGoodputs ---- */

static void free_member(void *member) {
    member_free(member);
}

static void bury(struct fleets *f, struct member *m) {
    MEM_GROW(f->deleted, f->deleted_count, f->deleted_capacity);
    f->deleted[f->deleted_count++] = m;
}

static void forget_deleted(struct fleets *f) {
    for (size_t i = 0; i < f->deleted_count; i++)
        member_free(f->deleted[i]);
    f->deleted_count = 0;
}

void fleets_jobgoodput(struct fleets *f, const char *namespace_, const char *name, struct slice object) {
    CLEANUP_FREE char *key = mem_format("%s/%s", namespace_, name);
    struct member *m = object.size_bytes > 0 ? member_read(object) : NULL;
    struct member *before = map_take(&f->members, slice_of(key));
    if (before != NULL && (m == NULL || m->id != before->id) && f->objects.count > 0)
        bury(f, before); /* its last state is settled at the next roll-up */
    else
        member_free(before);
    if (m == NULL)
        return;
    member_fold(m);
    map_put(&f->members, slice_of(key), m);
}

/* ---- FleetGoodputs ---- */

static void drop_rolled(struct fleet_object *o) {
    fleet_archive_free(o->archive);
    o->archive = NULL;
    fleets_nodes_free(o->nodes);
    o->nodes = NULL;
    roll_done(&o->roll);
    fleets_spec_done(&o->spec);
}

static void free_object(void *value) {
    struct fleet_object *o = value;
    kube_call_cancel(o->write);
    drop_rolled(o);
    free(o->name);
    free(o);
}

struct fleet_state { /* of a FleetGoodput */
    struct slice spec, settled;
    int64_t generation;
    char version[64];
    struct fleets_condition conditions[FLEETS_CONDITIONS];
};

struct condition {
    char type[32], status[16];
    int64_t at_ms;
};

static void read_condition(struct jscan *j, void *to) {
    static const struct jmember condition_rows[] = {
        JMEMBER(struct condition, type, "type"),
        JMEMBER(struct condition, status, "status"),
        JMEMBER_TIME(struct condition, at_ms, "lastTransitionTime"),
    };
    struct fleets_condition *conditions = to;
    struct condition c = {.at_ms = TIME_UNKNOWN};
    jmembers_read(j, JMEMBERS(condition_rows), &c);
    int which = strcmp(c.type, "Ready") == 0 ? FLEETS_READY : strcmp(c.type, "Degraded") == 0 ? FLEETS_DEGRADED : -1;
    if (which >= 0)
        conditions[which] =
            (struct fleets_condition){.type = "", .is_true = strcmp(c.status, "True") == 0, .at_ms = c.at_ms};
}

static const struct jmember metadata_rows[] = {
    JMEMBER(struct fleet_state, generation, "generation"),
    JMEMBER(struct fleet_state, version, "resourceVersion"),
};
static const struct jmember status_rows[] = {
    JMEMBER(struct fleet_state, settled, "settled"),
    JMEMBER_LIST(struct fleet_state, conditions, "conditions", read_condition),
};
static const struct jmember state_rows[] = {
    JMEMBER_OBJECT("metadata", metadata_rows),
    JMEMBER_RAW(struct fleet_state, spec, "spec"),
    JMEMBER_OBJECT("status", status_rows),
};

static void on_archive(void *context) {
    struct fleets *f = context;
    loop_defer(f->loop, work, f);
}

/* Another spec has other sums. It resumes from what an earlier leader settled for this same spec. */
static void begin_rolling(struct fleet_object *o, const struct fleet_state *state) {
    CLEANUP_ERROR struct error *err = NULL;
    struct fleets *f = o->owner;
    drop_rolled(o);
    o->trouble[0] = '\0';
    o->is_unreadable = false;
    o->written_hash = 0;
    if (fleets_spec_read(&o->spec, state->spec, &err) < 0)
        slice_copy(o->trouble, sizeof o->trouble, slice_of(error_text(err)));
    if (f->archive == NULL)
        o->spec.window.longest_ms = ROLL_KEPT_MS;
    roll_init(&o->roll, &o->spec.window);
    if (o->trouble[0] != '\0')
        return;
    int r = state->settled.size_bytes > 0 ? roll_restore(&o->roll, o->key, state->settled) : -ESTALE;
    o->is_unreadable = r == -EBADMSG;
    if (o->is_unreadable)
        jsonlog(JSONLOG_WARNING, "settled sums not readable, started again", "fleetgoodput", LOG_S(o->name), NULL);
    o->stored_closed_ms = o->roll.closed_until_ms;
    o->began_ms = TIME_UNKNOWN;
    if (f->archive != NULL)
        o->archive = fleet_archive_new(f->archive, o->name, &o->roll, o->key, on_archive, f);
    if (o->spec.has_capacity)
        o->nodes = fleets_nodes_new(f->client, &o->spec);
}

static void on_event(void *context, const struct kube_event *event) {
    struct fleets *f = context;
    struct fleet_state state = {0};
    if (event->type == KUBE_DELETED || event->type == KUBE_VANISHED) {
        map_remove(&f->objects, event->name);
        return;
    }
    jmembers_parse(event->object, JMEMBERS(state_rows), &state);
    uint64_t key = runtime_json_hash(state.spec) + 1;
    struct fleet_object *o = map_get(&f->objects, event->name);
    bool is_new = o == NULL;
    if (is_new) {
        o = mem_new(struct fleet_object);
        o->owner = f;
        o->name = slice_dup(event->name);
        memcpy(o->conditions, state.conditions, sizeof o->conditions);
        map_put(&f->objects, event->name, o);
    }
    memcpy(o->version, state.version, sizeof o->version);
    o->generation = state.generation;
    if (!is_new && o->key == key)
        return;
    o->key = key;
    begin_rolling(o, &state);
    loop_defer(f->loop, work, f);
}

static void on_absent(void *context, bool is_absent) {
    (void)context;
    if (is_absent)
        jsonlog(JSONLOG_INFO, "FleetGoodputs are not served: fleets are not rolled up", NULL);
}

/* ---- what there is to say ---- */

struct rolled {
    struct roll_member *members;
    size_t count, selected;
    struct outcome outcome;
    struct map groups; /* their names, each once */
};

static struct roll_member one(struct fleet_object *o, struct rolled *r, const struct member *m, bool is_deleted,
                              struct buf *group) {
    struct roll_member rm = {.member = m, .is_deleted = is_deleted, .is_selected = fleets_spec_selects(&o->spec, m)};
    if (!rm.is_selected)
        return rm;
    r->selected += !is_deleted;
    fleets_spec_group(&o->spec, m, group);
    rm.group = map_get(&r->groups, buf_slice(group));
    if (rm.group == NULL) {
        char *name = mem_strdup(buf_text(group));
        map_put(&r->groups, buf_slice(group), name);
        rm.group = name;
    }
    return rm;
}

static int64_t working_nodes(void *model, const char *pool) {
    return model_working_nodes(model, pool);
}

static void roll(struct fleet_object *o, int64_t now_ms, struct rolled *r) {
    struct fleets *f = o->owner;
    CLEANUP_BUF struct buf group;
    buf_init(&group, 1024);
    for (size_t i = 0; i < f->members.count; i++)
        r->members[r->count++] = one(o, r, map_at(&f->members, i), false, &group);
    for (size_t i = 0; i < f->deleted_count; i++)
        r->members[r->count++] = one(o, r, f->deleted[i], true, &group);
    struct roll_input in = {.members = r->members,
                            .count = r->count,
                            .now_ms = now_ms,
                            .working_nodes = working_nodes,
                            .context = (void *)f->model};
    in.has_capacity = fleets_nodes_count(o->nodes, &in.nodes, &in.node_count);
    roll_up(&o->roll, &in);
    if (o->archive != NULL)
        roll_archive_close(&o->roll, now_ms);
    outcome_make(&o->roll, &in, &r->outcome);
}

static void set_ready(const struct fleet_object *o, const struct rolled *r, struct fleets_condition *c) {
    const struct outcome *out = &r->outcome;
    c->type = "Ready";
    if (o->trouble[0] != '\0') {
        c->reason = "BadSpec";
        slice_copy(c->message, sizeof c->message, slice_of(o->trouble));
    } else if (r->selected == 0 && out->jobs == 0) {
        c->reason = "NothingSelected";
        snprintf(c->message, sizeof c->message,
                 "none of the %zu JobGoodputs fits spec.selector: compare its namespaces, labels, queues and priority "
                 "classes with kubectl get jobgoodputs -A --show-labels",
                 o->owner->members.count);
    } else {
        c->is_true = true;
        c->reason = "RolledUp";
        snprintf(c->message, sizeof c->message,
                 "%lld jobs; %lld are not counted: of %lld no time is known yet, %lld ask for no chips",
                 (long long)out->jobs, (long long)(o->roll.without_time + o->roll.without_chips + o->roll.beyond),
                 (long long)o->roll.without_time, (long long)o->roll.without_chips);
    }
}

/* "": it is written, or was within the last day. */
static void explain_archive(const struct fleets *f, int64_t now_ms, char *text, size_t size_bytes) {
    struct archive_figures figures;
    char since[RFC3339_SIZE];
    text[0] = '\0';
    if (f->archive == NULL)
        return;
    runtime_archive_figures(f->archive, &figures);
    if (figures.failing_since_ms != TIME_UNKNOWN && now_ms - figures.failing_since_ms >= ARCHIVE_TROUBLE_MS)
        snprintf(text, size_bytes, "the archive has not been written since %s: %s",
                 rfc3339_format_s(since, figures.failing_since_ms), figures.why);
}

/* "": the whole window is kept, at any time. */
static void explain_window(const struct fleet_object *o, const struct outcome *out, char *text, size_t size_bytes) {
    const struct roll_options *w = &o->spec.window;
    char from[RFC3339_SIZE];
    text[0] = '\0';
    if (w->longest_ms > 0 && (w->window == ROLL_MONTH || w->length_ms > w->longest_ms))
        snprintf(
            text, size_bytes,
            "spec.window is longer than 7 days, of which sums are kept without an archive: the status covers the "
            "time since %s. Run the controller with --archive (chart value archive), or use a window of at most 7d",
            rfc3339_format_s(from, out->from_ms));
}

/* "": all of it is. */
static void explain_unread(const struct fleet_object *o, const struct outcome *out, char *text, size_t size_bytes) {
    const char *trouble = fleet_archive_trouble(o->archive);
    char from[RFC3339_SIZE];
    text[0] = '\0';
    if (roll_archive_unread(&o->roll) != NULL)
        snprintf(text, size_bytes,
                 "older days could not be read from the archive yet, so the status covers the time since %s: %s",
                 rfc3339_format_s(from, out->from_ms), trouble[0] != '\0' ? trouble : "it does not answer");
}

static void set_degraded(const struct fleet_object *o, const struct outcome *out, bool is_coarse, int64_t now_ms,
                         struct fleets_condition *c) {
    char archive[sizeof c->message], window[sizeof c->message], unread[sizeof c->message];
    explain_archive(o->owner, now_ms, archive, sizeof archive);
    explain_window(o, out, window, sizeof window);
    explain_unread(o, out, unread, sizeof unread);
    const struct {
        bool is_so;
        const char *reason, *message;
    } troubles[] = {
        {o->is_unreadable, "SettledUnreadable",
         "status.settled was damaged: the sums were started again from the JobGoodputs that exist"},
        {o->roll.beyond > 0, "TooManyJobs", "more jobs than can be kept apart: use several FleetGoodputs"},
        {o->roll.has_folded, "TooManyGroups",
         "more groups than can be kept apart: the smallest are in the group Other, with their past; group by fewer "
         "keys"},
        {window[0] != '\0', "WindowNeedsArchive", window},
        {unread[0] != '\0', "ArchiveNotRead", unread},
        {is_coarse, "StatusAtBound",
         "status.settled is at its bound: older hours are kept in longer spans, and after a restart what some jobs "
         "gained meanwhile is taken in proportion"},
        {archive[0] != '\0', "ArchiveNotWritten", archive},
        {fleets_nodes_refusal(o->nodes) != NULL, "NodesForbidden", fleets_nodes_refusal(o->nodes)},
        {out->capacity_ms > 0 && out->idle_chip_ms < 0, "CapacityTooSmall",
         "the selected jobs hold more chips than the selected nodes have: spec.capacity leaves nodes out"},
    };
    c->type = "Degraded";
    c->reason = "AsExpected";
    for (size_t i = 0; i < ARRAY_SIZE(troubles); i++) {
        if (!troubles[i].is_so)
            continue;
        if (!c->is_true)
            c->reason = troubles[i].reason;
        size_t used = strlen(c->message);
        snprintf(c->message + used, sizeof c->message - used, "%s%s", c->is_true ? "; " : "", troubles[i].message);
        c->is_true = true;
    }
}

/* ---- writing ---- */

static void on_written(void *context, int status, struct slice body, const struct error *err) {
    struct fleet_object *o = context;
    o->write = NULL;
    if (err == NULL) {
        runtime_json_written_version(body, o->sent_version, o->version, sizeof o->version);
        o->stored_closed_ms = o->sent_closed_ms;
        if (o->archive != NULL)
            fleet_archive_continue(o->archive, o->stored_closed_ms);
        return;
    }
    o->written_hash = 0; /* the next roll-up writes again, by the version that the watch has reported */
    jsonlog(status == 409 ? JSONLOG_DEBUG : JSONLOG_WARNING, "status of a fleet not written", "fleetgoodput",
            LOG_S(o->name), "http_status", LOG_I(status), "error", LOG_S(error_text(err)), NULL);
}

static void send_status(struct fleet_object *o) {
    struct fleets *f = o->owner;
    struct jwrite w;
    char name[256];
    if (!kube_escape(name, sizeof name, o->name))
        return;
    CLEANUP_FREE char *path = mem_format(PATH "/%s/status?fieldManager=goodput-controller&force=true", name);
    buf_clear(&f->body);
    jwrite_init(&w, &f->body);
    jwrite_object(&w);
    jwrite_member_text(&w, "apiVersion", "goodput.dev/v1alpha1");
    jwrite_member_text(&w, "kind", "FleetGoodput");
    jwrite_member_object(&w, "metadata");
    jwrite_member_text(&w, "name", o->name);
    jwrite_member_text(&w, "resourceVersion", o->version);
    memcpy(o->sent_version, o->version, sizeof o->sent_version);
    o->sent_closed_ms = o->roll.closed_until_ms;
    jwrite_object_end(&w);
    jwrite_key(&w, "status");
    jwrite_raw(&w, buf_slice(&f->status));
    jwrite_object_end(&w);
    struct kube_request request = {.method = "PATCH",
                                   .path = path,
                                   .body = buf_slice(&f->body),
                                   .content_type = "application/apply-patch+yaml",
                                   .may_retry = true};
    o->write = kube_call(f->client, &request, on_written, o);
}

static void keep_transitions(struct fleet_object *o, struct fleets_view *v, int64_t now_ms) {
    for (int i = 0; i < FLEETS_CONDITIONS; i++) {
        const struct fleets_condition *before = &o->conditions[i];
        bool is_same = before->type != NULL && before->is_true == v->conditions[i].is_true;
        v->conditions[i].at_ms = is_same && before->at_ms != TIME_UNKNOWN ? before->at_ms : now_ms;
    }
    memcpy(o->conditions, v->conditions, sizeof o->conditions);
}

/* Days that are closed and not in the archive yet need more room than those that the status keeps. */
static char *settle(struct fleet_object *o, bool *ret_coarse) {
    bool has_pending = o->archive != NULL && roll_archive_next(&o->roll, 0, INT64_MAX) != NULL;
    return roll_store(&o->roll, o->key, has_pending ? MAX_PENDING_BYTES : MAX_SETTLED_BYTES, ret_coarse);
}

static bool must_wait(struct fleet_object *o, int64_t now_ms) {
    if (o->began_ms == TIME_UNKNOWN)
        o->began_ms = now_ms;
    return fleet_archive_is_reading(o->archive) && now_ms - o->began_ms < READING_MS;
}

static void attend(struct fleet_object *o, int64_t now_ms, struct rolled *r) {
    struct fleets *f = o->owner;
    struct fleets_view view = {.spec = &o->spec, .roll = &o->roll, .generation = o->generation};
    bool is_coarse = false;
    CLEANUP_FREE char *settled = NULL;
    if (o->trouble[0] == '\0') {
        roll(o, now_ms, r);
        view.outcome = &r->outcome;
        settled = settle(o, &is_coarse);
    }
    set_ready(o, r, &view.conditions[FLEETS_READY]);
    if (view.outcome != NULL)
        set_degraded(o, &r->outcome, is_coarse, now_ms, &view.conditions[FLEETS_DEGRADED]);
    keep_transitions(o, &view, now_ms);
    buf_clear(&f->status);
    r->outcome.until_ms = 0; /* a change of it alone causes no write */
    fleets_status_write(&view, NULL, &f->status);
    uint64_t hash = hash_local(0, buf_slice(&f->status));
    if (o->archive != NULL)
        fleet_archive_continue(o->archive, o->stored_closed_ms);
    if (must_wait(o, now_ms) || o->write != NULL || o->version[0] == '\0' ||
        (hash == o->written_hash && now_ms - o->written_ms < REFRESH_MS))
        return;
    buf_clear(&f->status);
    r->outcome.until_ms = now_ms;
    fleets_status_write(&view, settled, &f->status);
    o->written_hash = hash;
    o->written_ms = now_ms;
    send_status(o);
}

/* ---- turns ---- */

static void work(void *context) {
    struct fleets *f = context;
    if (!f->is_active || f->reflector == NULL || !kube_reflector_is_synced(f->reflector))
        return;
    if (f->lease != NULL && !kube_lease_is_held(f->lease)) {
        loop_timer_set(f->timer, LEASE_LOOK_US);
        return;
    }
    if (f->objects.count == 0) { /* the next one wakes us */
        forget_deleted(f);
        return;
    }
    int64_t now_ms = wall_ms(loop_wall(f->loop));
    struct rolled *r = mem_new(struct rolled);
    r->members = mem_alloc((f->members.count + f->deleted_count + 1) * sizeof *r->members);
    for (size_t i = 0; i < f->objects.count; i++) {
        r->count = r->selected = 0;
        map_init(&r->groups, free);
        attend(map_at(&f->objects, i), now_ms, r);
        map_done(&r->groups);
    }
    forget_deleted(f);
    free(r->members);
    free(r);
    loop_timer_set(f->timer, f->interval_us);
}

static void on_synced(void *context) {
    struct fleets *f = context;
    loop_defer(f->loop, work, f);
}

void fleets_set_active(struct fleets *f, bool is_active) {
    if (f->is_active == is_active)
        return;
    f->is_active = is_active;
    if (is_active)
        loop_defer(f->loop, work, f);
    else
        loop_timer_stop(f->timer);
}

void fleets_lead(struct fleets *f, const struct kube_lease *lease) {
    struct kube_reflector_options options = {.path = PATH, .absent_retry_us = ABSENT_RETRY_US};
    struct kube_reflector_handler handler = {
        .on_event = on_event, .on_synced = on_synced, .on_absent = on_absent, .on_trouble = NULL, .context = f};
    f->lease = lease;
    f->reflector = kube_reflector_new(f->client, &options, &handler);
}

struct fleets *fleets_new(struct kube_client *client, const struct model *model, struct runtime_archive *archive,
                          int64_t interval_us) {
    struct fleets *f = mem_new(struct fleets);
    f->client = client;
    f->model = model;
    f->archive = archive;
    f->loop = kube_client_loop(client);
    f->interval_us = interval_us;
    f->timer = loop_timer_new(f->loop, work, f);
    map_init(&f->members, free_member);
    map_init(&f->objects, free_object);
    buf_init(&f->status, MAX_STATUS_BYTES);
    buf_init(&f->body, MAX_STATUS_BYTES + 4096);
    return f;
}

void fleets_free(struct fleets *f) {
    if (f == NULL)
        return;
    kube_reflector_free(f->reflector);
    loop_defer_cancel(f->loop, work, f);
    loop_timer_free(f->timer);
    map_done(&f->objects);
    map_done(&f->members);
    forget_deleted(f);
    free(f->deleted);
    buf_done(&f->status);
    buf_done(&f->body);
    free(f);
}
