#include "resource.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *group, *versions, *kind, *plural, *singular, *short_names, *categories;
    bool is_namespaced, has_status, is_custom;
} builtin[] = {
    {"", "v1", "Namespace", "namespaces", "namespace", "ns", "", false, true, false},
    {"", "v1", "Node", "nodes", "node", "no", "", false, true, false},
    {"", "v1", "Pod", "pods", "pod", "po", "all", true, true, false},
    {"", "v1", "Event", "events", "event", "ev", "", true, false, false},
    {"", "v1", "ServiceAccount", "serviceaccounts", "serviceaccount", "sa", "", true, false, false},
    {"", "v1", "ConfigMap", "configmaps", "configmap", "cm", "", true, false, false},
    {"", "v1", "Secret", "secrets", "secret", "", "", true, false, false},
    {"batch", "v1", "Job", "jobs", "job", "", "all", true, true, false},
    {"coordination.k8s.io", "v1", "Lease", "leases", "lease", "", "", true, false, false},
    {"resource.k8s.io", "v1,v1beta2,v1beta1", "ResourceSlice", "resourceslices", "resourceslice", "", "", false, false,
     false},
    {"resource.k8s.io", "v1,v1beta2,v1beta1", "ResourceClaim", "resourceclaims", "resourceclaim", "", "", true, true,
     false},
    {"resource.k8s.io", "v1,v1beta2,v1beta1", "ResourceClaimTemplate", "resourceclaimtemplates",
     "resourceclaimtemplate", "", "", true, false, false},
    {"jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets", "jobset", "", "", true, true, true},
    {"kueue.x-k8s.io", "v1beta2,v1beta1", "Workload", "workloads", "workload", "wl", "", true, true, true},
    {"kueue.x-k8s.io", "v1beta2,v1beta1", "LocalQueue", "localqueues", "localqueue", "queue", "", true, true, true},
    {"kueue.x-k8s.io", "v1beta2,v1beta1", "ClusterQueue", "clusterqueues", "clusterqueue", "cq", "", false, true, true},
};

/* A copy of the n-th part of a comma-separated list, or NULL. */
static char *part(const char *list, int n) {
    for (; n > 0; n--) {
        list = strchr(list, ',');
        if (list == NULL)
            return NULL;
        list++;
    }
    return mem_strndup(list, strcspn(list, ","));
}

static struct resource *add(struct registry *r) {
    if (r->count == (int)ARRAY_SIZE(r->items))
        abort();
    struct resource *t = mem_new(struct resource);
    t->is_served = true;
    r->items[r->count++] = t;
    return t;
}

void registry_init(struct registry *r) {
    *r = (struct registry){.count = 0};
    for (size_t i = 0; i < ARRAY_SIZE(builtin); i++) {
        struct resource *t = add(r);
        t->group = mem_strdup(builtin[i].group);
        t->kind = mem_strdup(builtin[i].kind);
        t->plural = mem_strdup(builtin[i].plural);
        t->singular = mem_strdup(builtin[i].singular);
        t->short_names = mem_strdup(builtin[i].short_names);
        t->categories = mem_strdup(builtin[i].categories);
        for (int v = 0; v < RESOURCE_MAX_VERSIONS; v++)
            t->versions[v] = part(builtin[i].versions, v);
        t->storage_version = mem_strdup(t->versions[0]);
        t->is_namespaced = builtin[i].is_namespaced;
        t->has_status = builtin[i].has_status;
        t->is_builtin = !builtin[i].is_custom;
    }
}

void registry_done(struct registry *r) {
    for (int i = 0; i < r->count; i++) {
        struct resource *t = r->items[i];
        free(t->group), free(t->kind), free(t->plural), free(t->singular);
        free(t->short_names), free(t->categories), free(t->storage_version);
        for (int v = 0; v < RESOURCE_MAX_VERSIONS; v++)
            free(t->versions[v]);
        json_decref(t->schema);
        json_decref(t->columns);
        free(t);
    }
    r->count = 0;
}

static char *join(const json_t *array) {
    char *text = mem_strdup("");
    size_t i;
    json_t *item;
    json_array_foreach(array, i, item) {
        char *longer = mem_format("%s%s%s", text, i > 0 ? "," : "", json_string_value(item));
        free(text);
        text = longer;
    }
    return text;
}

