#include "kube/reflector_take.h"

#include "base/hash.h"
#include "base/jsonlog.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>

/* While a callback of the user runs, kube_reflector_free only marks. */
static void enter(struct kube_reflector *r) {
    r->callback_depth++;
}

static bool leave(struct kube_reflector *r) {
    r->callback_depth--;
    return !r->is_dead;
}

static bool notify_event(struct kube_reflector *r, struct kube_event *event) {
    event->received = loop_wall(r->loop);
    r->watermark = event->received;
    enter(r);
    if (r->handler.on_object == NULL)
        r->handler.on_event(r->handler.context, event);
    else if (r->handler.on_object(r->handler.context, event) < 0)
        r->is_doubted = true;
    return leave(r);
}

/* After an object that its reader may not have understood: if that is malformed JSON, it has not been shown. */
static int doubt(struct kube_reflector *r, const struct kube_event *e) {
    struct kube_frame f;
    bool is_doubted = r->is_doubted;
    r->is_doubted = false;
    if (!is_doubted || kube_frame_parse_item(e->object, &f) == 0)
        return 0;
    struct kube_known_entry *known = kube_known_get(&r->known, e->namespace_, e->name);
    if (known != NULL)
        known->generation--;
    return -EBADMSG;
}

static bool notify_vanished(struct kube_reflector *r, struct slice namespace_, struct slice name, struct slice uid) {
    struct kube_event event = {.type = KUBE_VANISHED, .namespace_ = namespace_, .name = name, .uid = uid};
    return notify_event(r, &event);
}

void kube_reflector_notify(struct kube_reflector *r, const char *reason) {
    if (reason != NULL)
        kube_tally_add(r->client, r->phase == PHASE_WATCH ? "watch" : "list", r->path, reason);
}

void kube_reflector_left_out(struct kube_reflector *r) {
    kube_reflector_notify(r, "oversized");
    jsonlog(JSONLOG_ERROR, "an object is too large and was left out", "path", LOG_S(r->path), NULL);
}

void kube_reflector_trouble(struct kube_reflector *r, const char *text) {
    if (text == NULL ? !r->in_trouble : r->in_trouble && strcmp(text, r->trouble) == 0)
        return;
    r->in_trouble = text != NULL;
    free(r->trouble);
    r->trouble = mem_strdup(text);
    if (text != NULL)
        jsonlog(JSONLOG_WARNING, "cannot follow a resource", "path", LOG_S(r->path), "error", LOG_S(text), NULL);
    else
        jsonlog(JSONLOG_INFO, "following a resource again", "path", LOG_S(r->path), NULL);
    enter(r);
    if (r->handler.on_trouble != NULL)
        r->handler.on_trouble(r->handler.context, text);
    leave(r);
}

void kube_reflector_absent(struct kube_reflector *r, bool is_absent) {
    if (r->is_absent == is_absent && r->is_absence_known)
        return;
    bool is_change = r->is_absent != is_absent;
    r->is_absent = is_absent;
    r->is_absence_known = true;
    if (is_change && r->handler.on_absent != NULL) {
        enter(r);
        r->handler.on_absent(r->handler.context, is_absent);
        leave(r);
    }
}

void kube_reflector_progress(struct kube_reflector *r) {
    r->failures = r->bad_streams = r->unauthorized = 0;
    kube_backoff_reset(&r->backoff);
    if (!r->is_dead)
        kube_reflector_absent(r, false);
    if (!r->is_dead)
        kube_reflector_trouble(r, NULL);
}

bool kube_reflector_sweep(struct kube_reflector *r, bool is_all) {
    size_t cursor = 0;
    char *key;
    struct kube_known_entry *entry;
    bool is_alive = true;
    while (is_alive && kube_known_take_stale(&r->known, is_all, &cursor, &key, &entry)) {
        struct slice name = slice_of(key), namespace_;
        slice_take_until(&name, '/', &namespace_);
        is_alive = notify_vanished(r, namespace_, name, slice_of(entry->uid));
        free(entry);
        free(key);
    }
    return is_alive;
}

void kube_reflector_synced(struct kube_reflector *r) {
    r->is_synced = true;
    r->watermark = loop_wall(r->loop);
    enter(r);
    if (r->handler.on_synced != NULL)
        r->handler.on_synced(r->handler.context);
    leave(r);
}

