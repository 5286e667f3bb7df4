#include "managed.h"

#include "base/mem.h"
#include "schema.h"

#include <stdio.h>
#include <string.h>

/* ---- field sets: trees as FieldsV1 writes them; {} is an owned leaf ---- */

static char *item_key(const json_t *item, const char *const *keys) {
    CLEANUP_JSON json_t *id = json_object();
    for (int i = 0; keys[i] != NULL; i++) {
        json_t *value = json_object_get(item, keys[i]);
        if (value != NULL)
            json_object_set(id, keys[i], value);
    }
    CLEANUP_FREE char *text = jx_dump(id);
    return mem_format("k:%s", text);
}

static bool is_atomic_map(const json_t *schema) {
    return strcmp(jx_text(schema, "x-kubernetes-map-type"), "atomic") == 0;
}

static const json_t *find_item(const json_t *list, const char *id, const char *const *keys) {
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item) {
        CLEANUP_FREE char *other = item_key(item, keys);
        if (strcmp(other, id) == 0)
            return item;
    }
    return NULL;
}

static bool has_value(const json_t *list, const json_t *value) {
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item) if (json_equal(item, value)) return true;
    return false;
}

static bool is_system_field(const char *path, const char *key) {
    static const char *const root[] = {"apiVersion", "kind"};
    static const char *const metadata[] = {
        "name",     "namespace",         "uid",           "resourceVersion", "generation",
        "selfLink", "creationTimestamp", "managedFields", "generateName"};
    if (*path == '\0')
        for (size_t i = 0; i < ARRAY_SIZE(root); i++)
            if (strcmp(key, root[i]) == 0)
                return true;
    if (strcmp(path, "metadata") == 0)
        for (size_t i = 0; i < ARRAY_SIZE(metadata); i++)
            if (strcmp(key, metadata[i]) == 0)
                return true;
    return false;
}

/* The set of fields in which `after` differs from or goes beyond `before` (NULL: everything); NULL if none. */
static json_t *changed(const json_t *schema, const char *name, const json_t *before, const json_t *after);

static json_t *changed_object(const json_t *schema, const char *name, const json_t *before, const json_t *after) {
    json_t *set = json_object(), *member;
    const char *key;
    json_object_foreach((json_t *)after, key, member) {
        if (is_system_field(name, key))
            continue;
        json_t *part = changed(*name == '\0' && strcmp(key, "metadata") == 0 ? NULL : schema_member(schema, key), key,
                               json_object_get(before, key), member);
        if (part != NULL) {
            CLEANUP_FREE char *id = mem_format("f:%s", key);
            json_object_set_new(set, id, part);
        }
    }
    if (json_object_size(set) == 0 && (before != NULL || *name == '\0' || strcmp(name, "metadata") == 0)) {
        json_decref(set);
        return NULL;
    }
    return set;
}

static json_t *changed_list(const json_t *schema, const char *name, const json_t *before, const json_t *after) {
    const char *keys[5];
    enum list_type type = schema_list_type(schema, name, keys);
    if (type == LIST_ATOMIC)
        return before != NULL && json_equal(before, after) ? NULL : json_object();
    json_t *set = json_object(), *item;
    size_t i;
    json_array_foreach((json_t *)after, i, item) {
        if (type == LIST_SET) {
            CLEANUP_FREE char *text = jx_dump(item);
            CLEANUP_FREE char *id = mem_format("v:%s", text);
            if (!has_value(before, item))
                json_object_set_new(set, id, json_object());
            continue;
        }
        CLEANUP_FREE char *id = item_key(item, keys);
        const json_t *old = find_item(before, id, keys);
        json_t *part = changed(json_object_get(schema, "items"), "", old, item);
        if (part != NULL && old == NULL)
            json_object_set_new(part, ".", json_object());
        if (part != NULL)
            json_object_set_new(set, id, part);
    }
    if (json_object_size(set) == 0 && before != NULL) {
        json_decref(set);
        return NULL;
    }
    return set;
}

