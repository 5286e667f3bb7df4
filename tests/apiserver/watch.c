/* Watches: initial events, changes by selector (an object that leaves the selection is DELETED), bookmarks, time-outs,
 * and expired resourceVersions as a 200 with an ERROR event. */
#include "base/mem.h"
#include "selector.h"
#include "srv.h"

#include <stdio.h>
#include <string.h>

struct watch {
    struct conn *conn;
    struct target target;
    enum format format;
    char include[32];
    char *labels, *fields;
    bool has_bookmarks;
    uint64_t since; /* from the future after a restore: objects that are not newer are not sent, as by a real server */
    struct timer end, bookmark;
    struct watch *next, *previous;
};

static void watch_free(void *p) {
    struct watch *w = p;
    struct srv *s = w->conn->srv;
    timer_stop(&w->end);
    timer_stop(&w->bookmark);
    if (w->previous != NULL)
        w->previous->next = w->next;
    else
        s->watches = w->next;
    if (w->next != NULL)
        w->next->previous = w->previous;
    free(w->labels);
    free(w->fields);
    free(w);
}

static void send_object(struct watch *w, const char *type, json_t *object) {
    CLEANUP_FREE char *text = jx_dump(object);
    CLEANUP_FREE char *line = mem_format("{\"type\":\"%s\",\"object\":%s}\n", type, text);
    conn_event(w->conn, line, strlen(line));
}

static void send_text(struct watch *w, const char *type, const struct text *text) {
    const struct target *t = &w->target;
    if (w->format == FORMAT_JSON && convert_is_identity(t->type, t->group, t->version)) {
        CLEANUP_FREE char *line = mem_format("{\"type\":\"%s\",\"object\":%s}\n", type, text->data);
        conn_event(w->conn, line, strlen(line));
        return;
    }
    json_error_t error;
    CLEANUP_JSON json_t *object = json_loadb(text->data, text->size_bytes, 0, &error);
    convert_out(t->type, t->group, t->version, object);
    CLEANUP_JSON json_t *shown = NULL;
    if (w->format == FORMAT_TABLE) {
        shown = table_begin(t->type, t->version, jx_text(object, "metadata.resourceVersion"));
        table_row(shown, t->type, object, w->include, srv_now_us(w->conn->srv) / 1000);
    } else {
        shown = w->format == FORMAT_PARTIAL ? table_partial(object) : json_incref(object);
    }
    send_object(w, type, shown);
}

static bool is_selected(const struct watch *w, const struct text *text) {
    if (text == NULL)
        return false;
    if (*w->labels == '\0' && *w->fields == '\0')
        return true;
    if (text->is_plain && *w->fields == '\0' && strpbrk(w->labels, "=!,( ") == NULL) {
        char key[256];
        snprintf(key, sizeof key, "\"%.250s\":", w->labels);
        return strstr(text->data, key) != NULL;
    }
    json_error_t error;
    CLEANUP_JSON json_t *object = json_loadb(text->data, text->size_bytes, 0, &error);
    return selector_match_labels(w->labels, object) && selector_match_fields(w->fields, object);
}

static void deliver(struct watch *w, const struct change *change) {
    if (change->type != w->target.type || (*w->target.ns != '\0' && strcmp(change->ns, w->target.ns) != 0))
        return;
    bool was = is_selected(w, change->before), is = change->kind != CHANGE_DELETED && is_selected(w, change->now);
    if (change->kind == CHANGE_DELETED ? was : was && !is)
        send_text(w, "DELETED", change->now);
    else if (is)
        send_text(w, was ? "MODIFIED" : "ADDED", change->now);
}

void watch_change(void *srv, const struct change *change) {
    struct srv *s = srv;
    for (struct watch *w = s->watches; w != NULL; w = w->next)
        if (change->rv > w->since)
            deliver(w, change);
    if (s->print_table != NULL)
        print_change(s, change);
}

static void send_bookmark(struct watch *w, bool is_initial_end) {
    const struct target *t = &w->target;
    CLEANUP_JSON json_t *object = json_object();
    char number[32];
    bool is_table = w->format == FORMAT_TABLE;
    snprintf(number, sizeof number, "%llu", (unsigned long long)w->conn->srv->store.rv);
    if (is_table) {
        json_decref(object);
        object = table_begin(t->type, t->version, number);
    } else {
        CLEANUP_FREE char *api = mem_format("%s%s%s", t->group, *t->group != '\0' ? "/" : "", t->version);
        jx_set_text(object, "kind", t->type->kind);
        jx_set_text(object, "apiVersion", api);
        jx_set_text(object, "metadata.resourceVersion", number);
        jx_set(object, "metadata.creationTimestamp", json_null());
    }
    if (is_initial_end)
        json_object_set_new(jx_object(object, "metadata.annotations"), "k8s.io/initial-events-end",
                            json_string("true"));
    send_object(w, "BOOKMARK", object);
}

