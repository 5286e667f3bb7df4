/* /version, health, and legacy discovery: /api, /apis, /api/v1, /apis/<group>, /apis/<group>/<version>. */
#include "base/mem.h"
#include "srv.h"

#include <stdio.h>
#include <string.h>

static void append_list(json_t *array, const char *list) {
    for (const char *p = list; *p != '\0'; p += strcspn(p, ","), p += *p == ',')
        json_array_append_new(array, json_stringn(p, strcspn(p, ",")));
}

static void add_resource(json_t *resources, const struct resource *t) {
    json_t *r =
        jx_format("{\"name\":\"%s\",\"singularName\":\"%s\",\"namespaced\":%s,\"kind\":\"%s\",\"verbs\":[\"create\","
                  "\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\",\"update\",\"watch\"]}",
                  t->plural, t->singular, t->is_namespaced ? "true" : "false", t->kind);
    if (*t->short_names != '\0')
        append_list(jx_array(r, "shortNames"), t->short_names);
    if (*t->categories != '\0')
        append_list(jx_array(r, "categories"), t->categories);
    json_array_append_new(resources, r);
    if (t->has_status)
        json_array_append_new(
            resources,
            jx_format(
                "{\"name\":\"%s/status\",\"singularName\":\"\",\"namespaced\":%s,\"kind\":\"%s\",\"verbs\":[\"get\","
                "\"patch\",\"update\"]}",
                t->plural, t->is_namespaced ? "true" : "false", t->kind));
    if (strcmp(t->plural, "pods") == 0)
        json_array_append_new(resources, jx_format("{\"name\":\"pods/log\",\"singularName\":\"\",\"namespaced\":true,"
                                                   "\"kind\":\"Pod\",\"verbs\":[\"get\"]}"));
}

static bool serve_resources(struct conn *c, const char *group, const char *version) {
    struct registry *r = &c->srv->registry;
    if (!registry_has_group_version(r, group, version))
        return false;
    CLEANUP_JSON json_t *list =
        jx_format("{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"%s%s%s\","
                  "\"resources\":[]}",
                  group, *group != '\0' ? "/" : "", version);
    for (int i = 0; i < r->count; i++)
        if (registry_find(r, group, version, r->items[i]->plural) == r->items[i])
            add_resource(json_object_get(list, "resources"), r->items[i]);
    api_reply_json(c, 200, list);
    return true;
}

/* The groups in the order of first appearance; events.k8s.io next to its alias. */
static void add_group(json_t *groups, const char *group, char *const *versions) {
    if (*group == '\0' || jx_find(groups, "name", group) != NULL)
        return;
    json_t *g = jx_format("{\"name\":\"%s\",\"versions\":[]}", group);
    for (int v = 0; versions[v] != NULL; v++) {
        json_t *item = jx_format("{\"groupVersion\":\"%s/%s\",\"version\":\"%s\"}", group, versions[v], versions[v]);
        if (v == 0)
            json_object_set(g, "preferredVersion", item);
        json_array_append_new(json_object_get(g, "versions"), item);
    }
    json_array_append_new(groups, g);
}

static json_t *all_groups(const struct registry *r) {
    json_t *groups = json_array();
    for (int i = 0; i < r->count; i++) {
        const struct resource *t = r->items[i];
        if (!t->is_served)
            continue;
        add_group(groups, t->group, t->versions);
        if (strcmp(t->plural, "events") == 0)
            add_group(groups, "events.k8s.io", t->versions);
    }
    return groups;
}

static void serve_groups(struct conn *c) {
    CLEANUP_JSON json_t *list = jx_format("{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\"}");
    json_object_set_new(list, "groups", all_groups(&c->srv->registry));
    api_reply_json(c, 200, list);
}

static bool serve_group(struct conn *c, const char *group) {
    CLEANUP_JSON json_t *groups = all_groups(&c->srv->registry);
    json_t *found = jx_find(groups, "name", group);
    if (found == NULL)
        return false;
    jx_set_text(found, "kind", "APIGroup");
    jx_set_text(found, "apiVersion", "v1");
    api_reply_json(c, 200, found);
    return true;
}

bool discovery_serve(struct conn *c) {
    char group[128], version[64], rest[8];
    const char *p = c->path;
    if (strcmp(p, "/healthz") == 0 || strcmp(p, "/readyz") == 0 || strcmp(p, "/livez") == 0) {
        conn_reply(c, 200, "text/plain; charset=utf-8", -1, "ok", 2);
        return true;
    }
    if (strcmp(p, "/version") == 0) {
        CLEANUP_JSON json_t *v = jx_format("{\"major\":\"1\",\"minor\":\"34\",\"gitVersion\":\"v1.34.0-test\","
                                           "\"gitCommit\":\"0\",\"gitTreeState\":\"clean\","
                                           "\"buildDate\":\"2026-01-01T00:00:00Z\",\"goVersion\":\"none\",\"compiler\":"
                                           "\"gcc\",\"platform\":\"linux/amd64\"}");
        api_reply_json(c, 200, v);
        return true;
    }
    if (strcmp(p, "/api") == 0) {
        CLEANUP_JSON json_t *v = jx_format("{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],"
                                           "\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\","
                                           "\"serverAddress\":\"127.0.0.1:%d\"}]}",
                                           c->srv->port);
        api_reply_json(c, 200, v);
        return true;
    }
    if (strcmp(p, "/apis") == 0) {
        serve_groups(c);
        return true;
    }
    if (strcmp(p, "/api/v1") == 0)
        return serve_resources(c, "", "v1");
    if (sscanf(p, "/apis/%127[^/]/%63[^/]%1s", group, version, rest) == 2)
        return serve_resources(c, group, version);
    if (sscanf(p, "/apis/%127[^/]%1s", group, rest) == 1)
        return serve_group(c, group);
    return false;
}