int registry_add_crd(struct registry *r, const json_t *crd, char why[static 200]) {
    const json_t *spec = json_object_get(crd, "spec"), *version = jx_get(spec, "versions.0");
    const char *kind = jx_text(spec, "names.kind");
    if (strcmp(jx_text(crd, "kind"), "CustomResourceDefinition") != 0 || version == NULL || *kind == '\0') {
        snprintf(why, 200, "not a CustomResourceDefinition with a version");
        return -1;
    }
    struct resource *t = NULL;
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->items[i]->kind, kind) == 0 && strcmp(r->items[i]->group, jx_text(spec, "group")) == 0)
            t = r->items[i];
    if (t == NULL) {
        t = add(r);
        t->group = mem_strdup(jx_text(spec, "group"));
        t->kind = mem_strdup(kind);
        t->plural = mem_strdup(jx_text(spec, "names.plural"));
        t->singular = mem_strdup(jx_text(spec, "names.singular"));
        t->short_names = join(jx_get(spec, "names.shortNames"));
        t->categories = join(jx_get(spec, "names.categories"));
        t->versions[0] = mem_strdup(jx_text(version, "name"));
        t->storage_version = mem_strdup(t->versions[0]);
        t->is_namespaced = strcmp(jx_text(spec, "scope"), "Namespaced") == 0;
    }
    t->has_status = jx_get(version, "subresources.status") != NULL;
    json_decref(t->schema);
    json_decref(t->columns);
    t->schema = json_incref(jx_get(version, "schema.openAPIV3Schema"));
    t->columns = json_incref(json_object_get(version, "additionalPrinterColumns"));
    return 0;
}

bool resource_has_version(const struct resource *t, const char *version) {
    for (int v = 0; t->versions[v] != NULL; v++)
        if (strcmp(t->versions[v], version) == 0)
            return true;
    /* One store, two groups: events of v1 are events.k8s.io/v1 too. */
    return false;
}

static bool group_matches(const struct resource *t, const char *group) {
    if (strcmp(t->group, group) == 0)
        return true;
    return strcmp(group, "events.k8s.io") == 0 && strcmp(t->plural, "events") == 0;
}

struct resource *registry_find(const struct registry *r, const char *group, const char *version, const char *plural) {
    for (int i = 0; i < r->count; i++) {
        struct resource *t = r->items[i];
        if (t->is_served && group_matches(t, group) && strcmp(t->plural, plural) == 0 &&
            resource_has_version(t, version))
            return t;
    }
    return NULL;
}

static bool in_list(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *p = list; *p != '\0'; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == n && strncasecmp(p, name, n) == 0)
            return true;
    return false;
}

struct resource *registry_named(const struct registry *r, const char *name) {
    for (int i = 0; i < r->count; i++) {
        struct resource *t = r->items[i];
        if (strcasecmp(t->plural, name) == 0 || strcasecmp(t->singular, name) == 0 || in_list(t->short_names, name))
            return t;
    }
    return NULL;
}

struct resource *registry_of_object(const struct registry *r, const json_t *object) {
    const char *api = jx_text(object, "apiVersion"), *slash = strchr(api, '/');
    char group[128] = "";
    if (slash != NULL)
        snprintf(group, sizeof group, "%.*s", (int)(slash - api), api);
    for (int i = 0; i < r->count; i++) {
        struct resource *t = r->items[i];
        if (group_matches(t, group) && strcmp(t->kind, jx_text(object, "kind")) == 0)
            return t;
    }
    return NULL;
}

bool registry_has_group_version(const struct registry *r, const char *group, const char *version) {
    for (int i = 0; i < r->count; i++)
        if (r->items[i]->is_served && group_matches(r->items[i], group) && resource_has_version(r->items[i], version))
            return true;
    return false;
}

int registry_serve(struct registry *r, const char *group_or_name, bool is_served) {
    int n = 0;
    for (int i = 0; i < r->count; i++) {
        struct resource *t = r->items[i];
        if ((*t->group != '\0' && strcmp(t->group, group_or_name) == 0) || strcmp(t->plural, group_or_name) == 0) {
            t->is_served = is_served;
            n++;
        }
    }
    return n;
}

const char *resource_title(const struct resource *t, char out[static 200]) {
    snprintf(out, 200, "%s%s%s", t->plural, *t->group != '\0' ? "." : "", t->group);
    return out;
}

const char *resource_api_version(const struct resource *t, const char *version, char out[static 200]) {
    snprintf(out, 200, "%s%s%s", t->group, *t->group != '\0' ? "/" : "", version);
    return out;
}
