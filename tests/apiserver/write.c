/* POST, PUT, PATCH and DELETE: what a client may write, checked and completed as the API server does. */
#include "base/mem.h"
#include "managed.h"
#include "schema.h"
#include "srv.h"

#include <stdio.h>
#include <string.h>

static json_t *read_body(struct conn *c) {
    char why[200] = "the body is empty";
    json_t *body = c->body.size_bytes > 0 ? jx_load(c->body.data, c->body.size_bytes, false, why) : NULL;
    if (body == NULL)
        api_status(c, 400, "BadRequest", NULL, "the object provided is unrecognized: %s", why);
    return body;
}

static const char *manager_of(const struct conn *c, char out[static 128]) {
    snprintf(out, 128, "%.127s", conn_argument(c, "fieldManager"));
    if (*out == '\0')
        snprintf(out, 128, "%.*s", (int)strcspn(c->user_agent, "/ "), c->user_agent);
    if (*out == '\0')
        snprintf(out, 128, "unknown");
    return out;
}

static void reply_not_found(struct conn *c, const struct target *t) {
    char title[200];
    api_status(c, 404, "NotFound", t, "%s \"%s\" not found", resource_title(t->type, title), t->name);
}

static void reply_conflict(struct conn *c, const struct target *t, const char *name) {
    char title[200];
    api_status(c, 409, "Conflict", t,
               "Operation cannot be fulfilled on %s \"%s\": the object has been modified; please apply your changes to "
               "the latest version and try again",
               resource_title(t->type, title), name);
}

static void reply_causes(struct conn *c, const struct target *t, int code, const char *reason, const char *message,
                         json_t *causes) {
    CLEANUP_JSON json_t *status = api_make_status(code, reason, t, message);
    jx_set(status, "details.causes", json_incref(causes));
    api_reply_json(c, code, status);
}

/* Prunes, defaults and validates by the CRD's schema; false if a reply has been sent. */
static bool admit(struct conn *c, const struct target *t, json_t *object) {
    if (t->type->schema == NULL)
        return true;
    CLEANUP_JSON json_t *unknown = json_array(), *causes = json_array();
    schema_prune(t->type->schema, object, unknown);
    if (json_array_size(unknown) > 0 && strcmp(conn_argument(c, "fieldValidation"), "Strict") == 0) {
        api_status(c, 400, "BadRequest", NULL,
                   "%s in version \"%s\" cannot be handled as a %s: strict decoding error: unknown field \"%s\"",
                   t->type->kind, t->version, t->type->kind, json_string_value(json_array_get(unknown, 0)));
        return false;
    }
    schema_default(t->type->schema, object);
    schema_validate(t->type->schema, object, causes);
    if (json_array_size(causes) == 0)
        return true;
    CLEANUP_BUF struct buf text;
    buf_init(&text, 65536);
    size_t i, n = json_array_size(causes);
    json_t *cause;
    buf_format(&text, "%s%s%s \"%s\" is invalid: %s", t->type->kind, *t->group ? "." : "", t->group,
               jx_text(object, "metadata.name"), n > 1 ? "[" : "");
    json_array_foreach(causes, i, cause)
        buf_format(&text, "%s%s: %s", i > 0 ? ", " : "", jx_text(cause, "field"), jx_text(cause, "message"));
    buf_append_text(&text, n > 1 ? "]" : "");
    reply_causes(c, t, 422, "Invalid", buf_text(&text), causes);
    return false;
}

/* Where a kind has a status subresource: the status of `from` instead of what the client wrote. */
static void keep_status(const struct target *t, json_t *object, const json_t *from) {
    if (!t->type->has_status)
        return;
    json_t *status = json_object_get(from, "status");
    if (status != NULL)
        json_object_set(object, "status", status);
    else
        json_object_del(object, "status");
}

static bool check_namespace(struct conn *c, const struct target *t) {
    struct resource *type = registry_named(&c->srv->registry, "namespaces");
    if (!t->type->is_namespaced || kstore_find(&c->srv->store, type, "", t->ns) != NULL)
        return true;
    api_status(c, 404, "NotFound", NULL, "namespaces \"%s\" not found", t->ns);
    return false;
}

static bool is_dry_run(const struct conn *c) {
    return *conn_argument(c, "dryRun") != '\0';
}

