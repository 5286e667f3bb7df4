#include "kube/list.h"

#include "base/jmembers.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>

void kube_list_init(struct kube_list *l) {
    *l = (struct kube_list){0};
    buf_init(&l->part, KUBE_OBJECT_MAX_BYTES);
}

void kube_list_done(struct kube_list *l) {
    buf_done(&l->part);
    free(l->continue_token);
    l->continue_token = NULL;
}

void kube_list_clear(struct kube_list *l) {
    kube_list_done(l);
    kube_list_init(l);
}

bool kube_list_is_whole(const struct kube_list *l) {
    return l->is_done && l->resource_version[0] != '\0';
}

static void read_token(struct jscan *j, void *list) {
    struct kube_list *l = list;
    struct slice raw;
    if (!jscan_string_raw(j, &raw))
        return;
    free(l->continue_token);
    l->continue_token = slice_dup(raw); /* base64url: no escapes */
}

static int read_metadata(struct kube_list *l, struct slice metadata) {
    static const struct jmember rows[] = {JMEMBER(struct kube_list, resource_version, "resourceVersion"),
                                          JMEMBER_SELF("continue", read_token)};
    struct jscan j;
    jscan_init(&j, metadata);
    jmembers_read(&j, JMEMBERS(rows), l);
    return jscan_error(&j, NULL) == NULL ? 0 : -EBADMSG;
}

/* The end of an item or of the metadata at the end of `last`, the bytes of it that are not in l->part yet. */
static int collected(struct kube_list *l, struct slice last, kube_list_item *item, void *context) {
    struct slice whole = last;
    if (l->part.size_bytes > 0 || l->part.truncated) {
        buf_append_slice(&l->part, last);
        whole = buf_slice(&l->part);
    }
    int r = 0;
    if (l->part.truncated || whole.size_bytes > KUBE_OBJECT_MAX_BYTES)
        l->left_out++;
    else
        r = l->is_metadata ? read_metadata(l, whole) : item(context, whole);
    buf_clear(&l->part);
    l->is_collecting = false;
    return r;
}

static bool key_is(const struct kube_list *l, const char *name) {
    return slice_is((struct slice){l->key, l->key_size}, name);
}

static void open_bracket(struct kube_list *l, const char *at, const char **from) {
    bool is_item = l->in_items && l->depth == 2 && *at == '{';
    bool is_metadata = l->depth == 1 && *at == '{' && key_is(l, "metadata");
    if (l->depth == 1 && *at == '[' && key_is(l, "items"))
        l->in_items = true;
    if (is_item || is_metadata) {
        l->is_collecting = true;
        l->is_metadata = is_metadata;
        *from = at;
    }
    if (l->depth == 0)
        l->wants_key = true;
    l->depth++;
}

static int close_bracket(struct kube_list *l, const char *at, const char *from, kube_list_item *item, void *context) {
    l->depth--;
    if (l->is_collecting && l->depth == (l->is_metadata ? 1 : 2))
        return collected(l, slice_range(from, at + 1), item, context);
    if (l->in_items && l->depth == 1)
        l->in_items = false;
    if (l->depth == 0)
        l->is_done = true;
    return 0;
}

/* The rest of a string; at is behind its quote when it is closed. */
static const char *pass_string(struct kube_list *l, const char *at, const char *end) {
    bool is_key = l->depth == 1 && l->wants_key;
    while (at < end) {
        char c = *at++;
        if (!is_key) { /* nearly all bytes come through here */
            if (!l->is_escaped)
                while (c != '"' && c != '\\' && at < end)
                    c = *at++;
        } else if (l->key_size < sizeof l->key && (c != '"' || l->is_escaped))
            l->key[l->key_size++] = c;
        if (l->is_escaped)
            l->is_escaped = false;
        else if (c == '\\')
            l->is_escaped = true;
        else if (c == '"') {
            l->in_string = false;
            break;
        }
    }
    return at;
}

static int structure(struct kube_list *l, const char *at, const char **from, kube_list_item *item, void *context) {
    switch (*at) {
    case '{':
    case '[':
        if (l->depth >= JSCAN_MAX_DEPTH || (l->depth == 0 && (*at == '[' || l->is_done)))
            return -EBADMSG;
        open_bracket(l, at, from);
        return 0;
    case '}':
    case ']':
        return l->depth == 0 ? -EBADMSG : close_bracket(l, at, *from, item, context);
    case '"':
        if (l->depth == 0)
            return -EBADMSG;
        l->in_string = true;
        if (l->depth == 1 && l->wants_key)
            l->key_size = 0;
        return 0;
    case ':':
        if (l->depth == 1)
            l->wants_key = false;
        return 0;
    case ',':
        if (l->depth == 1)
            l->wants_key = true;
        return 0;
    default:
        return l->depth == 0 && (*at == '\0' || strchr(" \t\r\n", *at) == NULL) ? -EBADMSG : 0;
    }
}

int kube_list_feed(struct kube_list *l, struct slice bytes, kube_list_item *item, void *context) {
    const char *at = bytes.data, *end = bytes.data + bytes.size_bytes, *from = at;
    while (at < end) {
        if (l->in_string) {
            at = pass_string(l, at, end);
            continue;
        }
        int r = structure(l, at, &from, item, context);
        if (r < 0)
            return r;
        at++;
    }
    if (l->is_collecting)
        buf_append_slice(&l->part, slice_range(from, end));
    return 0;
}
