#include "schema.h"

#include "base/mem.h"

#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const json_t *schema_member(const json_t *schema, const char *key) {
    const json_t *found = json_object_get(json_object_get(schema, "properties"), key);
    if (found == NULL) {
        found = json_object_get(schema, "additionalProperties");
        if (!json_is_object(found))
            found = NULL;
    }
    return found;
}

static void prune(const json_t *schema, json_t *value, const char *path, json_t *unknown) {
    if (schema == NULL || jx_true(schema, "x-kubernetes-preserve-unknown-fields"))
        return;
    if (json_is_array(value)) {
        size_t i;
        json_t *item;
        json_array_foreach(value, i, item) {
            CLEANUP_FREE char *at = mem_format("%s[%zu]", path, i);
            prune(json_object_get(schema, "items"), item, at, unknown);
        }
        return;
    }
    const json_t *properties = json_object_get(schema, "properties");
    bool is_open = json_object_get(schema, "additionalProperties") != NULL;
    if (!json_is_object(value) || (properties == NULL && !is_open))
        return;
    const char *key;
    json_t *member;
    void *next;
    json_object_foreach_safe(value, next, key, member) {
        bool is_root = *path == '\0';
        if (is_root && (strcmp(key, "metadata") == 0 || strcmp(key, "kind") == 0 || strcmp(key, "apiVersion") == 0))
            continue;
        CLEANUP_FREE char *at = mem_format("%s%s%s", path, is_root ? "" : ".", key);
        if (json_object_get(properties, key) == NULL && !is_open) {
            json_array_append_new(unknown, json_string(at));
            json_object_del(value, key);
        } else {
            prune(schema_member(schema, key), member, at, unknown);
        }
    }
}

void schema_prune(const json_t *schema, json_t *value, json_t *unknown) {
    prune(schema, value, "", unknown);
}

void schema_default(const json_t *schema, json_t *value) {
    if (schema == NULL)
        return;
    if (json_is_array(value)) {
        size_t i;
        json_t *item;
        json_array_foreach(value, i, item) schema_default(json_object_get(schema, "items"), item);
        return;
    }
    if (!json_is_object(value))
        return;
    const char *key;
    json_t *member;
    json_object_foreach(json_object_get(schema, "properties"), key, member) {
        json_t *mine = json_object_get(value, key), *preset = json_object_get(member, "default");
        if (mine == NULL && preset != NULL) {
            json_object_set_new(value, key, json_deep_copy(preset));
            mine = json_object_get(value, key);
        }
        schema_default(member, mine);
    }
}

static void fault(json_t *causes, const char *path, const char *reason, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void fault(json_t *causes, const char *path, const char *reason, const char *format, ...) {
    va_list args;
    va_start(args, format);
    CLEANUP_FREE char *text = mem_vformat(format, args);
    va_end(args);
    json_t *cause = json_object();
    json_object_set_new(cause, "reason", json_string(reason));
    json_object_set_new(cause, "message", json_string(text));
    json_object_set_new(cause, "field", json_string(path));
    json_array_append_new(causes, cause);
}

static const char *type_name(const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "object";
    case JSON_ARRAY:
        return "array";
    case JSON_STRING:
        return "string";
    case JSON_INTEGER:
        return "integer";
    case JSON_REAL:
        return "number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "boolean";
    default:
        return "null";
    }
}

static bool type_fits(const json_t *schema, const json_t *value) {
    const char *want = jx_text(schema, "type");
    if (*want == '\0' || strcmp(want, type_name(value)) == 0)
        return true;
    if (jx_true(schema, "x-kubernetes-int-or-string"))
        return json_is_integer(value) || json_is_string(value);
    if (json_is_null(value))
        return jx_true(schema, "nullable");
    return strcmp(want, "number") == 0 && json_is_integer(value);
}

static bool bound(const json_t *schema, const char *key, json_int_t *limit) {
    const json_t *v = json_object_get(schema, key);
    *limit = json_integer_value(v);
    return json_is_integer(v);
}

static void validate_string(const json_t *schema, const char *s, const char *path, json_t *causes) {
    json_int_t limit, length = 0;
    for (const char *p = s; *p != '\0'; p++)
        length += (*p & 0xC0) != 0x80;
    if (bound(schema, "maxLength", &limit) && length > limit)
        fault(causes, path, "FieldValueTooLong", "Too long: may not be more than %lld bytes", (long long)limit);
    if (bound(schema, "minLength", &limit) && length < limit)
        fault(causes, path, "FieldValueInvalid", "Invalid value: \"%s\": %s in body should be at least %lld chars long",
              s, path, (long long)limit);
    const char *pattern = json_string_value(json_object_get(schema, "pattern"));
    regex_t compiled;
    if (pattern != NULL && strstr(pattern, "(?") == NULL && strchr(pattern, '\\') == NULL &&
        regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) == 0) {
        if (regexec(&compiled, s, 0, NULL, 0) != 0)
            fault(causes, path, "FieldValueInvalid", "Invalid value: \"%s\": %s in body should match '%s'", s, path,
                  pattern);
        regfree(&compiled);
    }
}

