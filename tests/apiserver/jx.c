#include "jx.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

static json_t *step(const json_t *at, const char *key, size_t n) {
    char name[256];
    if (n >= sizeof name)
        return NULL;
    memcpy(name, key, n);
    name[n] = '\0';
    if (json_is_array(at))
        return json_array_get(at, (size_t)strtoul(name, NULL, 10));
    return json_object_get(at, name);
}

json_t *jx_get(const json_t *root, const char *path) {
    const json_t *at = root;
    while (at != NULL && *path != '\0') {
        size_t n = strcspn(path, ".");
        at = step(at, path, n);
        path += n + (path[n] == '.');
    }
    return (json_t *)at;
}

const char *jx_text(const json_t *root, const char *path) {
    const char *s = json_string_value(jx_get(root, path));
    return s != NULL ? s : "";
}

int64_t jx_int(const json_t *root, const char *path) {
    return (int64_t)json_integer_value(jx_get(root, path));
}

bool jx_true(const json_t *root, const char *path) {
    return json_is_true(jx_get(root, path));
}

void jx_set(json_t *root, const char *path, json_t *steal) {
    char name[256];
    json_t *at = root;
    for (;;) {
        size_t n = strcspn(path, ".");
        if (n >= sizeof name) {
            json_decref(steal);
            return;
        }
        memcpy(name, path, n);
        name[n] = '\0';
        if (path[n] == '\0')
            break;
        json_t *next =
            json_is_array(at) ? json_array_get(at, (size_t)strtoul(name, NULL, 10)) : json_object_get(at, name);
        if (!json_is_object(next) && !json_is_array(next)) {
            next = json_object();
            json_object_set_new(at, name, next);
        }
        at = next;
        path += n + 1;
    }
    if (steal == NULL)
        json_object_del(at, name);
    else
        json_object_set_new(at, name, steal);
}

void jx_set_text(json_t *root, const char *path, const char *value) {
    jx_set(root, path, json_string(value));
}

json_t *jx_object(json_t *root, const char *path) {
    json_t *found = jx_get(root, path);
    if (!json_is_object(found)) {
        jx_set(root, path, json_object());
        found = jx_get(root, path);
    }
    return found;
}

json_t *jx_array(json_t *root, const char *path) {
    json_t *found = jx_get(root, path);
    if (!json_is_array(found)) {
        jx_set(root, path, json_array());
        found = jx_get(root, path);
    }
    return found;
}

char *jx_dump(const json_t *value) {
    char *s = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    if (s == NULL)
        abort();
    return s;
}

json_t *jx_format(const char *format, ...) {
    va_list args;
    va_start(args, format);
    CLEANUP_FREE char *s = mem_vformat(format, args);
    va_end(args);
    json_error_t error;
    json_t *value = json_loads(s, JSON_DECODE_ANY, &error);
    if (value == NULL) {
        fprintf(stderr, "jx_format: %s in %s\n", error.text, s);
        abort();
    }
    return value;
}

json_t *jx_find(const json_t *array, const char *key, const char *value) {
    size_t i;
    json_t *item;
    json_array_foreach(array, i, item) {
        const char *s = json_string_value(json_object_get(item, key));
        if (s != NULL && strcmp(s, value) == 0)
            return item;
    }
    return NULL;
}

const char *jx_list_key(const char *name) {
    static const struct {
        const char *field, *key;
    } keys[] = {
        {"conditions", "type"},
        {"containers", "name"},
        {"initContainers", "name"},
        {"volumes", "name"},
        {"env", "name"},
        {"ports", "containerPort"},
        {"ownerReferences", "uid"},
        {"replicatedJobs", "name"},
        {"volumeMounts", "mountPath"},
        {"containerStatuses", "name"},
        {"podSets", "name"},
        {"admissionChecks", "name"},
        {"addresses", "type"},
        {"imagePullSecrets", "name"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (strcmp(name, keys[i].field) == 0)
            return keys[i].key;
    return NULL;
}

static void merge(json_t *target, const json_t *patch, bool strategic);

static void merge_list(json_t *target, const json_t *patch, const char *key) {
    size_t i;
    json_t *item;
    json_array_foreach(patch, i, item) {
        json_t *id = json_object_get(item, key), *mine;
        bool is_delete = strcmp(jx_text(item, "$patch"), "delete") == 0, found = false;
        size_t j;
        json_array_foreach(target, j, mine) {
            if (id == NULL || !json_equal(json_object_get(mine, key), id))
                continue;
            found = true;
            if (is_delete)
                json_array_remove(target, j);
            else
                merge(mine, item, true);
            break;
        }
        if (!found && !is_delete)
            json_array_append_new(target, json_deep_copy(item));
    }
}

static void merge(json_t *target, const json_t *patch, bool strategic) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)patch, key, value) {
        json_t *mine = json_object_get(target, key);
        const char *list_key = strategic ? jx_list_key(key) : NULL;
        if (strategic && (strcmp(key, "$setElementOrder") == 0 || key[0] == '$'))
            continue;
        if (json_is_null(value)) {
            json_object_del(target, key);
        } else if (json_is_object(value)) {
            if (!json_is_object(mine)) {
                mine = json_object();
                json_object_set_new(target, key, mine);
            }
            merge(mine, value, strategic);
        } else if (json_is_array(value) && list_key != NULL && json_is_array(mine)) {
            merge_list(mine, value, list_key);
        } else {
            json_object_set_new(target, key, json_deep_copy(value));
        }
    }
}

