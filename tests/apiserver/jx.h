/* jx: what the embedded API server does with JSON trees beyond jansson: dotted paths, RFC 7396 and RFC 6902 patches,
 * the JSONPath of printer columns, and YAML read as JSON. Functions that return a json_t * return a new reference
 * unless they say "borrowed"; arguments named `steal` are taken over. */
#ifndef TESTS_APISERVER_JX_H
#define TESTS_APISERVER_JX_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline void jx_freep(json_t **p) {
    json_decref(*p);
}
#define CLEANUP_JSON __attribute__((cleanup(jx_freep)))

/* Borrowed; NULL where a part of the dotted path is missing. Array elements by number: "a.0.b". */
json_t *jx_get(const json_t *root, const char *path);
const char *jx_text(const json_t *root, const char *path); /* "" if it is not a string */
int64_t jx_int(const json_t *root, const char *path);      /* 0 if it is not an integer */
bool jx_true(const json_t *root, const char *path);
/* Makes objects on the way. A NULL value removes the last key. */
void jx_set(json_t *root, const char *path, json_t *steal);
void jx_set_text(json_t *root, const char *path, const char *value);
/* The object at path, made if it is missing (borrowed). */
json_t *jx_object(json_t *root, const char *path);
json_t *jx_array(json_t *root, const char *path);

char *jx_dump(const json_t *value); /* compact; heap */
/* printf into JSON text, parsed. Aborts on a malformed result: the formats are ours. */
json_t *jx_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Element of an array of objects whose `key` is `value` (borrowed), or NULL. */
json_t *jx_find(const json_t *array, const char *key, const char *value);

void jx_merge_patch(json_t *target, const json_t *patch); /* RFC 7396 */
/* As merge patch, but arrays of objects with a well-known key (name, type, uid, ...) are merged by it. */
void jx_strategic_patch(json_t *target, const json_t *patch);
/* RFC 6902: add, remove, replace, test. NULL and *why (constant text) on failure. */
json_t *jx_json_patch(const json_t *target, const json_t *patch, const char **why);
/* The key by which the list at field `name` is merged: NULL if it is replaced as a whole. */
const char *jx_list_key(const char *name);

/* Simple JSONPath: .a.b[0].c, .a[?(@.type=="X")].b, .metadata.labels.x\.y/z. Borrowed or NULL. */
json_t *jx_path(const json_t *root, const char *path);

/* JSON if the text begins with '{' or '[', else YAML. All documents of a YAML stream as an array if `many`, else the
 * first. NULL with a sentence in why[]. */
json_t *jx_load(const char *text, size_t size, bool many, char why[static 200]);
json_t *jx_load_file(const char *path, bool many, char why[static 200]);

#endif
