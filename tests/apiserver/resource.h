/* resource: the kinds that the embedded API server serves: built-in ones from a table, custom ones from CRD files.
 * A registry owns its types; they live as long as it does, so other modules keep pointers. */
#ifndef TESTS_APISERVER_RESOURCE_H
#define TESTS_APISERVER_RESOURCE_H

#include "jx.h"

#define RESOURCE_MAX_VERSIONS 3

struct resource {
    char *group, *kind, *plural, *singular;
    char *short_names, *categories;            /* comma-separated */
    char *versions[RESOURCE_MAX_VERSIONS + 1]; /* NULL-terminated; the first is preferred */
    char *storage_version;
    bool is_namespaced, has_status, is_builtin; /* builtin: list items carry no kind and apiVersion */
    bool is_served;
    json_t *schema;  /* openAPIV3Schema of a CRD, or NULL */
    json_t *columns; /* [{name, type, jsonPath, priority, description}]; for a CRD as in the file */
};

struct registry {
    struct resource *items[64];
    int count;
};

void registry_init(struct registry *r);
void registry_done(struct registry *r);
/* Adds a CRD's kind (read from YAML). 0, or -1 with a sentence in why[]. */
int registry_add_crd(struct registry *r, const json_t *crd, char why[static 200]);
/* By group, served version and plural; NULL if there is none or it is absent now. */
struct resource *registry_find(const struct registry *r, const char *group, const char *version, const char *plural);
/* By plural, singular, kind or short name, any group ("workloads", "JobSet", "jgp", "events"); served or not. */
struct resource *registry_named(const struct registry *r, const char *name);
struct resource *registry_of_object(const struct registry *r, const json_t *object); /* by apiVersion and kind */
bool registry_has_group_version(const struct registry *r, const char *group, const char *version);
/* Serves or hides every kind of a group ("jobset.x-k8s.io") or one kind ("workloads"). Number of kinds. */
int registry_serve(struct registry *r, const char *group_or_name, bool is_served);
bool resource_has_version(const struct resource *t, const char *version);
/* "jobgoodputs.goodput.dev", "pods": as the API server writes it in messages. Borrowed until the next call. */
const char *resource_title(const struct resource *t, char out[static 200]);
/* "v1" or "group/version". */
const char *resource_api_version(const struct resource *t, const char *version, char out[static 200]);

#endif
