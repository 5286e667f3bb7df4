/* /openapi/v3: the index, and a document per served group version. Custom kinds carry their CRD's schema, so that
 * kubectl explain and apply work; built-in kinds an open object. Each PATCH operation names its kind and lists
 * fieldValidation, which is how kubectl finds out that the server validates. */
#include "base/mem.h"
#include "srv.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void schema_name(const char *group, const char *version, const char *kind, char out[static 300]) {
    /* as the API server names CRD schemas: the group's parts reversed */
    char parts[128], *list[16], *save = NULL;
    int n = 0;
    snprintf(parts, sizeof parts, "%s", *group != '\0' ? group : "core.api.k8s.io");
    for (char *p = strtok_r(parts, ".", &save); p != NULL && n < 16; p = strtok_r(NULL, ".", &save))
        list[n++] = p;
    size_t at = 0;
    while (n > 0)
        at += (size_t)snprintf(out + at, 300 - at, "%s.", list[--n]);
    snprintf(out + at, 300 - at, "%s.%s", version, kind);
}

static json_t *kind_list(const char *group, const char *version, const char *kind) {
    return jx_format("{\"group\":\"%s\",\"version\":\"%s\",\"kind\":\"%s\"}", group, version, kind);
}

static json_t *kind_schema(const struct resource *t, const char *group, const char *version) {
    json_t *schema = t->schema != NULL
                         ? json_deep_copy(t->schema)
                         : jx_format("{\"type\":\"object\",\"description\":\"%s, served by the embedded API "
                                     "server without a schema.\",\"x-kubernetes-preserve-unknown-fields\":"
                                     "true,\"properties\":{\"apiVersion\":{\"type\":\"string\"},\"kind\":{"
                                     "\"type\":\"string\"},\"metadata\":{\"type\":\"object\"},\"spec\":{"
                                     "\"type\":\"object\"},\"status\":{\"type\":\"object\"}}}",
                                     t->kind);
    json_t *list = json_array();
    json_array_append_new(list, kind_list(group, version, t->kind));
    json_object_set_new(schema, "x-kubernetes-group-version-kind", list);
    return schema;
}

static json_t *operation(const char *action, const char *group, const char *version, const char *kind) {
    json_t *op =
        jx_format("{\"responses\":{\"200\":{\"description\":\"OK\"}},\"x-kubernetes-action\":\"%s\",\"parameters\":[{"
                  "\"name\":\"dryRun\",\"in\":\"query\",\"schema\":{\"type\":\"string\",\"uniqueItems\":true}},{"
                  "\"name\":\"fieldManager\",\"in\":\"query\",\"schema\":{\"type\":\"string\",\"uniqueItems\":true}},"
                  "{\"name\":\"fieldValidation\",\"in\":\"query\",\"schema\":{\"type\":\"string\",\"uniqueItems\":"
                  "true}}]}",
                  action);
    json_object_set_new(op, "x-kubernetes-group-version-kind", kind_list(group, version, kind));
    return op;
}

static void add_paths(json_t *paths, const struct resource *t, const char *group, const char *version,
                      const char *ref) {
    char base[400], path[600];
    snprintf(base, sizeof base, "%s%s%s/%s%s", *group != '\0' ? "/apis/" : "/api", group, *group != '\0' ? "" : "",
             version, t->is_namespaced ? "/namespaces/{namespace}" : "");
    snprintf(path, sizeof path, "%s/%s", base, t->plural);
    json_t *collection = json_object();
    json_object_set_new(collection, "get", operation("list", group, version, t->kind));
    json_object_set_new(collection, "post", operation("post", group, version, t->kind));
    json_object_set_new(paths, path, collection);
    snprintf(path, sizeof path, "%s/%s/{name}", base, t->plural);
    json_t *one = json_object(), *patch = operation("patch", group, version, t->kind);
    static const char *const types[] = {"application/apply-patch+yaml", "application/json-patch+json",
                                        "application/merge-patch+json", "application/strategic-merge-patch+json"};
    for (size_t i = 0; i < (t->is_builtin ? 4 : 3); i++) {
        json_t *content = jx_object(jx_object(patch, "requestBody"), "content"), *media = json_object();
        json_object_set_new(media, "schema", jx_format("{\"description\":\"Patch\",\"type\":\"object\"}"));
        json_object_set_new(content, types[i], media);
    }
    json_object_set_new(one, "get", operation("get", group, version, t->kind));
    json_object_set_new(jx_object(one, "get.responses.200.content"), "application/json",
                        jx_format("{\"schema\":{\"$ref\":\"%s\"}}", ref));
    json_object_set_new(one, "put", operation("put", group, version, t->kind));
    json_object_set_new(one, "patch", patch);
    json_object_set_new(one, "delete", operation("delete", group, version, t->kind));
    json_object_set_new(paths, path, one);
}

static json_t *document(const struct registry *r, const char *group, const char *version) {
    json_t *doc =
        jx_format("{\"openapi\":\"3.0.0\",\"info\":{\"title\":\"Kubernetes\",\"version\":\"v1.34.0-test\"},\"paths\":{"
                  "},\"components\":{\"schemas\":{}}}");
    for (int i = 0; i < r->count; i++) {
        const struct resource *t = r->items[i];
        char name[300];
        if (registry_find(r, group, version, t->plural) != t)
            continue;
        schema_name(group, version, t->kind, name);
        CLEANUP_FREE char *ref = mem_format("#/components/schemas/%s", name);
        json_object_set_new(jx_get(doc, "components.schemas"), name, kind_schema(t, group, version));
        add_paths(json_object_get(doc, "paths"), t, group, version, ref);
    }
    return doc;
}

static void add_index(json_t *paths, const struct registry *r, const char *group, const char *version) {
    char key[256];
    if (!registry_has_group_version(r, group, version))
        return;
    snprintf(key, sizeof key, "%s%s/%s", *group != '\0' ? "apis/" : "api", group, version);
    unsigned hash = 5381;
    for (int i = 0; i < r->count; i++)
        hash = hash * 33 + r->items[i]->is_served + (r->items[i]->schema != NULL ? 2u : 0u);
    json_object_set_new(paths, key, jx_format("{\"serverRelativeURL\":\"/openapi/v3/%s?hash=%08X\"}", key, hash));
}

bool openapi_serve(struct conn *c) {
    const struct registry *r = &c->srv->registry;
    char group[128] = "", version[64];
    if (strcmp(c->path, "/openapi/v3") == 0) {
        CLEANUP_JSON json_t *index = jx_format("{\"paths\":{}}");
        add_index(json_object_get(index, "paths"), r, "", "v1");
        add_index(json_object_get(index, "paths"), r, "events.k8s.io", "v1");
        for (int i = 0; i < r->count; i++)
            for (int v = 0; *r->items[i]->group != '\0' && r->items[i]->versions[v] != NULL; v++)
                add_index(json_object_get(index, "paths"), r, r->items[i]->group, r->items[i]->versions[v]);
        api_reply_json(c, 200, index);
        return true;
    }
    if (sscanf(c->path, "/openapi/v3/api/%63[^/]", version) != 1 &&
        sscanf(c->path, "/openapi/v3/apis/%127[^/]/%63[^/]", group, version) != 2)
        return false;
    if (!registry_has_group_version(r, group, version))
        return false;
    CLEANUP_JSON json_t *doc = document(r, group, version);
    api_reply_json(c, 200, doc);
    return true;
}
