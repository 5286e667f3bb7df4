#include "base/yamldoc.h"

#include "base/file.h"
#include "base/jscan.h"
#include "base/jwrite.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>

enum { FILE_MAX_BYTES = 4 << 20, JSON_MAX_DEPTH = 32 };

static int load(struct yamldoc *doc, const char *what, const char *path, struct slice text, struct error **err) {
    int r = 0;
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0)
        return error_set(err, ENOMEM, "%s %s: libyaml did not start", what, path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.data, text.size_bytes);
    if (yaml_parser_load(&parser, &doc->document) != 0)
        doc->is_loaded = true;
    else
        r = error_set(err, EINVAL, "%s %s: line %zu: %s%s%s; it is not well-formed YAML", what, path,
                      parser.problem_mark.line + 1, parser.context != NULL ? parser.context : "",
                      parser.context != NULL ? ": " : "", parser.problem != NULL ? parser.problem : "unknown problem");
    yaml_parser_delete(&parser);
    if (r < 0)
        return r;
    yaml_node_t *root = yaml_document_get_root_node(&doc->document);
    if (root != NULL && root->type != YAML_MAPPING_NODE && yamldoc_root(doc) != NULL)
        return yamldoc_error(doc, root, err, "a mapping such as \"apiVersion: v1\" is expected");
    return 0;
}

int yamldoc_read(struct yamldoc *doc, const char *what, const char *path, struct slice text, struct error **err) {
    *doc = (struct yamldoc){.what = what, .path = mem_strdup(path)};
    return load(doc, what, path, text, err);
}

int yamldoc_load(struct yamldoc *doc, const char *what, const char *path, struct error **err) {
    *doc = (struct yamldoc){.what = what, .path = mem_strdup(path)};
    char *text CLEANUP_FREE = NULL;
    int r = file_read(path, FILE_MAX_BYTES, &text, err);
    return r < 0 ? error_wrap(err, -r, "%s", what) : load(doc, what, path, slice_of(text), err);
}

void yamldoc_done(struct yamldoc *doc) {
    if (doc->is_loaded)
        yaml_document_delete(&doc->document);
    free(doc->path);
    *doc = (struct yamldoc){0};
}

int yamldoc_error(struct yamldoc *doc, const yaml_node_t *node, struct error **err, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text CLEANUP_FREE = mem_vformat(format, args);
    va_end(args);
    if (node == NULL)
        return error_set(err, EINVAL, "%s %s: %s", doc->what, doc->path, text);
    return error_set(err, EINVAL, "%s %s: line %zu: %s", doc->what, doc->path, node->start_mark.line + 1, text);
}

static struct slice scalar(const yaml_node_t *node) {
    return (struct slice){(const char *)node->data.scalar.value, node->data.scalar.length};
}