void watch_bookmark_all(struct srv *s) {
    for (struct watch *w = s->watches; w != NULL; w = w->next)
        if (w->has_bookmarks)
            send_bookmark(w, false);
}

static void send_error(struct watch *w, int code, const char *reason, const char *message) {
    CLEANUP_JSON json_t *status = api_make_status(code, reason, NULL, message);
    send_object(w, "ERROR", status);
    conn_end(w->conn);
}

void watch_error_all(struct srv *s, const char *plural, int code, const char *reason) {
    for (struct watch *w = s->watches; w != NULL; w = w->next)
        if (*plural == '\0' || strcmp(w->target.plural, plural) == 0)
            send_error(w, code, reason, code == 410 ? "too old resource version" : "error made by the scenario");
}

static void on_bookmark(void *context) {
    struct watch *w = context;
    send_bookmark(w, false);
    timer_start(w->conn->srv, &w->bookmark, w->conn->srv->bookmark_s, on_bookmark, w);
}

static void on_end(void *context) {
    struct watch *w = context;
    conn_end(w->conn);
}

static void send_initial(struct watch *w) {
    struct store *store = &w->conn->srv->store;
    size_t from, to;
    kstore_range(store, w->target.type, w->target.ns, &from, &to);
    for (size_t i = from; i < to; i++)
        if (is_selected(w, store->objects[i]->text))
            send_text(w, "ADDED", store->objects[i]->text);
}

static void send_history(struct watch *w, uint64_t since) {
    struct store *store = &w->conn->srv->store;
    for (size_t i = 0; i < store->history_count; i++)
        if (store->history[i].rv > since)
            deliver(w, &store->history[i]);
}

static struct watch *watch_new(struct conn *c, const struct target *t) {
    struct srv *s = c->srv;
    struct watch *w = mem_new(struct watch);
    w->conn = c;
    w->target = *t;
    w->format = api_format(c);
    snprintf(w->include, sizeof w->include, "%.31s", conn_argument(c, "includeObject"));
    w->labels = mem_strdup(conn_argument(c, "labelSelector"));
    w->fields = mem_strdup(conn_argument(c, "fieldSelector"));
    w->has_bookmarks = conn_flag(c, "allowWatchBookmarks");
    w->next = s->watches;
    if (w->next != NULL)
        w->next->previous = w;
    s->watches = w;
    c->stream = w;
    c->on_closed = watch_free;
    return w;
}

void watch_start(struct conn *c, struct target *t) {
    struct srv *s = c->srv;
    bool is_list = conn_flag(c, "sendInitialEvents");
    char given[64];
    snprintf(given, sizeof given, "%.63s", conn_argument(c, "resourceVersion"));
    uint64_t since = strtoull(given, NULL, 10);
    if (is_list && (!s->has_watch_list || strcmp(conn_argument(c, "resourceVersionMatch"), "NotOlderThan") != 0)) {
        api_status(
            c, 422, "Invalid", NULL,
            "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden "
            "for watch unless the WatchList feature gate is enabled");
        return;
    }
    struct watch *w = watch_new(c, t);
    conn_begin(c, 200, "application/json");
    if (c->is_ended)
        return; /* an ERROR event by the scenario */
    if (is_list) {
        send_initial(w);
        if (w->has_bookmarks)
            send_bookmark(w, true);
    } else if (since == 0) {
        send_initial(w);
    } else if (since < s->store.oldest_rv) {
        CLEANUP_FREE char *message =
            mem_format("too old resource version: %s (%llu)", given, (unsigned long long)s->store.oldest_rv);
        send_error(w, 410, "Expired", message);
        return;
    } else {
        send_history(w, since);
        w->since = since;
    }
    double timeout = strtod(conn_argument(c, "timeoutSeconds"), NULL);
    timer_start(s, &w->end, timeout > 0 ? timeout : 2400, on_end, w);
    if (w->has_bookmarks)
        timer_start(s, &w->bookmark, s->bookmark_s, on_bookmark, w);
}