static json_t *changed(const json_t *schema, const char *name, const json_t *before, const json_t *after) {
    if (before != NULL && json_equal(before, after))
        return NULL;
    if (json_is_object(after) && (before == NULL || json_is_object(before)) && !is_atomic_map(schema))
        return changed_object(schema, name, before, after);
    if (json_is_array(after) && (before == NULL || json_is_array(before)))
        return changed_list(schema, name, before, after);
    return json_object();
}

static void set_union(json_t *a, const json_t *b) {
    const char *key;
    json_t *part;
    json_object_foreach((json_t *)b, key, part) {
        json_t *mine = json_object_get(a, key);
        if (mine == NULL)
            json_object_set_new(a, key, json_deep_copy(part));
        else
            set_union(mine, part);
    }
}

/* has_parents: b's inner members count as its own, so that an empty list (a leaf) goes when b names items of it. */
static void set_subtract(json_t *a, const json_t *b, bool has_parents) {
    const char *key;
    json_t *part;
    json_object_foreach((json_t *)b, key, part) {
        json_t *mine = json_object_get(a, key);
        if (mine == NULL)
            continue;
        bool was_leaf = json_object_size(mine) == 0;
        if (!was_leaf)
            set_subtract(mine, part, has_parents);
        if (json_object_size(mine) == 0 && (!was_leaf || has_parents || json_object_size(part) == 0))
            json_object_del(a, key);
    }
}

/* Drops from the set what the object does not have any more. */
static void set_prune(json_t *set, const json_t *schema, const char *name, const json_t *value) {
    const char *key;
    json_t *part, *item;
    void *next;
    const char *keys[5];
    if (json_is_array(value))
        schema_list_type(schema, name, keys);
    json_object_foreach_safe(set, next, key, part) {
        bool was_leaf = json_object_size(part) == 0, found = strcmp(key, ".") == 0;
        if (strncmp(key, "f:", 2) == 0) {
            item = json_object_get(value, key + 2);
            found = item != NULL;
            bool is_meta = *name == '\0' && strcmp(key, "f:metadata") == 0;
            if (found)
                set_prune(part, is_meta ? NULL : schema_member(schema, key + 2), key + 2, item);
        } else if (strncmp(key, "k:", 2) == 0 && json_is_array(value)) {
            item = (json_t *)find_item(value, key, keys);
            found = item != NULL;
            if (found)
                set_prune(part, json_object_get(schema, "items"), "", item);
        } else if (strncmp(key, "v:", 2) == 0) {
            CLEANUP_JSON json_t *want = json_loads(key + 2, JSON_DECODE_ANY, NULL);
            found = want != NULL && has_value(value, want);
        }
        if (!found || (!was_leaf && json_object_size(part) == 0))
            json_object_del(set, key);
    }
}

/* Paths of the leaves that are in both sets, as conflicts with `who`. */
static void set_conflicts(const json_t *a, const json_t *b, const char *path, const char *who, json_t *causes) {
    const char *key;
    json_t *mine, *theirs;
    json_object_foreach((json_t *)a, key, mine) {
        theirs = json_object_get(b, key);
        if (theirs == NULL || strcmp(key, ".") == 0)
            continue;
        CLEANUP_FREE char *at = *key == 'f' ? mem_format("%s.%s", path, key + 2) : mem_format("%s[%s]", path, key + 2);
        if (json_object_size(mine) > 0 && json_object_size(theirs) > 0) {
            set_conflicts(mine, theirs, at, who, causes);
        } else if (json_object_size(mine) == 0) {
            json_t *cause = json_object();
            json_object_set_new(cause, "reason", json_string("FieldManagerConflict"));
            json_object_set_new(cause, "message", json_string(who));
            json_object_set_new(cause, "field", json_string(at));
            json_array_append_new(causes, cause);
        }
    }
}

/* ---- managedFields entries ---- */

