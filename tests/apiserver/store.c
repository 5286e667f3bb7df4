#include "store.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

struct text *text_new(const char *data, size_t size_bytes) {
    struct text *t = mem_alloc(sizeof *t + size_bytes + 1);
    t->refs = 1;
    t->size_bytes = size_bytes;
    memcpy(t->data, data, size_bytes);
    return t;
}

struct text *text_ref(struct text *t) {
    if (t != NULL)
        t->refs++;
    return t;
}

void text_unref(struct text *t) {
    if (t != NULL && --t->refs == 0)
        free(t);
}

void kstore_init(struct store *s, size_t history_limit) {
    *s = (struct store){.rv = 100, .oldest_rv = 1, .history_limit = history_limit};
}

static void change_done(struct change *c) {
    free(c->ns);
    text_unref(c->now);
    text_unref(c->before);
}

static void object_free(struct object *o) {
    text_unref(o->text);
    free(o->ns);
    free(o->name);
    free(o);
}

void kstore_done(struct store *s) {
    for (size_t i = 0; i < s->count; i++)
        object_free(s->objects[i]);
    for (size_t i = 0; i < s->history_count; i++)
        change_done(&s->history[i]);
    free(s->objects);
    free(s->history);
}

static int compare(const struct object *o, const struct resource *type, const char *ns, const char *name) {
    if (o->type != type)
        return (uintptr_t)o->type < (uintptr_t)type ? -1 : 1;
    int order = strcmp(o->ns, ns);
    return order != 0 ? order : strcmp(o->name, name);
}

/* First index that does not come before the key. */
static size_t lower(const struct store *s, const struct resource *type, const char *ns, const char *name) {
    size_t from = 0, to = s->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (compare(s->objects[middle], type, ns, name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

struct object *kstore_find(const struct store *s, const struct resource *type, const char *ns, const char *name) {
    size_t i = lower(s, type, ns, name);
    return i < s->count && compare(s->objects[i], type, ns, name) == 0 ? s->objects[i] : NULL;
}

void kstore_range(const struct store *s, const struct resource *type, const char *ns, size_t *from, size_t *to) {
    *from = lower(s, type, ns, "");
    *to = *from;
    while (*to < s->count && s->objects[*to]->type == type && (*ns == '\0' || strcmp(s->objects[*to]->ns, ns) == 0))
        (*to)++;
}

static void record(struct store *s, enum change_kind kind, const struct object *o, struct text *now,
                   struct text *before) {
    if (s->history_count == s->history_limit) {
        size_t drop = s->history_limit / 4 + 1;
        if (drop > s->history_count)
            drop = s->history_count;
        s->oldest_rv = s->history[drop - 1].rv;
        for (size_t i = 0; i < drop; i++)
            change_done(&s->history[i]);
        s->history_count -= drop;
        memmove(s->history, s->history + drop, s->history_count * sizeof *s->history);
    }
    MEM_GROW(s->history, s->history_count, s->history_capacity);
    s->history[s->history_count++] = (struct change){.kind = kind,
                                                     .rv = s->rv,
                                                     .type = o->type,
                                                     .ns = mem_strdup(o->ns),
                                                     .now = text_ref(now),
                                                     .before = text_ref(before)};
    if (s->on_change != NULL) {
        struct change copy = s->history[s->history_count - 1];
        s->on_change(s->context, &copy);
    }
}

static struct text *render(struct store *s, json_t *object) {
    char rv[32];
    snprintf(rv, sizeof rv, "%llu", (unsigned long long)s->rv);
    jx_set_text(object, "metadata.resourceVersion", rv);
    CLEANUP_FREE char *text = jx_dump(object);
    return text_new(text, strlen(text));
}

/* object or, if that is NULL, text (owned). */
static struct object *put(struct store *s, struct resource *type, const char *ns, const char *name, json_t *object,
                          struct text *text) {
    size_t i = lower(s, type, ns, name);
    struct object *o = i < s->count && compare(s->objects[i], type, ns, name) == 0 ? s->objects[i] : NULL;
    enum change_kind kind = o == NULL ? CHANGE_ADDED : CHANGE_MODIFIED;
    if (o == NULL) {
        o = mem_new(struct object);
        o->type = type;
        o->ns = mem_strdup(ns);
        o->name = mem_strdup(name);
        MEM_GROW(s->objects, s->count, s->capacity);
        memmove(s->objects + i + 1, s->objects + i, (s->count - i) * sizeof *s->objects);
        s->objects[i] = o;
        s->count++;
    }
    struct text *before = o->text;
    s->rv++;
    o->rv = s->rv;
    o->text = object != NULL ? render(s, object) : text;
    record(s, kind, o, o->text, before);
    text_unref(before);
    return o;
}

struct object *kstore_put(struct store *s, struct resource *type, const char *ns, const char *name, json_t *object) {
    return put(s, type, ns, name, object, NULL);
}

void kstore_put_text(struct store *s, struct resource *type, const char *ns, const char *name, const char *text,
                     size_t size_bytes) {
    struct text *t = text_new(text, size_bytes);
    t->is_plain = true;
    put(s, type, ns, name, NULL, t);
}

void kstore_delete(struct store *s, struct object *o) {
    size_t i = lower(s, o->type, o->ns, o->name);
    CLEANUP_JSON json_t *object = kstore_json(o);
    s->rv++;
    struct text *last = render(s, object);
    last->is_plain = o->text->is_plain;
    memmove(s->objects + i, s->objects + i + 1, (s->count - i - 1) * sizeof *s->objects);
    s->count--;
    record(s, CHANGE_DELETED, o, last, o->text);
    text_unref(last);
    object_free(o);
}

void kstore_expire(struct store *s) {
    s->rv++;
    s->oldest_rv = s->rv;
    for (size_t i = 0; i < s->history_count; i++)
        change_done(&s->history[i]);
    s->history_count = 0;
}

void kstore_restore(struct store *s) {
    kstore_expire(s);
    s->rv = s->oldest_rv = 1;
    for (size_t i = 0; i < s->count; i++) {
        struct object *o = s->objects[i];
        CLEANUP_JSON json_t *object = kstore_json(o);
        o->rv = ++s->rv;
        text_unref(o->text);
        o->text = render(s, object);
    }
}

json_t *kstore_json(const struct object *o) {
    json_error_t error;
    json_t *value = json_loadb(o->text->data, o->text->size_bytes, 0, &error);
    if (value == NULL)
        abort();
    return value;
}