static void create(struct conn *c, struct target *t, json_t *object, bool is_managed) {
    struct srv *s = c->srv;
    char text[300], title[200], why[200], manager[128], api[200], now[40];
    if (!check_namespace(c, t))
        return;
    if (*jx_text(object, "metadata.name") == '\0' && *jx_text(object, "metadata.generateName") != '\0') {
        int n = snprintf(text, 250, "%s", jx_text(object, "metadata.generateName"));
        srv_suffix(s, text + n, 5);
        jx_set_text(object, "metadata.name", text);
    }
    snprintf(t->name, sizeof t->name, "%s", jx_text(object, "metadata.name"));
    if (*t->name == '\0') {
        api_status(c, 422, "Invalid", t,
                   "%s \"\" is invalid: metadata.name: Required value: name or generateName is required",
                   t->type->kind);
        return;
    }
    if (kstore_find(&s->store, t->type, t->ns, t->name) != NULL) {
        api_status(c, 409, "AlreadyExists", t, "%s \"%s\" already exists", resource_title(t->type, title), t->name);
        return;
    }
    if (!admit(c, t, object))
        return;
    if (t->type->is_namespaced)
        jx_set_text(object, "metadata.namespace", t->ns);
    static const char *const server_owned[] = {"metadata.uid", "metadata.resourceVersion", "metadata.creationTimestamp",
                                               "metadata.deletionTimestamp", "metadata.generation"};
    for (size_t i = 0; i < ARRAY_SIZE(server_owned); i++)
        if (jx_get(object, server_owned[i]) != NULL)
            jx_set(object, server_owned[i], NULL);
    keep_status(t, object, NULL);
    convert_in(t->type, object);
    struct manager m = {.name = manager_of(c, manager),
                        .api_version = resource_api_version(t->type, t->type->storage_version, api),
                        .subresource = "",
                        .now = srv_now_text(s, now, 0)};
    if (is_managed)
        managed_update(t->type->schema, NULL, object, &m);
    if (is_dry_run(c)) {
        api_reply_object(c, t, 201, object);
        return;
    }
    struct object *o = srv_apply(s, object, why);
    if (o == NULL) {
        api_status(c, 400, "BadRequest", t, "%s", why);
        return;
    }
    CLEANUP_JSON json_t *stored = kstore_json(o);
    api_reply_object(c, t, 201, stored);
}

void write_create(struct conn *c, struct target *t) {
    CLEANUP_JSON json_t *object = read_body(c);
    char ns[128];
    if (object == NULL)
        return;
    if (*t->name != '\0') {
        api_status(c, 405, "MethodNotAllowed", t, "the server does not allow this method on the requested resource");
        return;
    }
    snprintf(ns, sizeof ns, "%s", jx_text(object, "metadata.namespace"));
    if (*ns != '\0' && *t->ns != '\0' && strcmp(ns, t->ns) != 0) {
        api_status(c, 400, "BadRequest", NULL,
                   "the namespace of the provided object does not match the namespace sent on the request");
        return;
    }
    if (*jx_text(object, "kind") == '\0')
        jx_set_text(object, "kind", t->type->kind);
    if (strcmp(jx_text(object, "kind"), t->type->kind) != 0) {
        api_status(c, 400, "BadRequest", NULL, "the object provided is unrecognized: kind is \"%s\"",
                   jx_text(object, "kind"));
        return;
    }
    create(c, t, object, true);
}

