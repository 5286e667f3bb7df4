/* YAML read as JSON, for jx_load: the CRD, scenario objects and kubectl's apply bodies. Core-schema scalars: null,
 * booleans, integers, floats; quoted ones are strings. Anchors and tags are not needed here and not supported. */
#include "base/mem.h"
#include "jx.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

static json_t *scalar(const yaml_node_t *node) {
    const char *s = (const char *)node->data.scalar.value;
    size_t n = node->data.scalar.length;
    if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return json_stringn_nocheck(s, n);
    if (n == 0 || strcmp(s, "null") == 0 || strcmp(s, "~") == 0)
        return json_null();
    if (strcmp(s, "true") == 0 || strcmp(s, "false") == 0)
        return json_boolean(s[0] == 't');
    const char *digits = s + (*s == '-' || *s == '+');
    if (isdigit((unsigned char)*digits) && strspn(digits, "0123456789.eE+-") == strlen(digits)) {
        char *end;
        errno = 0;
        long long i = strtoll(s, &end, 10);
        if (*end == '\0' && errno == 0)
            return json_integer(i);
        double d = strtod(s, &end);
        if (*end == '\0')
            return json_real(d);
    }
    return json_stringn_nocheck(s, n);
}

static json_t *convert(yaml_document_t *doc, const yaml_node_t *node, int depth) {
    if (node == NULL || depth > 64)
        return json_null();
    if (node->type == YAML_SEQUENCE_NODE) {
        json_t *array = json_array();
        for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++)
            json_array_append_new(array, convert(doc, yaml_document_get_node(doc, *i), depth + 1));
        return array;
    }
    if (node->type == YAML_MAPPING_NODE) {
        json_t *object = json_object();
        for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
            const yaml_node_t *key = yaml_document_get_node(doc, p->key);
            if (key != NULL && key->type == YAML_SCALAR_NODE)
                json_object_set_new(object, (const char *)key->data.scalar.value,
                                    convert(doc, yaml_document_get_node(doc, p->value), depth + 1));
        }
        return object;
    }
    return scalar(node);
}

static json_t *load_yaml(const char *text, size_t size, bool many, char why[static 200]) {
    yaml_parser_t parser;
    yaml_document_t doc;
    json_t *all = json_array();
    bool ok = true;
    if (!yaml_parser_initialize(&parser))
        abort();
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    for (;;) {
        if (!yaml_parser_load(&parser, &doc)) {
            snprintf(why, 200, "line %zu: %s", parser.problem_mark.line + 1, parser.problem ? parser.problem : "YAML");
            ok = false;
            break;
        }
        yaml_node_t *root = yaml_document_get_root_node(&doc);
        if (root != NULL) {
            json_t *value = convert(&doc, root, 0);
            if (!json_is_null(value))
                json_array_append(all, value);
            json_decref(value);
        }
        yaml_document_delete(&doc);
        if (root == NULL)
            break;
    }
    yaml_parser_delete(&parser);
    json_t *result = NULL;
    if (ok && !many && json_array_size(all) == 0)
        snprintf(why, 200, "the document is empty");
    else if (ok)
        result = json_incref(many ? all : json_array_get(all, 0));
    json_decref(all);
    return result;
}

json_t *jx_load(const char *text, size_t size, bool many, char why[static 200]) {
    size_t i = 0;
    while (i < size && isspace((unsigned char)text[i]))
        i++;
    if (i < size && (text[i] == '{' || text[i] == '[')) {
        json_error_t error;
        json_t *value = json_loadb(text + i, size - i, 0, &error);
        if (value == NULL) {
            snprintf(why, 200, "line %d column %d: %s", error.line, error.column, error.text);
            return NULL;
        }
        if (!many || json_is_array(value))
            return value;
        json_t *all = json_array();
        json_array_append_new(all, value);
        return all;
    }
    return load_yaml(text, size, many, why);
}

json_t *jx_load_file(const char *path, bool many, char why[static 200]) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        snprintf(why, 200, "%s: %s", path, strerror(errno));
        return NULL;
    }
    size_t size = 0, capacity = 1 << 16;
    char *data = mem_alloc(capacity);
    size_t n;
    while ((n = fread(data + size, 1, capacity - size, f)) > 0) {
        size += n;
        if (size == capacity)
            data = mem_resize(data, capacity *= 2, 1);
    }
    fclose(f);
    json_t *value = jx_load(data, size, many, why);
    free(data);
    return value;
}
