/* yamldoc: one YAML document with line numbers, for kubeconfigs and StepLogFormats: every look-up that finds the wrong
 * thing says which file, which line and what was expected. Nodes are libyaml's; they live as long as the document. */
#ifndef BASE_YAMLDOC_H
#define BASE_YAMLDOC_H

#include "base/buf.h"
#include "base/error.h"

#include <yaml.h>

struct yamldoc {
    const char *what; /* "kubeconfig": for messages, as the path */
    char *path;
    yaml_document_t document;
    bool is_loaded;
};

/* The first document of a text; what and path are for messages. */
int yamldoc_read(struct yamldoc *doc, const char *what, const char *path, struct slice text, struct error **err);
int yamldoc_load(struct yamldoc *doc, const char *what, const char *path, struct error **err);
void yamldoc_done(struct yamldoc *doc);

/* The first document's root mapping; NULL (no error) for an empty file. */
yaml_node_t *yamldoc_root(struct yamldoc *doc);
int yamldoc_error(struct yamldoc *doc, const yaml_node_t *node, struct error **err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The value of a key, NULL if absent or null. */
yaml_node_t *yamldoc_get(struct yamldoc *doc, const yaml_node_t *map, const char *key);
/* The same, of the given kind; absent is 0 with *ret NULL, another kind is an error. */
int yamldoc_map(struct yamldoc *doc, const yaml_node_t *map, const char *key, yaml_node_t **ret, struct error **err);
int yamldoc_list(struct yamldoc *doc, const yaml_node_t *map, const char *key, yaml_node_t **ret, struct error **err);
int yamldoc_text(struct yamldoc *doc, const yaml_node_t *map, const char *key, char **ret, struct error **err);
int yamldoc_bool(struct yamldoc *doc, const yaml_node_t *map, const char *key, bool *ret, struct error **err);
yaml_node_t *yamldoc_item(struct yamldoc *doc, const yaml_node_t *list, size_t i); /* NULL past the end */
/* Appends the node as JSON; -EMSGSIZE if it is too large or too deep. */
int yamldoc_json(struct yamldoc *doc, const yaml_node_t *node, struct buf *out);

#endif