/* Stores `after` in place of o, through the subresource of the request, and replies. */
static void store_change(struct conn *c, struct target *t, struct object *o, json_t *after, bool is_managed) {
    char manager[128];
    bool is_status = *t->subresource != '\0';
    CLEANUP_JSON json_t *before = kstore_json(o);
    const char *rv = jx_text(after, "metadata.resourceVersion"), *uid = jx_text(after, "metadata.uid");
    if ((*rv != '\0' && strcmp(rv, jx_text(before, "metadata.resourceVersion")) != 0) ||
        (*uid != '\0' && strcmp(uid, jx_text(before, "metadata.uid")) != 0)) {
        reply_conflict(c, t, o->name);
        return;
    }
    CLEANUP_JSON json_t *next = NULL;
    if (is_status) {
        next = json_deep_copy(before);
        keep_status(t, next, after);
        if (!is_managed)
            jx_set(next, "metadata.managedFields", json_incref(jx_get(after, "metadata.managedFields")));
    } else {
        next = json_incref(after);
        keep_status(t, next, before);
    }
    static const char *const server_owned[] = {"metadata.uid", "metadata.creationTimestamp", "metadata.generation",
                                               "metadata.deletionTimestamp"};
    for (size_t i = 0; i < ARRAY_SIZE(server_owned); i++) {
        json_t *value = jx_get(before, server_owned[i]);
        if (value != NULL || jx_get(next, server_owned[i]) != NULL)
            jx_set(next, server_owned[i], json_incref(value));
    }
    if (is_managed && jx_get(before, "metadata.managedFields") != NULL)
        jx_set(next, "metadata.managedFields", json_incref(jx_get(before, "metadata.managedFields")));
    if (!admit(c, t, next))
        return;
    convert_in(t->type, next);
    if (is_status && strcmp(t->plural, "jobgoodputs") == 0)
        ledger_look(c->srv, next);
    if (!is_dry_run(c))
        srv_change(c->srv, o, next, is_managed ? manager_of(c, manager) : NULL, t->subresource);
    api_reply_object(c, t, 200, next);
}

void write_update(struct conn *c, struct target *t) {
    CLEANUP_JSON json_t *object = read_body(c);
    struct object *o = kstore_find(&c->srv->store, t->type, t->ns, t->name);
    if (object == NULL)
        return;
    if (o == NULL) {
        reply_not_found(c, t);
        return;
    }
    if (strcmp(jx_text(object, "metadata.name"), t->name) != 0) {
        api_status(c, 400, "BadRequest", NULL, "the name of the object (%s) does not match the name on the URL (%s)",
                   jx_text(object, "metadata.name"), t->name);
        return;
    }
    convert_in(t->type, object);
    jx_set_text(object, "kind", t->type->kind);
    store_change(c, t, o, object, true);
}

static void reply_apply_conflict(struct conn *c, const struct target *t, json_t *causes) {
    CLEANUP_BUF struct buf text;
    buf_init(&text, 65536);
    size_t i, n = json_array_size(causes);
    json_t *cause;
    buf_format(&text, "Apply failed with %zu conflict%s: ", n, n > 1 ? "s" : "");
    json_array_foreach(causes, i, cause)
        buf_format(&text, "%s%s: %s", i > 0 ? "\n" : "", jx_text(cause, "message"), jx_text(cause, "field"));
    reply_causes(c, t, 409, "Conflict", buf_text(&text), causes);
}

static void apply(struct conn *c, struct target *t, json_t *config) {
    char api[200], now[40], manager[128];
    struct object *o = kstore_find(&c->srv->store, t->type, t->ns, t->name);
    if (*conn_argument(c, "fieldManager") == '\0') {
        api_status(c, 400, "BadRequest", NULL,
                   "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is "
                   "required for apply patch");
        return;
    }
    if (o == NULL && *t->subresource != '\0') {
        reply_not_found(c, t);
        return;
    }
    if (jx_get(config, "metadata.managedFields") != NULL)
        jx_set(config, "metadata.managedFields", NULL);
    if (*t->subresource == '\0')
        keep_status(t, config, NULL);
    if (*jx_text(config, "metadata.name") == '\0')
        jx_set_text(config, "metadata.name", t->name);
    convert_in(t->type, config);
    CLEANUP_JSON json_t *pruned = json_deep_copy(config);
    if (*t->subresource != '\0' && *jx_text(config, "metadata.resourceVersion") == '\0')
        json_object_del(pruned, "spec");
    struct manager m = {.name = manager_of(c, manager),
                        .api_version = resource_api_version(t->type, t->type->storage_version, api),
                        .subresource = t->subresource,
                        .now = srv_now_text(c->srv, now, 0)};
    CLEANUP_JSON json_t *live = o != NULL ? kstore_json(o) : NULL, *conflicts = NULL;
    const char *rv = jx_text(config, "metadata.resourceVersion"); /* a precondition, whether or not it is forced */
    if (*rv != '\0' && (o == NULL || strcmp(rv, jx_text(live, "metadata.resourceVersion")) != 0)) {
        reply_conflict(c, t, t->name);
        return;
    }
    CLEANUP_JSON json_t *result = managed_apply(t->type->schema, live, pruned, &m, conn_flag(c, "force"), &conflicts);
    if (result == NULL)
        reply_apply_conflict(c, t, conflicts);
    else if (o == NULL)
        create(c, t, result, false);
    else
        store_change(c, t, o, result, false);
}