void jx_merge_patch(json_t *target, const json_t *patch) {
    merge(target, patch, false);
}

void jx_strategic_patch(json_t *target, const json_t *patch) {
    merge(target, patch, true);
}

/* Splits a JSON pointer at its last token, unescaped into last[]; returns the container (borrowed) or NULL. */
static json_t *pointer_parent(json_t *root, const char *pointer, char last[static 256]) {
    json_t *at = root;
    if (*pointer != '/')
        return NULL;
    for (;;) {
        pointer++;
        size_t n = 0;
        while (*pointer != '\0' && *pointer != '/' && n < 255) {
            char c = *pointer++;
            if (c == '~' && (*pointer == '0' || *pointer == '1'))
                c = *pointer++ == '0' ? '~' : '/';
            last[n++] = c;
        }
        last[n] = '\0';
        if (*pointer == '\0')
            return at;
        at = json_is_array(at) ? json_array_get(at, (size_t)strtoul(last, NULL, 10)) : json_object_get(at, last);
        if (at == NULL)
            return NULL;
    }
}

static const char *json_patch_one(json_t *root, const json_t *op) {
    char last[256];
    const char *verb = jx_text(op, "op");
    json_t *parent = pointer_parent(root, jx_text(op, "path"), last), *value = json_object_get(op, "value");
    if (parent == NULL)
        return "the path of an operation does not exist";
    size_t index = strcmp(last, "-") == 0 ? json_array_size(parent) : (size_t)strtoul(last, NULL, 10);
    json_t *old = json_is_array(parent) ? json_array_get(parent, index) : json_object_get(parent, last);
    if (strcmp(verb, "test") == 0)
        return old != NULL && value != NULL && json_equal(old, value) ? NULL : "a test operation failed";
    if (strcmp(verb, "add") != 0 && old == NULL)
        return "the path of an operation does not exist";
    if (strcmp(verb, "remove") == 0) {
        if (json_is_array(parent))
            json_array_remove(parent, index);
        else
            json_object_del(parent, last);
        return NULL;
    }
    if ((strcmp(verb, "add") != 0 && strcmp(verb, "replace") != 0) || value == NULL)
        return "an operation is not supported";
    if (!json_is_array(parent))
        json_object_set_new(parent, last, json_deep_copy(value));
    else if (*verb == 'a')
        json_array_insert_new(parent, index, json_deep_copy(value));
    else
        json_array_set_new(parent, index, json_deep_copy(value));
    return NULL;
}

json_t *jx_json_patch(const json_t *target, const json_t *patch, const char **why) {
    json_t *result = json_deep_copy(target);
    size_t i;
    json_t *op;
    json_array_foreach(patch, i, op) {
        *why = json_patch_one(result, op);
        if (*why != NULL) {
            json_decref(result);
            return NULL;
        }
    }
    return result;
}

/* [0], [*] (the first), ['x'] or [?(@.a=="b")] at *path; advances past it. */
static json_t *path_bracket(const json_t *at, const char **path) {
    const char *p = *path + 1, *end = strchr(p, ']');
    if (end == NULL)
        return NULL;
    char key[128], value[128];
    json_t *found = NULL;
    if (sscanf(p, "?(@.%127[^=]==%*[\"']%127[^\"'])", key, value) == 2) {
        char *space = strchr(key, ' ');
        if (space != NULL)
            *space = '\0';
        found = jx_find(at, key, value);
    } else if (*p == '\'' || *p == '"') {
        found = step(at, p + 1, (size_t)(end - p) - 2);
    } else {
        found = json_array_get(at, *p == '*' ? 0 : (size_t)strtoul(p, NULL, 10));
    }
    *path = end + 1;
    return found;
}

json_t *jx_path(const json_t *root, const char *path) {
    const json_t *at = root;
    while (at != NULL && *path != '\0') {
        if (*path == '[') {
            at = path_bracket(at, &path);
            continue;
        }
        if (*path == '.')
            path++;
        char name[256];
        size_t n = 0;
        while (*path != '\0' && *path != '.' && *path != '[' && n < sizeof name - 1) {
            if (*path == '\\')
                path++;
            name[n++] = *path++;
        }
        name[n] = '\0';
        if (n > 0)
            at = json_object_get(at, name);
    }
    return (json_t *)at;
}