static void validate_enum(const json_t *schema, const json_t *value, const char *path, json_t *causes) {
    const json_t *allowed = json_object_get(schema, "enum"), *item;
    size_t i;
    if (allowed == NULL)
        return;
    CLEANUP_FREE char *list = mem_strdup("");
    json_array_foreach(allowed, i, item) {
        if (json_equal(item, value))
            return;
        CLEANUP_FREE char *text = jx_dump(item);
        char *longer = mem_format("%s%s%s", list, i > 0 ? ", " : "", text);
        free(list);
        list = longer;
    }
    CLEANUP_FREE char *is = jx_dump(value);
    fault(causes, path, "FieldValueNotSupported", "Unsupported value: %s: supported values: %s", is, list);
}

static void validate(const json_t *schema, const json_t *value, const char *path, json_t *causes);

static void validate_object(const json_t *schema, const json_t *value, const char *path, json_t *causes) {
    size_t i;
    const json_t *item;
    json_t *member;
    const char *key;
    json_array_foreach(json_object_get(schema, "required"), i, item) {
        CLEANUP_FREE char *at = mem_format("%s%s%s", path, *path ? "." : "", json_string_value(item));
        if (json_object_get(value, json_string_value(item)) == NULL)
            fault(causes, at, "FieldValueRequired", "Required value");
    }
    json_object_foreach((json_t *)value, key, member) {
        if (*path == '\0' && strcmp(key, "metadata") == 0)
            continue;
        CLEANUP_FREE char *at = mem_format("%s%s%s", path, *path ? "." : "", key);
        validate(schema_member(schema, key), member, at, causes);
    }
}

static void validate_array(const json_t *schema, const json_t *value, const char *path, json_t *causes) {
    json_int_t limit, size = (json_int_t)json_array_size(value);
    size_t i;
    json_t *item;
    if (bound(schema, "maxItems", &limit) && size > limit)
        fault(causes, path, "FieldValueTooMany", "Too many: %lld: must have at most %lld items", (long long)size,
              (long long)limit);
    if (bound(schema, "minItems", &limit) && size < limit)
        fault(causes, path, "FieldValueInvalid", "Invalid value: %lld: %s in body should have at least %lld items",
              (long long)size, path, (long long)limit);
    json_array_foreach((json_t *)value, i, item) {
        CLEANUP_FREE char *at = mem_format("%s[%zu]", path, i);
        validate(json_object_get(schema, "items"), item, at, causes);
    }
}

static void validate(const json_t *schema, const json_t *value, const char *path, json_t *causes) {
    if (schema == NULL)
        return;
    if (!type_fits(schema, value)) {
        CLEANUP_FREE char *is = jx_dump(value);
        fault(causes, path, "FieldValueTypeInvalid", "Invalid value: %s: %s in body must be of type %s: \"%s\"", is,
              path, jx_text(schema, "type"), type_name(value));
        return;
    }
    validate_enum(schema, value, path, causes);
    json_int_t limit;
    if (json_is_string(value))
        validate_string(schema, json_string_value(value), path, causes);
    if (json_is_number(value) && bound(schema, "minimum", &limit) && json_number_value(value) < (double)limit)
        fault(causes, path, "FieldValueInvalid",
              "Invalid value: %lld: %s in body should be greater than or equal to %lld",
              (long long)json_integer_value(value), path, (long long)limit);
    if (json_is_number(value) && bound(schema, "maximum", &limit) && json_number_value(value) > (double)limit)
        fault(causes, path, "FieldValueInvalid", "Invalid value: %lld: %s in body should be less than or equal to %lld",
              (long long)json_integer_value(value), path, (long long)limit);
    if (json_is_object(value))
        validate_object(schema, value, path, causes);
    if (json_is_array(value))
        validate_array(schema, value, path, causes);
}

void schema_validate(const json_t *schema, const json_t *value, json_t *causes) {
    validate(schema, value, "", causes);
}

enum list_type schema_list_type(const json_t *schema, const char *name, const char *keys[static 5]) {
    keys[0] = NULL;
    if (schema == NULL) {
        keys[0] = jx_list_key(name);
        keys[1] = NULL;
        if (keys[0] != NULL)
            return LIST_MAP;
        return strcmp(name, "finalizers") == 0 ? LIST_SET : LIST_ATOMIC;
    }
    const char *type = jx_text(schema, "x-kubernetes-list-type");
    if (strcmp(type, "set") == 0)
        return LIST_SET;
    if (strcmp(type, "map") != 0)
        return LIST_ATOMIC;
    size_t i;
    json_t *key;
    int n = 0;
    json_array_foreach(json_object_get(schema, "x-kubernetes-list-map-keys"), i, key) {
        if (n < 4)
            keys[n++] = json_string_value(key);
    }
    keys[n] = NULL;
    return LIST_MAP;
}
