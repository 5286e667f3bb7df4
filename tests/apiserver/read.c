/* GET of one object and of lists, with selectors and pages. A list that does not fit its limit leaves a snapshot, which
 * the continue token names: later pages show the same moment, as etcd's do. */
#include "base/mem.h"
#include "selector.h"
#include "srv.h"

#include <stdio.h>
#include <string.h>

enum { SNAPSHOTS = 16 };

struct snapshot {
    long number;
    uint64_t rv;
    struct text **texts;
    size_t count;
    struct snapshot *next;
};

static void snapshot_free(struct snapshot *p) {
    for (size_t i = 0; i < p->count; i++)
        text_unref(p->texts[i]);
    free(p->texts);
    free(p);
}

void read_forget_snapshots(struct srv *s) {
    while (s->snapshots != NULL) {
        struct snapshot *next = s->snapshots->next;
        snapshot_free(s->snapshots);
        s->snapshots = next;
    }
}

static void snapshot_keep(struct srv *s, struct snapshot *p) {
    p->number = ++s->snapshot_number;
    p->next = s->snapshots;
    s->snapshots = p;
    int n = 0;
    for (struct snapshot **at = &s->snapshots; *at != NULL; at = &(*at)->next) {
        if (++n == SNAPSHOTS && (*at)->next != NULL) {
            snapshot_free((*at)->next);
            (*at)->next = NULL;
        }
    }
}

bool read_is_selected(const struct conn *c, const json_t *object) {
    return selector_match_labels(conn_argument(c, "labelSelector"), object) &&
           selector_match_fields(conn_argument(c, "fieldSelector"), object);
}

static struct snapshot *take(struct conn *c, const struct target *t) {
    struct srv *s = c->srv;
    struct snapshot *p = mem_new(struct snapshot);
    bool is_selective = *conn_argument(c, "labelSelector") != '\0' || *conn_argument(c, "fieldSelector") != '\0';
    size_t from, to;
    kstore_range(&s->store, t->type, t->ns, &from, &to);
    p->rv = s->store.rv;
    p->texts = mem_alloc((to - from + 1) * sizeof *p->texts);
    for (size_t i = from; i < to; i++) {
        if (is_selective) {
            CLEANUP_JSON json_t *object = kstore_json(s->store.objects[i]);
            if (!read_is_selected(c, object))
                continue;
        }
        p->texts[p->count++] = text_ref(s->store.objects[i]->text);
    }
    return p;
}

/* The text of an item in a list: built-in kinds without kind and apiVersion, other versions converted. */
static void append_item(struct buf *out, const struct target *t, const struct text *text, enum format format) {
    char prefix[300];
    if (convert_is_identity(t->type, t->group, t->version) && format == FORMAT_JSON) {
        int n = snprintf(prefix, sizeof prefix, "{\"kind\":\"%s\",\"apiVersion\":\"%s%s%s\",", t->type->kind, t->group,
                         *t->group != '\0' ? "/" : "", t->version);
        bool is_short = t->type->is_builtin && strncmp(text->data, prefix, (size_t)n) == 0;
        if (is_short)
            buf_append_char(out, '{');
        buf_append(out, text->data + (is_short ? n : 0), text->size_bytes - (size_t)(is_short ? n : 0));
        return;
    }
    json_error_t error;
    CLEANUP_JSON json_t *object = json_loadb(text->data, text->size_bytes, 0, &error);
    convert_out(t->type, t->group, t->version, object);
    CLEANUP_JSON json_t *shown = format == FORMAT_PARTIAL ? table_partial(object) : json_incref(object);
    CLEANUP_FREE char *dumped = jx_dump(shown);
    buf_append_text(out, dumped);
}