static bool is_entry_of(const json_t *entry, const struct manager *m, const char *operation) {
    return strcmp(jx_text(entry, "manager"), m->name) == 0 && strcmp(jx_text(entry, "operation"), operation) == 0 &&
           strcmp(jx_text(entry, "subresource"), m->subresource) == 0;
}

static json_t *entry_of(const json_t *list, const struct manager *m, const char *operation) {
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry) if (is_entry_of(entry, m, operation)) return entry;
    return NULL;
}

static void own(json_t *list, const struct manager *m, const char *operation, const json_t *set, bool is_replaced) {
    json_t *entry = entry_of(list, m, operation);
    if (entry == NULL) {
        entry = json_object();
        json_object_set_new(entry, "manager", json_string(m->name));
        json_object_set_new(entry, "operation", json_string(operation));
        json_object_set_new(entry, "apiVersion", json_string(m->api_version));
        json_object_set_new(entry, "time", json_string(m->now));
        json_object_set_new(entry, "fieldsType", json_string("FieldsV1"));
        json_object_set_new(entry, "fieldsV1", json_object());
        if (*m->subresource != '\0')
            json_object_set_new(entry, "subresource", json_string(m->subresource));
        json_array_append_new(list, entry);
    }
    json_t *fields = json_object_get(entry, "fieldsV1");
    CLEANUP_JSON json_t *old = json_deep_copy(fields);
    if (is_replaced)
        json_object_clear(fields);
    set_union(fields, set);
    if (!json_equal(old, fields) || !is_replaced)
        json_object_set_new(entry, "time", json_string(m->now));
}

/* Takes `set` away from all entries but the one named, drops what no longer exists and entries left empty. */
static void settle(json_t *list, const json_t *schema, const json_t *object, const json_t *set, const json_t *but) {
    for (size_t i = json_array_size(list); i-- > 0;) {
        json_t *entry = json_array_get(list, i), *fields = json_object_get(entry, "fieldsV1");
        if (entry != but && set != NULL)
            set_subtract(fields, set, false);
        set_prune(fields, schema, "", object);
        if (json_object_size(fields) == 0)
            json_array_remove(list, i);
    }
}

static json_t *without_managed(const json_t *object) {
    json_t *copy = json_deep_copy(object);
    json_object_del(json_object_get(copy, "metadata"), "managedFields");
    return copy;
}

void managed_update(const json_t *schema, const json_t *before, json_t *after, const struct manager *manager) {
    json_t *list = json_deep_copy(jx_get(before, "metadata.managedFields"));
    if (list == NULL)
        list = json_array();
    CLEANUP_JSON json_t *set = changed(schema, "", before, after);
    if (set != NULL)
        own(list, manager, "Update", set, false);
    settle(list, schema, after, set, entry_of(list, manager, "Update"));
    if (json_array_size(list) > 0)
        jx_set(after, "metadata.managedFields", list);
    else
        json_decref(list);
}

/* ---- apply ---- */

static void merge(const json_t *schema, const char *name, json_t *live, const json_t *config);

static void merge_list(const json_t *schema, const char *name, json_t *live, const json_t *config) {
    const char *keys[5];
    enum list_type type = schema_list_type(schema, name, keys);
    size_t i;
    json_t *item;
    if (type == LIST_ATOMIC)
        json_array_clear(live);
    json_array_foreach((json_t *)config, i, item) {
        CLEANUP_FREE char *id = type == LIST_MAP ? item_key(item, keys) : NULL;
        json_t *mine = type == LIST_MAP ? (json_t *)find_item(live, id, keys) : NULL;
        if (mine != NULL)
            merge(json_object_get(schema, "items"), "", mine, item);
        else if (type != LIST_SET || !has_value(live, item))
            json_array_append_new(live, json_deep_copy(item));
    }
}