static bool is_plain(const yaml_node_t *node) {
    return node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static bool is_null(const yaml_node_t *node) {
    return node->type == YAML_SCALAR_NODE && is_plain(node) &&
           (slice_is(scalar(node), "") || slice_is(scalar(node), "~") || slice_is(scalar(node), "null"));
}

yaml_node_t *yamldoc_root(struct yamldoc *doc) {
    yaml_node_t *root = doc->is_loaded ? yaml_document_get_root_node(&doc->document) : NULL;
    return root == NULL || is_null(root) ? NULL : root;
}

yaml_node_t *yamldoc_get(struct yamldoc *doc, const yaml_node_t *map, const char *key) {
    if (map == NULL || map->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        yaml_node_t *name = yaml_document_get_node(&doc->document, p->key);
        yaml_node_t *value = yaml_document_get_node(&doc->document, p->value);
        if (name != NULL && value != NULL && name->type == YAML_SCALAR_NODE && slice_is(scalar(name), key))
            return is_null(value) ? NULL : value;
    }
    return NULL;
}

static int get_typed(struct yamldoc *doc, const yaml_node_t *map, const char *key, yaml_node_type_t type,
                     const char *expected, yaml_node_t **ret, struct error **err) {
    yaml_node_t *node = yamldoc_get(doc, map, key);
    if (node != NULL && node->type != type)
        return yamldoc_error(doc, node, err, "%s: %s is expected", key, expected);
    *ret = node;
    return 0;
}

int yamldoc_map(struct yamldoc *doc, const yaml_node_t *map, const char *key, yaml_node_t **ret, struct error **err) {
    return get_typed(doc, map, key, YAML_MAPPING_NODE, "a mapping", ret, err);
}

int yamldoc_list(struct yamldoc *doc, const yaml_node_t *map, const char *key, yaml_node_t **ret, struct error **err) {
    return get_typed(doc, map, key, YAML_SEQUENCE_NODE, "a list", ret, err);
}

int yamldoc_text(struct yamldoc *doc, const yaml_node_t *map, const char *key, char **ret, struct error **err) {
    yaml_node_t *node = NULL;
    int r = get_typed(doc, map, key, YAML_SCALAR_NODE, "a text", &node, err);
    if (r < 0 || node == NULL)
        return r;
    struct slice value = scalar(node);
    if (memchr(value.data, '\0', value.size_bytes) != NULL)
        return yamldoc_error(doc, node, err, "%s: a zero byte is not allowed", key);
    free(*ret);
    *ret = value.size_bytes == 0 ? NULL : slice_dup(value);
    return 0;
}

int yamldoc_bool(struct yamldoc *doc, const yaml_node_t *map, const char *key, bool *ret, struct error **err) {
    yaml_node_t *node = yamldoc_get(doc, map, key);
    if (node == NULL)
        return 0;
    bool is_scalar = node->type == YAML_SCALAR_NODE && is_plain(node);
    if (!is_scalar || (!slice_is(scalar(node), "true") && !slice_is(scalar(node), "false")))
        return yamldoc_error(doc, node, err, "%s: true or false is expected", key);
    *ret = slice_is(scalar(node), "true");
    return 0;
}

yaml_node_t *yamldoc_item(struct yamldoc *doc, const yaml_node_t *list, size_t i) {
    if (list == NULL || list->type != YAML_SEQUENCE_NODE)
        return NULL;
    size_t count = (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
    return i < count ? yaml_document_get_node(&doc->document, list->data.sequence.items.start[i]) : NULL;
}

static void write_scalar(struct jwrite *w, const yaml_node_t *node) {
    struct slice text = scalar(node);
    struct jscan j;
    jscan_init(&j, text);
    enum jscan_type type = is_plain(node) ? jscan_peek(&j) : JSCAN_NONE;
    struct slice raw;
    bool is_json = type == JSCAN_NUMBER || type == JSCAN_BOOL || type == JSCAN_NULL;
    if (is_null(node))
        jwrite_null(w);
    else if (is_json && jscan_raw(&j, &raw) && jscan_at_end(&j))
        jwrite_raw(w, raw);
    else
        jwrite_slice(w, text);
}

static int write_node(struct yamldoc *doc, const yaml_node_t *node, struct jwrite *w, int depth) {
    if (depth > JSON_MAX_DEPTH || node == NULL || w->out->truncated)
        return -EMSGSIZE;
    int r = 0;
    if (node->type == YAML_SCALAR_NODE)
        write_scalar(w, node);
    if (node->type == YAML_SEQUENCE_NODE) {
        jwrite_array(w);
        for (size_t i = 0; r == 0 && yamldoc_item(doc, node, i) != NULL; i++)
            r = write_node(doc, yamldoc_item(doc, node, i), w, depth + 1);
        jwrite_array_end(w);
    }
    if (node->type != YAML_MAPPING_NODE)
        return r;
    jwrite_object(w);
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; r == 0 && p < node->data.mapping.pairs.top; p++) {
        yaml_node_t *key = yaml_document_get_node(&doc->document, p->key);
        if (key == NULL || key->type != YAML_SCALAR_NODE)
            continue;
        char *name CLEANUP_FREE = slice_dup(scalar(key));
        jwrite_key(w, name);
        r = write_node(doc, yaml_document_get_node(&doc->document, p->value), w, depth + 1);
    }
    jwrite_object_end(w);
    return r;
}

int yamldoc_json(struct yamldoc *doc, const yaml_node_t *node, struct buf *out) {
    struct jwrite w;
    jwrite_init(&w, out);
    int r = write_node(doc, node, &w, 0);
    return r == 0 && out->truncated ? -EMSGSIZE : r;
}