void write_patch(struct conn *c, struct target *t) {
    CLEANUP_JSON json_t *patch = read_body(c);
    if (patch == NULL)
        return;
    if (strcmp(t->verb, "apply") == 0) {
        apply(c, t, patch);
        return;
    }
    struct object *o = kstore_find(&c->srv->store, t->type, t->ns, t->name);
    if (o == NULL) {
        reply_not_found(c, t);
        return;
    }
    CLEANUP_JSON json_t *after = kstore_json(o);
    convert_out(t->type, t->group, t->version, after);
    const char *kind = c->content_type, *why = NULL;
    if (strncmp(kind, "application/merge-patch+json", 28) == 0) {
        jx_merge_patch(after, patch);
    } else if (strncmp(kind, "application/strategic-merge-patch+json", 38) == 0 && t->type->is_builtin) {
        jx_strategic_patch(after, patch);
    } else if (strncmp(kind, "application/json-patch+json", 27) == 0) {
        json_t *patched = jx_json_patch(after, patch, &why);
        if (patched == NULL) {
            api_status(c, 422, "Invalid", t, "the server rejected our request due to an error in our request: %s", why);
            return;
        }
        json_decref(after);
        after = patched;
    } else {
        api_status(c, 415, "UnsupportedMediaType", t,
                   "the body of the request was in an unknown format - accepted media types include: "
                   "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
        return;
    }
    convert_in(t->type, after);
    store_change(c, t, o, after, true);
}

static bool passes_preconditions(struct conn *c, const struct target *t, struct object *o) {
    char why[200];
    CLEANUP_JSON json_t *options =
        c->body.size_bytes > 0 ? jx_load(c->body.data, c->body.size_bytes, false, why) : NULL;
    CLEANUP_JSON json_t *object = kstore_json(o);
    const char *uid = jx_text(options, "preconditions.uid"), *rv = jx_text(options, "preconditions.resourceVersion");
    if ((*uid != '\0' && strcmp(uid, jx_text(object, "metadata.uid")) != 0) ||
        (*rv != '\0' && strcmp(rv, jx_text(object, "metadata.resourceVersion")) != 0)) {
        reply_conflict(c, t, o->name);
        return false;
    }
    return true;
}

static void delete_one(struct srv *s, struct object *o) {
    CLEANUP_JSON json_t *object = kstore_json(o);
    bool is_pod = strcmp(o->type->plural, "pods") == 0;
    char now[40];
    if (json_array_size(jx_get(object, "metadata.finalizers")) == 0 || is_pod) {
        srv_delete(s, o);
    } else if (jx_get(object, "metadata.deletionTimestamp") == NULL) {
        jx_set_text(object, "metadata.deletionTimestamp", srv_now_text(s, now, 0));
        jx_set(object, "metadata.deletionGracePeriodSeconds", json_integer(0));
        srv_change(s, o, object, NULL, "");
    }
}

void write_delete(struct conn *c, struct target *t) {
    struct object *o = kstore_find(&c->srv->store, t->type, t->ns, t->name);
    if (o == NULL) {
        reply_not_found(c, t);
        return;
    }
    if (!passes_preconditions(c, t, o))
        return;
    CLEANUP_JSON json_t *object = kstore_json(o), *status = api_make_status(200, "", t, "");
    jx_set_text(status, "details.uid", jx_text(object, "metadata.uid"));
    json_object_del(status, "code");
    if (!is_dry_run(c))
        delete_one(c->srv, o);
    api_reply_json(c, 200, status);
}

void write_delete_collection(struct conn *c, struct target *t) {
    struct srv *s = c->srv;
    size_t from, to;
    kstore_range(&s->store, t->type, t->ns, &from, &to);
    for (size_t i = to; i-- > from;) {
        CLEANUP_JSON json_t *object = kstore_json(s->store.objects[i]);
        if (read_is_selected(c, object))
            delete_one(s, s->store.objects[i]);
    }
    CLEANUP_JSON json_t *status = api_make_status(200, "", t, "");
    api_reply_json(c, 200, status);
}