static void merge(const json_t *schema, const char *name, json_t *live, const json_t *config) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)config, key, value) {
        json_t *mine = json_object_get(live, key);
        const json_t *sub = *name == '\0' && strcmp(key, "metadata") == 0 ? NULL : schema_member(schema, key);
        if (is_system_field(name, key) && mine != NULL)
            continue;
        if (json_is_null(value))
            json_object_del(live, key);
        else if (json_is_object(value) && json_is_object(mine) && !is_atomic_map(sub))
            merge(sub, key, mine, value);
        else if (json_is_array(value) && json_is_array(mine))
            merge_list(sub, key, mine, value);
        else
            json_object_set_new(live, key, json_deep_copy(value));
    }
}

/* Removes the leaves of `set` from value. */
static void remove_fields(const json_t *set, const json_t *schema, const char *name, json_t *value) {
    const char *key;
    json_t *part;
    const char *keys[5] = {NULL};
    if (json_is_array(value))
        schema_list_type(schema, name, keys);
    json_object_foreach((json_t *)set, key, part) {
        if (strncmp(key, "f:", 2) == 0) {
            json_t *member = json_object_get(value, key + 2);
            bool is_leaf = json_object_size(part) == 0;
            if (!is_leaf && member != NULL)
                remove_fields(part, schema_member(schema, key + 2), key + 2, member);
            if (is_leaf || (json_is_object(member) && json_object_size(member) == 0))
                json_object_del(value, key + 2);
            continue;
        }
        for (size_t i = json_array_size(value); i-- > 0;) {
            json_t *item = json_array_get(value, i);
            CLEANUP_FREE char *id = *key == 'k' ? item_key(item, keys) : NULL;
            CLEANUP_FREE char *text = *key == 'v' ? jx_dump(item) : NULL;
            bool is_it = id != NULL ? strcmp(id, key) == 0 : text != NULL && strcmp(text, key + 2) == 0;
            if (is_it && (*key == 'v' || json_object_get(part, ".") != NULL))
                json_array_remove(value, i);
            else if (is_it)
                remove_fields(part, json_object_get(schema, "items"), "", item);
        }
    }
}

static void find_conflicts(const json_t *list, const struct manager *m, const json_t *set, json_t *causes) {
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry) {
        if (is_entry_of(entry, m, "Apply"))
            continue;
        CLEANUP_FREE char *who =
            mem_format("conflict with \"%s\" using %s", jx_text(entry, "manager"), jx_text(entry, "apiVersion"));
        set_conflicts(set, json_object_get(entry, "fieldsV1"), "", who, causes);
    }
}

json_t *managed_apply(const json_t *schema, const json_t *live, const json_t *config, const struct manager *manager,
                      bool is_forced, json_t **conflicts) {
    json_t *result = live != NULL ? without_managed(live) : json_object();
    CLEANUP_JSON json_t *base = json_deep_copy(result);
    CLEANUP_JSON json_t *mine = changed(schema, "", NULL, config); /* all that the config names */
    json_t *list = json_deep_copy(jx_get(live, "metadata.managedFields"));
    if (list == NULL)
        list = json_array();
    merge(schema, "", result, config);
    CLEANUP_JSON json_t *set = live != NULL ? changed(schema, "", base, result) : NULL;
    CLEANUP_JSON json_t *causes = json_array();
    find_conflicts(list, manager, set, causes);
    if (json_array_size(causes) > 0 && !is_forced) {
        *conflicts = json_incref(causes);
        json_decref(list);
        json_decref(result);
        return NULL;
    }
    json_t *entry = entry_of(list, manager, "Apply");
    CLEANUP_JSON json_t *dropped = entry != NULL ? json_deep_copy(json_object_get(entry, "fieldsV1")) : json_object();
    if (mine != NULL)
        set_subtract(dropped, mine, true);
    size_t i;
    json_t *other;
    json_array_foreach(list, i, other) if (other != entry)
        set_subtract(dropped, json_object_get(other, "fieldsV1"), true);
    remove_fields(dropped, schema, "", result);
    if (mine != NULL)
        own(list, manager, "Apply", mine, true);
    settle(list, schema, result, set, entry_of(list, manager, "Apply"));
    jx_set(result, "metadata.managedFields", list);
    return result;
}