static void reply_table(struct conn *c, const struct target *t, const struct snapshot *p, size_t from, size_t to,
                        const char *token) {
    char rv[32], include[32];
    snprintf(rv, sizeof rv, "%llu", (unsigned long long)p->rv);
    snprintf(include, sizeof include, "%s", conn_argument(c, "includeObject"));
    CLEANUP_JSON json_t *table = table_begin(t->type, t->version, rv);
    for (size_t i = from; i < to; i++) {
        json_error_t error;
        CLEANUP_JSON json_t *object = json_loadb(p->texts[i]->data, p->texts[i]->size_bytes, 0, &error);
        if (!convert_is_identity(t->type, t->group, t->version))
            convert_out(t->type, t->group, t->version, object);
        table_row(table, t->type, object, include, srv_now_us(c->srv) / 1000);
    }
    if (*token != '\0')
        jx_set_text(table, "metadata.continue", token);
    api_reply_json(c, 200, table);
}

static void reply_list(struct conn *c, const struct target *t, const struct snapshot *p, size_t from, size_t to,
                       const char *token) {
    enum format format = api_format(c);
    if (format == FORMAT_TABLE) {
        reply_table(c, t, p, from, to, token);
        return;
    }
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 30);
    bool is_partial = format == FORMAT_PARTIAL;
    buf_format(&out, "{\"kind\":\"%s%s\",\"apiVersion\":\"%s%s%s\",\"metadata\":{\"resourceVersion\":\"%llu\"",
               is_partial ? "PartialObjectMetadata" : t->type->kind, "List", is_partial ? "meta.k8s.io" : t->group,
               is_partial || *t->group != '\0' ? "/" : "", is_partial ? "v1" : t->version, (unsigned long long)p->rv);
    if (*token != '\0')
        buf_format(&out, ",\"continue\":\"%s\",\"remainingItemCount\":%zu", token, p->count - to);
    buf_append_text(&out, "},\"items\":[");
    for (size_t i = from; i < to; i++) {
        if (i > from)
            buf_append_char(&out, ',');
        append_item(&out, t, p->texts[i], format);
    }
    buf_append_text(&out, "]}\n");
    conn_reply(c, 200, "application/json", -1, out.data, out.size_bytes);
}

void read_list(struct conn *c, struct target *t) {
    struct srv *s = c->srv;
    char why[200], token[64] = "", labels[4096];
    long number = 0;
    size_t from = 0, limit = (size_t)strtoul(conn_argument(c, "limit"), NULL, 10);
    struct snapshot *p = NULL;
    snprintf(labels, sizeof labels, "%s", conn_argument(c, "labelSelector"));
    if (!selector_check_labels(labels, why)) {
        api_status(c, 400, "BadRequest", NULL, "%s", why);
        return;
    }
    const char *given = conn_argument(c, "continue");
    if (*given != '\0') {
        if (sscanf(given, "page-%ld-%zu", &number, &from) == 2)
            for (p = s->snapshots; p != NULL && p->number != number; p = p->next)
                ;
        if (p == NULL || from > p->count) {
            api_status(
                c, 410, "Expired", NULL,
                "The provided continue parameter is too old to display a consistent list result. You can start a "
                "new list without the continue parameter.");
            return;
        }
    } else {
        uint64_t version = strtoull(conn_argument(c, "resourceVersion"), NULL, 10);
        if (version > 0 && strcmp(conn_argument(c, "resourceVersionMatch"), "Exact") == 0 &&
            version < s->store.oldest_rv) {
            api_status(c, 410, "Expired", NULL, "The resourceVersion for the provided list is too old.");
            return;
        }
        p = take(c, t);
    }
    size_t to = limit > 0 && p->count - from > limit ? from + limit : p->count;
    if (to < p->count && *given == '\0')
        snapshot_keep(s, p);
    if (to < p->count)
        snprintf(token, sizeof token, "page-%ld-%zu", p->number, to);
    reply_list(c, t, p, from, to, token);
    if (p->number == 0)
        snapshot_free(p);
}

void read_get(struct conn *c, struct target *t) {
    struct object *o = kstore_find(&c->srv->store, t->type, t->ns, t->name);
    char title[200];
    if (o == NULL) {
        api_status(c, 404, "NotFound", t, "%s \"%s\" not found", resource_title(t->type, title), t->name);
        return;
    }
    CLEANUP_JSON json_t *object = kstore_json(o);
    api_reply_object(c, t, 200, object);
}