/* An object that is there. A repeated page may show it once more; another object may have taken its name. */
static bool show(struct kube_reflector *r, struct kube_event *e, bool is_list) {
    struct kube_known_entry *known = kube_known_get(&r->known, e->namespace_, e->name);
    if (known != NULL && !slice_is(e->uid, known->uid)) {
        char *uid CLEANUP_FREE = mem_strdup(known->uid);
        kube_known_remove(&r->known, e->namespace_, e->name);
        if (!notify_vanished(r, e->namespace_, e->name, slice_of(uid)))
            return false;
        known = NULL;
    } else if (known != NULL && is_list && known->generation == r->known.generation &&
               known->version_hash == hash_local(0, e->resource_version))
        return true;
    if (known != NULL)
        kube_known_again(&r->known, known, e->resource_version);
    else
        kube_known_put(&r->known, e->namespace_, e->name, e->uid, e->resource_version);
    return notify_event(r, e);
}

int kube_reflector_take_item(void *context, struct slice object) {
    struct kube_reflector *r = context;
    struct kube_frame f = {0};
    if ((r->handler.on_object == NULL ? kube_frame_parse_item : kube_frame_glance_item)(object, &f) < 0)
        return -EBADMSG;
    return show(r, &f.event, true) ? doubt(r, &f.event) : -ECANCELED;
}

static void remember_version(struct kube_reflector *r, struct slice version) {
    slice_copy(r->resource_version, sizeof r->resource_version, version);
}

/* As numbers, where both are: a bookmark says how far the server is, which cannot be before what it sent already,
 * unless etcd was restored from a backup. (KEP-5504: resourceVersions of one resource may be compared.) */
static bool is_before(struct slice a, const char *b) {
    size_t n = strlen(b);
    if (a.size_bytes == 0 || n == 0 || strspn(b, "0123456789") != n || a.data[0] == '0' || b[0] == '0')
        return false;
    for (size_t i = 0; i < a.size_bytes; i++)
        if (a.data[i] < '0' || a.data[i] > '9')
            return false;
    return a.size_bytes != n ? a.size_bytes < n : memcmp(a.data, b, n) < 0;
}

static int take_bookmark(struct kube_reflector *r, const struct kube_frame *f) {
    if (r->phase == PHASE_WATCH && is_before(f->event.resource_version, r->resource_version)) {
        jsonlog(JSONLOG_WARNING, "the server went back in time; listing again", "path", LOG_S(r->path), NULL);
        kube_reflector_notify(r, "restored");
        r->error_code = 410;
        return -ESTALE;
    }
    r->watermark = loop_wall(r->loop);
    if (r->phase == PHASE_WATCH) {
        remember_version(r, f->event.resource_version);
        return 0;
    }
    if (!f->is_initial_end)
        return -EOPNOTSUPP; /* the server took it for a plain watch */
    remember_version(r, f->event.resource_version);
    r->phase = PHASE_WATCH;
    loop_timer_stop(r->timer);
    if (!kube_reflector_sweep(r, false))
        return -ECANCELED;
    kube_reflector_synced(r);
    return r->is_dead ? -ECANCELED : 0;
}

int kube_reflector_take_line(void *context, struct slice line, bool is_cut) {
    struct kube_reflector *r = context;
    struct kube_frame f;
    if (line.size_bytes == 0)
        return 0;
    if (is_cut) {
        kube_reflector_left_out(r);
        return 0;
    }
    if ((r->handler.on_object == NULL ? kube_frame_parse : kube_frame_glance)(line, &f) < 0)
        return -EBADMSG;
    if (f.kind == KUBE_FRAME_ERROR) {
        r->error_code = f.code;
        free(r->error_text);
        r->error_text = mem_strdup(f.message[0] != '\0' ? f.message : f.reason);
        return -ESTALE;
    }
    kube_reflector_progress(r);
    if (r->is_dead)
        return -ECANCELED;
    r->frames++;
    if (f.kind == KUBE_FRAME_BOOKMARK)
        return take_bookmark(r, &f);
    if (f.event.type == KUBE_DELETED) {
        kube_known_remove(&r->known, f.event.namespace_, f.event.name);
        if (!notify_event(r, &f.event))
            return -ECANCELED;
    } else if (!show(r, &f.event, false))
        return -ECANCELED;
    if (doubt(r, &f.event) < 0)
        return -EBADMSG;
    /* Only now: had the user's callback not returned, this event would have to come again. The initial events of a
     * streaming list are in no order, so none of them is a point to resume from. */
    if (r->phase == PHASE_WATCH)
        remember_version(r, f.event.resource_version);
    return 0;
}
