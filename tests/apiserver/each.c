/* each: many objects of one shape, one change for each, as text: what a JobSet of 12,736 pods looks like. Nothing is
 * parsed and the texts are not looked into, so the server does not slow a benchmark down; the output waits for the
 * readers. */
#include "base/mem.h"
#include "base/rfc3339.h"
#include "scenario.h"

#include <stdio.h>
#include <string.h>

enum { BATCH = 64, WAITING_MAX_BYTES = 4 << 20 };

struct each {
    struct srv *srv;
    struct resource *type;
    char ns[128], name[128];
    char *template_; /* NULL: delete them */
    int count, per, at;
    struct timer timer;
};

static struct each *under_way;

/* ${i}: number; ${group}, ${member}: i / per, i % per; ${now}: whole seconds; ${rv}: of this change. */
static void fill(const struct each *e, const char *text, struct buf *out) {
    char now[40];
    srv_now_text(e->srv, now, 0);
    for (const char *mark; (mark = strstr(text, "${")) != NULL;) {
        const char *end = strchr(mark, '}');
        buf_append(out, text, (size_t)(mark - text));
        struct slice field = {mark + 2, end != NULL ? (size_t)(end - mark - 2) : 0};
        if (slice_is(field, "i"))
            buf_format(out, "%d", e->at);
        else if (slice_is(field, "hex"))
            buf_format(out, "%08x", e->at);
        else if (slice_is(field, "group"))
            buf_format(out, "%d", e->at / e->per);
        else if (slice_is(field, "member"))
            buf_format(out, "%d", e->at % e->per);
        else if (slice_is(field, "now"))
            buf_append_text(out, now);
        else if (slice_is(field, "rv"))
            buf_format(out, "%llu", (unsigned long long)e->srv->store.rv + 1);
        else
            buf_append(out, mark, 2);
        text = end != NULL && field.size_bytes < 10 ? end + 1 : mark + 2;
    }
    buf_append_text(out, text);
}

static void change_one(struct each *e) {
    CLEANUP_BUF struct buf name, text;
    buf_init(&name, 1024);
    buf_init(&text, 1 << 20);
    fill(e, e->name, &name);
    if (e->template_ != NULL) {
        fill(e, e->template_, &text);
        kstore_put_text(&e->srv->store, e->type, e->ns, buf_text(&name), text.data, text.size_bytes);
        return;
    }
    struct object *o = kstore_find(&e->srv->store, e->type, e->ns, buf_text(&name));
    if (o != NULL)
        kstore_delete(&e->srv->store, o);
}

static size_t waiting_bytes(const struct srv *s) {
    size_t max_bytes = 0;
    for (const struct conn *c = s->conns; c != NULL; c = c->next)
        if (c->out.size_bytes - c->out_at > max_bytes)
            max_bytes = c->out.size_bytes - c->out_at;
    return max_bytes;
}

static void each_free(struct each *e) {
    timer_stop(&e->timer);
    free(e->template_);
    free(e);
    under_way = NULL;
}

static void go_on(void *context) {
    struct each *e = context;
    bool is_full = waiting_bytes(e->srv) > WAITING_MAX_BYTES;
    for (int i = 0; i < BATCH && e->at < e->count && !is_full; i++, e->at++)
        change_one(e);
    if (e->at == e->count)
        each_free(e);
    else
        timer_start(e->srv, &e->timer, is_full ? 0.001 : 0, go_on, e);
}

int each_start(struct srv *s, const char *kind, const char *key, int count, int per, const char *template_,
               char why[static 200]) {
    struct resource *type = registry_named(&s->registry, kind);
    const char *slash = strchr(key, '/');
    if (type == NULL || count < 1 || per < 1 || under_way != NULL) {
        snprintf(why, 200,
                 under_way != NULL ? "another \"each\" is under way" : "each KIND [NS/]NAME COUNT PER FILE|-");
        return -1;
    }
    struct each *e = under_way = mem_new(struct each);
    *e = (struct each){.srv = s, .type = type, .count = count, .per = per, .template_ = mem_strdup(template_)};
    snprintf(e->ns, sizeof e->ns, "%.*s", slash != NULL ? (int)(slash - key) : 0, key);
    snprintf(e->name, sizeof e->name, "%.127s", slash != NULL ? slash + 1 : key);
    go_on(e);
    return 0;
}

bool each_is_done(void) {
    return under_way == NULL;
}

void each_stop(void) {
    if (under_way != NULL)
        each_free(under_way);
}
