/* What the server itself fills in: UIDs, times, generations, ownership; and the scenario's way of writing objects. */
#include "base/clock.h"
#include "base/rfc3339.h"
#include "managed.h"
#include "srv.h"

#include <stdio.h>
#include <string.h>

int64_t srv_now_us(const struct srv *s) {
    return clock_wall().us + (int64_t)(s->clock_offset_s * 1e6);
}

const char *srv_now_text(const struct srv *s, char out[static 40], int digits) {
    return rfc3339_format(out, srv_now_us(s) * 1000, digits);
}

static uint64_t next_random(struct srv *s) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random;
}

void srv_uid(struct srv *s, char out[static 37]) {
    uint64_t a = next_random(s), b = next_random(s);
    snprintf(out, 37, "%08x-%04x-4%03x-a%03x-%012llx", (unsigned)(a >> 32), (unsigned)(a >> 16) & 0xffff,
             (unsigned)a & 0xfff, (unsigned)(b >> 52), (unsigned long long)b & 0xffffffffffff);
}

void srv_suffix(struct srv *s, char *out, int length) {
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    for (int i = 0; i < length; i++)
        out[i] = letters[next_random(s) % (sizeof letters - 1)];
    out[length] = '\0';
}

static json_t *in_canonical_order(const json_t *object) {
    json_t *ordered = json_object(), *value;
    static const char *const first[] = {"kind", "apiVersion", "metadata"};
    for (size_t i = 0; i < 3; i++)
        if ((value = json_object_get(object, first[i])) != NULL)
            json_object_set(ordered, first[i], value);
    json_object_update_missing(ordered, (json_t *)object);
    return ordered;
}

static void ensure_namespace(struct srv *s, const char *ns) {
    struct resource *type = registry_named(&s->registry, "namespaces");
    char uid[37], now[40];
    if (*ns == '\0' || kstore_find(&s->store, type, "", ns) != NULL)
        return;
    srv_uid(s, uid);
    CLEANUP_JSON json_t *object = jx_format(
        "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\","
        "\"creationTimestamp\":"
        "\"%s\",\"labels\":{\"kubernetes.io/metadata.name\":\"%s\"}},\"spec\":{\"finalizers\":[\"kubernetes\"]},"
        "\"status\":{\"phase\":\"Active\"}}",
        ns, uid, srv_now_text(s, now, 0), ns);
    kstore_put(&s->store, type, "", ns, object);
}

struct object *srv_apply(struct srv *s, json_t *object, char why[static 200]) {
    struct resource *type = registry_of_object(&s->registry, object);
    const char *name = jx_text(object, "metadata.name");
    char text[300], now[40];
    if (type == NULL || (*name == '\0' && *jx_text(object, "metadata.generateName") == '\0')) {
        snprintf(why, 200, "an object of a known kind with a name is expected, not kind \"%.60s\" of \"%.60s\"",
                 jx_text(object, "kind"), jx_text(object, "apiVersion"));
        return NULL;
    }
    if (*name == '\0') {
        int n = snprintf(text, 250, "%s", jx_text(object, "metadata.generateName"));
        srv_suffix(s, text + n, 5);
        jx_set_text(object, "metadata.name", text);
    }
    if (type->is_namespaced && *jx_text(object, "metadata.namespace") == '\0')
        jx_set_text(object, "metadata.namespace", "default");
    convert_in(type, object);
    char ns[128], key[256];
    snprintf(ns, sizeof ns, "%s", type->is_namespaced ? jx_text(object, "metadata.namespace") : "");
    snprintf(key, sizeof key, "%s", jx_text(object, "metadata.name"));
    ensure_namespace(s, ns);
    struct object *old = kstore_find(&s->store, type, ns, key);
    if (old != NULL) {
        CLEANUP_JSON json_t *before = kstore_json(old);
        static const char *const kept[] = {"metadata.uid", "metadata.creationTimestamp", "metadata.managedFields"};
        for (size_t i = 0; i < 3; i++)
            if (jx_get(object, kept[i]) == NULL && jx_get(before, kept[i]) != NULL)
                jx_set(object, kept[i], json_incref(jx_get(before, kept[i])));
        if (jx_get(object, "metadata.generation") == NULL)
            jx_set(object, "metadata.generation",
                   json_integer(jx_int(before, "metadata.generation") +
                                !json_equal(jx_get(before, "spec"), jx_get(object, "spec"))));
    }
    if (*jx_text(object, "metadata.uid") == '\0') {
        srv_uid(s, text);
        jx_set_text(object, "metadata.uid", text);
    }
    if (jx_get(object, "metadata.creationTimestamp") == NULL)
        jx_set_text(object, "metadata.creationTimestamp", srv_now_text(s, now, 0));
    if (jx_get(object, "metadata.generation") == NULL && jx_get(object, "spec") != NULL)
        jx_set(object, "metadata.generation", json_integer(1));
    CLEANUP_JSON json_t *ordered = in_canonical_order(object);
    return kstore_put(&s->store, type, ns, key, ordered);
}

/* True if anything but metadata and status differs. */
static bool is_spec_changed(const json_t *before, const json_t *after) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)after, key, value) {
        if (strcmp(key, "metadata") != 0 && strcmp(key, "status") != 0 &&
            !json_equal(value, json_object_get(before, key)))
            return true;
    }
    return json_object_get(before, "spec") != NULL && json_object_get(after, "spec") == NULL;
}

struct object *srv_change(struct srv *s, struct object *o, json_t *after, const char *manager,
                          const char *subresource) {
    CLEANUP_JSON json_t *before = kstore_json(o);
    char now[40], api[200];
    jx_set(after, "metadata.resourceVersion", json_incref(jx_get(before, "metadata.resourceVersion")));
    if (is_spec_changed(before, after) && jx_get(before, "metadata.generation") != NULL)
        jx_set(after, "metadata.generation", json_integer(jx_int(before, "metadata.generation") + 1));
    if (json_equal(before, after))
        return NULL;
    if (manager != NULL) {
        struct manager m = {.name = manager,
                            .api_version = resource_api_version(o->type, o->type->storage_version, api),
                            .subresource = subresource,
                            .now = srv_now_text(s, now, 0)};
        managed_update(o->type->schema, before, after, &m);
    }
    CLEANUP_JSON json_t *ordered = in_canonical_order(after);
    struct object *changed = kstore_put(&s->store, o->type, o->ns, o->name, ordered);
    const json_t *finalizers = jx_get(after, "metadata.finalizers");
    if (jx_get(after, "metadata.deletionTimestamp") != NULL && json_array_size(finalizers) == 0 &&
        strcmp(o->type->plural, "pods") != 0) {
        srv_delete(s, changed);
        return changed;
    }
    return changed;
}

void srv_delete(struct srv *s, struct object *o) {
    if (strcmp(o->type->plural, "pods") == 0) {
        CLEANUP_JSON json_t *pod = kstore_json(o);
        char uid[40];
        snprintf(uid, sizeof uid, "%s", jx_text(pod, "metadata.uid"));
        kstore_delete(&s->store, o);
        logs_drop_pod(&s->logs, uid);
        return;
    }
    kstore_delete(&s->store, o);
}
