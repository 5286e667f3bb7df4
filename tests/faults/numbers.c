#include "numbers.h"

#include "base/buf.h"
#include "base/mem.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* What may differ: the prose of evidence (a state that passed while nobody could look is not quoted), and how many last
 * words a fault kept from being read in time. */
static void strip(json_t *value) {
    const char *key;
    void *unused;
    json_t *member;
    size_t i;
    if (json_is_object(value)) {
        json_object_del(value, "evidence");
        json_object_del(value, "message");
        json_object_del(value, "checkpoint");
        json_object_del(value, "unread");
        json_object_foreach_safe(value, unused, key, member) strip(member);
    }
    json_array_foreach(value, i, member) strip(member);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The buckets in one order: the server keeps a map list in the order in which its keys first came. */
static void append_sorted(struct buf *out, json_t *list) {
    size_t count = json_array_size(list);
    char **texts = mem_alloc((count + 1) * sizeof *texts);
    for (size_t i = 0; i < count; i++)
        texts[i] = json_dumps(json_array_get(list, i), JSON_SORT_KEYS);
    qsort(texts, count, sizeof *texts, by_text);
    for (size_t i = 0; i < count; i++) {
        buf_format(out, "%s\n", texts[i]);
        free(texts[i]);
    }
    free(texts);
}

/* Not before Finished is True may they be compared: until then they may change. */
static bool is_finished(const json_t *status) {
    const json_t *condition;
    size_t i;
    json_array_foreach(json_object_get(status, "conditions"), i, condition) {
        const char *type = json_string_value(json_object_get(condition, "type"));
        const char *value = json_string_value(json_object_get(condition, "status"));
        if (type != NULL && value != NULL && strcmp(type, "Finished") == 0 && strcmp(value, "True") == 0)
            return true;
    }
    return false;
}

char *numbers_of(const char *text) {
    json_error_t why;
    json_t *object = text != NULL ? json_loads(text, 0, &why) : NULL;
    json_t *status = json_object_get(object, "status"), *member;
    const char *phase = json_string_value(json_object_get(status, "phase")), *key;
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 20);
    bool is_over = phase != NULL && strcmp(phase, "Completed") == 0 && is_finished(status);
    if (is_over) {
        strip(status);
        CLEANUP_FREE const char **keys = mem_alloc((json_object_size(status) + 1) * sizeof *keys);
        size_t count = 0;
        json_object_foreach(status, key, member) keys[count++] = key;
        qsort(keys, count, sizeof *keys, by_text);
        for (size_t i = 0; i < count; i++) {
            member = json_object_get(status, keys[i]);
            buf_format(&out, "%s: ", keys[i]);
            if (json_is_array(member)) {
                append_sorted(&out, member);
                continue;
            }
            CLEANUP_FREE char *dump = json_dumps(member, JSON_SORT_KEYS | JSON_ENCODE_ANY);
            buf_format(&out, "%s\n", dump);
        }
    }
    json_decref(object);
    return is_over ? buf_take(&out) : NULL;
}
