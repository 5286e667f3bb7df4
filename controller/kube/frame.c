#include "kube/frame.h"

#include "base/jscan.h"

#include <errno.h>
#include <string.h>

static void read_annotations(struct jscan *j, struct kube_frame *f) {
    struct slice key, value;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key))
        if (slice_is(key, "k8s.io/initial-events-end"))
            f->is_initial_end = jscan_string_raw(j, &value) && slice_is(value, "true");
        else
            jscan_skip(j);
}

/* Whose it is. Bookmarks have no name, and are read to their end. */
static bool is_known(const struct kube_frame *f) {
    return f->event.name.size_bytes > 0 && f->event.namespace_.size_bytes > 0 && f->event.uid.size_bytes > 0 &&
           f->event.resource_version.size_bytes > 0;
}

/* True once it is known, the rest of the metadata unread. */
static bool read_identity(struct jscan *j, struct kube_frame *f) {
    struct slice key;
    if (!jscan_object(j))
        return false;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "name"))
            jscan_string_raw(j, &f->event.name);
        else if (slice_is(key, "namespace"))
            jscan_string_raw(j, &f->event.namespace_);
        else if (slice_is(key, "uid"))
            jscan_string_raw(j, &f->event.uid);
        else if (slice_is(key, "resourceVersion"))
            jscan_string_raw(j, &f->event.resource_version);
        else if (slice_is(key, "annotations"))
            read_annotations(j, f);
        else
            jscan_skip(j);
        if (is_known(f)) /* of most objects nothing else is read here, and these come first */
            return true;
    }
    return false;
}

/* An object of any kind; the members code, reason and message mean something in a Status only. */
static void read_object(struct jscan *j, struct kube_frame *f) {
    struct slice key;
    int64_t code;
    if (jscan_peek(j) != JSCAN_OBJECT) {
        jscan_skip(j);
        return;
    }
    const char *start = j->at;
    jscan_object(j);
    while (jscan_key(j, &key)) {
        if (slice_is(key, "metadata")) {
            if (read_identity(j, f))
                jscan_leave(j);
        } else if (slice_is(key, "code") && jscan_peek(j) == JSCAN_NUMBER) {
            if (jscan_int(j, &code) && code > 0 && code < 1000)
                f->code = (int)code;
        } else if (slice_is(key, "reason") && jscan_peek(j) == JSCAN_STRING)
            jscan_string(j, f->reason, sizeof f->reason);
        else if (slice_is(key, "message") && jscan_peek(j) == JSCAN_STRING)
            jscan_string(j, f->message, sizeof f->message);
        else
            jscan_skip(j);
    }
    if (jscan_error(j, NULL) == NULL)
        f->event.object = slice_range(start, j->at);
}

static bool read_type(struct slice type, struct kube_frame *f) {
    static const struct {
        const char *name;
        enum kube_frame_kind kind;
        enum kube_event_type event;
    } types[] = {{"ADDED", KUBE_FRAME_EVENT, KUBE_ADDED},
                 {"MODIFIED", KUBE_FRAME_EVENT, KUBE_MODIFIED},
                 {"DELETED", KUBE_FRAME_EVENT, KUBE_DELETED},
                 {"BOOKMARK", KUBE_FRAME_BOOKMARK, KUBE_MODIFIED},
                 {"ERROR", KUBE_FRAME_ERROR, KUBE_MODIFIED}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (slice_is(type, types[i].name)) {
            f->kind = types[i].kind;
            f->event.type = types[i].event;
            return true;
        }
    return false;
}

static int check(const struct kube_frame *f) {
    bool has_identity = f->event.name.size_bytes > 0 && f->event.resource_version.size_bytes > 0;
    bool is_enough = f->kind == KUBE_FRAME_ERROR || (f->kind == KUBE_FRAME_EVENT && has_identity) ||
                     (f->kind == KUBE_FRAME_BOOKMARK && f->event.resource_version.size_bytes > 0);
    return is_enough && f->event.object.size_bytes > 0 ? 0 : -EBADMSG;
}

int kube_frame_parse(struct slice line, struct kube_frame *ret) {
    struct kube_frame f = {0};
    struct slice key, type = {"", 0};
    struct jscan j;
    jscan_init_loose(&j, line);
    if (jscan_object(&j))
        while (jscan_key(&j, &key)) {
            if (slice_is(key, "type"))
                jscan_string_raw(&j, &type);
            else if (slice_is(key, "object"))
                read_object(&j, &f);
            else
                jscan_skip(&j);
        }
    if (jscan_error(&j, NULL) != NULL || !jscan_at_end(&j) || !read_type(type, &f) || check(&f) < 0)
        return -EBADMSG;
    *ret = f;
    return 0;
}

/* In an object, up to the end of its identity; false if there is anything uncommon about it. */
static bool glance(struct jscan *j, struct kube_frame *f) {
    struct slice key;
    if (jscan_peek(j) != JSCAN_OBJECT)
        return false;
    jscan_object(j);
    while (jscan_key(j, &key)) {
        if (slice_is(key, "metadata"))
            return read_identity(j, f);
        jscan_skip(j);
    }
    return false;
}

int kube_frame_glance(struct slice line, struct kube_frame *ret) {
    struct kube_frame f = {0};
    struct slice key, type;
    struct jscan j;
    const char *end = memrchr(line.data, '}', line.size_bytes); /* closes the line */
    jscan_init_loose(&j, line);
    if (end != NULL && jscan_object(&j) && jscan_key(&j, &key) && slice_is(key, "type") &&
        jscan_string_raw(&j, &type) && read_type(type, &f) && f.kind == KUBE_FRAME_EVENT && jscan_key(&j, &key) &&
        slice_is(key, "object") && jscan_peek(&j) == JSCAN_OBJECT) {
        const char *start = j.at;
        bool is_last = slice_trim(slice_range(end + 1, line.data + line.size_bytes)).size_bytes == 0;
        if (is_last && glance(&j, &f) && j.at < end) {
            f.event.object = slice_range(start, end);
            *ret = f;
            return 0;
        }
    }
    return kube_frame_parse(line, ret);
}

int kube_frame_parse_item(struct slice object, struct kube_frame *ret) {
    struct kube_frame f = {.kind = KUBE_FRAME_EVENT, .event.type = KUBE_ADDED};
    struct jscan j;
    jscan_init_loose(&j, object);
    read_object(&j, &f);
    if (jscan_error(&j, NULL) != NULL || !jscan_at_end(&j) || check(&f) < 0)
        return -EBADMSG;
    *ret = f;
    return 0;
}

int kube_frame_glance_item(struct slice object, struct kube_frame *ret) {
    struct kube_frame f = {.kind = KUBE_FRAME_EVENT, .event.type = KUBE_ADDED, .event.object = object};
    struct jscan j;
    jscan_init_loose(&j, object);
    if (!glance(&j, &f))
        return kube_frame_parse_item(object, ret);
    *ret = f;
    return 0;
}
