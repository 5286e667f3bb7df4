/* store: the objects, one resourceVersion counter over all of them, and a bounded history for watches. Objects are
 * kept as JSON text in their storage version (12,736 pods as trees would be 1.5 GB); texts are shared and counted.
 * Knows nothing of HTTP, validation or managedFields. */
#ifndef TESTS_APISERVER_STORE_H
#define TESTS_APISERVER_STORE_H

#include "resource.h"

struct text {
    int refs;
    bool is_plain; /* by kstore_put_text: its labels are looked for as text */
    size_t size_bytes;
    char data[]; /* NUL-terminated */
};
struct text *text_new(const char *data, size_t size_bytes);
struct text *text_ref(struct text *t);
void text_unref(struct text *t); /* NULL is fine */

struct object {
    struct resource *type;
    char *ns, *name; /* ns is "" for cluster-scoped kinds */
    uint64_t rv;
    struct text *text;
};

enum change_kind { CHANGE_ADDED, CHANGE_MODIFIED, CHANGE_DELETED };

struct change {
    enum change_kind kind;
    uint64_t rv;
    struct resource *type;
    char *ns;
    struct text *now, *before; /* DELETED: now is the last state with the deletion's resourceVersion */
};

struct store {
    struct object **objects; /* sorted by type, namespace, name */
    size_t count, capacity;
    struct change *history; /* oldest first */
    size_t history_count, history_capacity, history_limit;
    uint64_t rv, oldest_rv; /* a watch from before oldest_rv is expired */
    void (*on_change)(void *context, const struct change *change);
    void *context;
};

void kstore_init(struct store *s, size_t history_limit);
void kstore_done(struct store *s);
struct object *kstore_find(const struct store *s, const struct resource *type, const char *ns, const char *name);
/* Range [*from, *to) of a type's objects, of one namespace if ns is not empty. */
void kstore_range(const struct store *s, const struct resource *type, const char *ns, size_t *from, size_t *to);
/* Creates or replaces; sets metadata.resourceVersion in `object` (borrowed) and calls on_change. */
struct object *kstore_put(struct store *s, struct resource *type, const char *ns, const char *name, json_t *object);
/* The same with a finished text, which holds the resourceVersion rv + 1; nothing is parsed. */
void kstore_put_text(struct store *s, struct resource *type, const char *ns, const char *name, const char *text,
                     size_t size_bytes);
void kstore_delete(struct store *s, struct object *o);
/* Forgets the history: every older resourceVersion is expired from now on. */
void kstore_expire(struct store *s);
/* etcd restored from a backup: the objects as they are, all version numbers restart below those that were given out. */
void kstore_restore(struct store *s);
json_t *kstore_json(const struct object *o); /* parsed, new reference */

#endif
