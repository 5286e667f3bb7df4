/* One request from its path to the part that serves it: authentication, the log of requests, faults, dispatch. */
#include "base/mem.h"
#include "srv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

json_t *api_make_status(int code, const char *reason, const struct target *t, const char *message) {
    json_t *s = jx_format("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"%s\"}",
                          code < 400 ? "Success" : "Failure");
    if (*message != '\0')
        jx_set_text(s, "message", message);
    if (*reason != '\0')
        jx_set_text(s, "reason", reason);
    if (t != NULL && *t->plural != '\0') {
        if (*t->name != '\0')
            jx_set_text(s, "details.name", t->name);
        if (*t->group != '\0')
            jx_set_text(s, "details.group", t->group);
        jx_set_text(s, "details.kind", t->plural);
    }
    jx_set(s, "code", json_integer(code));
    return s;
}

void api_reply_json(struct conn *c, int status, const json_t *value) {
    CLEANUP_FREE char *text = jx_dump(value);
    conn_reply(c, status, "application/json", -1, text, strlen(text));
}

void api_status(struct conn *c, int code, const char *reason, const struct target *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    CLEANUP_FREE char *message = mem_vformat(format, args);
    va_end(args);
    CLEANUP_JSON json_t *status = api_make_status(code, reason, t, message);
    api_reply_json(c, code, status);
}

enum format api_format(const struct conn *c) {
    if (strstr(c->accept, "as=Table") != NULL)
        return FORMAT_TABLE;
    const char *partial = strstr(c->accept, "as=PartialObjectMetadata"),
               *plain = strstr(c->accept, "application/json,");
    return partial != NULL && (plain == NULL || partial < plain) ? FORMAT_PARTIAL : FORMAT_JSON;
}

void api_reply_object(struct conn *c, const struct target *t, int status, const json_t *stored) {
    CLEANUP_JSON json_t *object = json_deep_copy(stored);
    if (!convert_is_identity(t->type, t->group, t->version))
        convert_out(t->type, t->group, t->version, object);
    enum format format = api_format(c);
    CLEANUP_JSON json_t *reply = NULL;
    if (format == FORMAT_TABLE) {
        char include[32];
        snprintf(include, sizeof include, "%s", conn_argument(c, "includeObject"));
        reply = table_begin(t->type, t->version, jx_text(object, "metadata.resourceVersion"));
        table_row(reply, t->type, object, include, srv_now_us(c->srv) / 1000);
    } else {
        reply = format == FORMAT_PARTIAL ? table_partial(object) : json_incref(object);
    }
    api_reply_json(c, status, reply);
}

/* /api/v1/... or /apis/G/V/..., then [namespaces/NS/]PLURAL[/NAME[/SUB]]; false if it is another kind of path. */
static bool parse_path(const char *path, struct target *t) {
    char rest[1024] = "", *parts[8], *save = NULL;
    int n = 0;
    memset(t, 0, sizeof *t);
    if (sscanf(path, "/api/%63[^/]/%1023s", t->version, rest) != 2 &&
        sscanf(path, "/apis/%127[^/]/%63[^/]/%1023s", t->group, t->version, rest) != 3)
        return false;
    for (char *p = strtok_r(rest, "/", &save); p != NULL && n < 8; p = strtok_r(NULL, "/", &save))
        parts[n++] = p;
    int i = 0;
    if (n >= 3 && strcmp(parts[0], "namespaces") == 0 && strcmp(parts[2], "status") != 0) {
        snprintf(t->ns, sizeof t->ns, "%s", parts[1]);
        i = 2;
    }
    if (n > i)
        snprintf(t->plural, sizeof t->plural, "%s", parts[i]);
    if (n > i + 1)
        snprintf(t->name, sizeof t->name, "%s", parts[i + 1]);
    if (n > i + 2)
        snprintf(t->subresource, sizeof t->subresource, "%s", parts[i + 2]);
    return n > i && n <= i + 3;
}

static void find_verb(const struct conn *c, struct target *t) {
    const char *verb = "";
    bool is_one = *t->name != '\0';
    if (strcmp(c->method, "GET") == 0 || strcmp(c->method, "HEAD") == 0)
        verb = strcmp(t->subresource, "log") == 0 ? "log" : is_one ? "get" : conn_flag(c, "watch") ? "watch" : "list";
    else if (strcmp(c->method, "POST") == 0)
        verb = "create";
    else if (strcmp(c->method, "PUT") == 0)
        verb = "update";
    else if (strcmp(c->method, "PATCH") == 0)
        verb = strncmp(c->content_type, "application/apply-patch", 23) == 0 ? "apply" : "patch";
    else if (strcmp(c->method, "DELETE") == 0)
        verb = is_one ? "delete" : "deletecollection";
    snprintf(t->verb, sizeof t->verb, "%s", verb);
}

static void log_request(struct conn *c, const struct target *t) {
    struct srv *s = c->srv;
    MEM_GROW(s->requests, s->request_count, s->request_capacity);
    struct request_log *r = &s->requests[s->request_count];
    memset(r, 0, sizeof *r);
    snprintf(r->verb, sizeof r->verb, "%s", *t->verb != '\0' ? t->verb : "discovery");
    bool is_sub = *t->subresource != '\0' && strcmp(t->verb, "log") != 0;
    snprintf(r->resource, sizeof r->resource, "%.40s%s%.20s", *t->plural != '\0' ? t->plural : "-", is_sub ? "/" : "",
             is_sub ? t->subresource : "");
    CLEANUP_FREE char *query = mem_strdup(c->query);
    for (char *p = query; *p != '\0'; p++)
        if (*p == '\n')
            *p = '&';
    r->text = mem_format("%s %s %s %s%s%s", c->method, r->verb, r->resource, c->path, *query != '\0' ? "?" : "", query);
    c->log_index = (long)s->request_count++;
}

/* As the RBAC authorizer words it (apiserver pkg/endpoints/handlers/responsewriters/errors.go). */
static char *forbidden_message(const struct target *t, const char *user) {
    CLEANUP_FREE char *where =
        *t->ns ? mem_format("in the namespace \"%s\"", t->ns) : mem_format("at the cluster scope");
    return mem_format("%s%s%s is forbidden: User \"%s\" cannot %s resource \"%s%s%s\" in API group \"%s\" %s",
                      t->plural, *t->group ? "." : "", t->group, user, t->verb, t->plural, *t->subresource ? "/" : "",
                      t->subresource, t->group, where);
}

static bool is_admitted(struct conn *c, const struct target *t) {
    const struct srv *s = c->srv;
    if (s->token[0] == '\0' || c->has_client_cert)
        return true;
    if (strncmp(c->authorization, "Bearer ", 7) == 0) {
        if (strcmp(c->authorization + 7, s->token) == 0)
            return true;
        api_status(c, 401, "Unauthorized", NULL, "Unauthorized");
        return false;
    }
    if (*t->plural == '\0' && strncmp(c->path, "/api", 4) != 0)
        return true; /* /version and health are open to all */
    CLEANUP_FREE char *message = forbidden_message(t, "system:anonymous");
    api_status(c, 403, "Forbidden", t, "%s", message);
    return false;
}

static const char *reason_of(int code) {
    switch (code) {
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "NotFound";
    case 409:
        return "Conflict";
    case 410:
        return "Expired";
    case 422:
        return "Invalid";
    case 429:
        return "TooManyRequests";
    case 503:
        return "ServiceUnavailable";
    case 504:
        return "Timeout";
    default:
        return "InternalError";
    }
}

static void reply_fault(struct conn *c, const struct target *t, int code, double retry_after) {
    CLEANUP_FREE char *forbidden =
        t != NULL ? forbidden_message(t, "system:serviceaccount:goodput-system:goodput-controller") : mem_strdup("");
    const char *message =
        code == 410   ? "The resourceVersion for the provided list is too old."
        : code == 429 ? "the server has received too many requests and has asked us to try again later"
        : code == 403 ? forbidden
        : code == 401 ? "Unauthorized"
                      : "an error on the server, made by the scenario, has prevented the request from "
                        "succeeding";
    CLEANUP_JSON json_t *status = api_make_status(code, reason_of(code), t, message);
    if (retry_after >= 0)
        jx_set(status, "details.retryAfterSeconds", json_integer((json_int_t)retry_after));
    CLEANUP_FREE char *text = jx_dump(status);
    conn_reply(c, code, "application/json", retry_after, text, strlen(text));
}

static void serve_later(void *context) {
    struct conn *c = context;
    struct target t;
    if (!parse_path(c->path, &t)) {
        memset(&t, 0, sizeof t);
    } else {
        find_verb(c, &t);
    }
    api_serve(c, &t);
}

static void serve_if_released(void *context) {
    struct conn *c = context;
    if (c->srv->releases > c->held)
        serve_later(c);
    else
        timer_start(c->srv, &c->timer, 0.02, serve_if_released, c);
}

/* True if a fault has taken the request over. */
static bool strike_at_once(struct conn *c, const struct target *t) {
    struct fault f;
    CLEANUP_FREE char *resource = mem_format("%s%s%s", t->plural, strcmp(t->subresource, "status") == 0 ? "/" : "",
                                             strcmp(t->subresource, "status") == 0 ? t->subresource : "");
    if (!faults_match(&c->srv->faults, t->verb, resource, c->path, t->name, &f))
        return false;
    if (f.kind == FAULT_STATUS) {
        reply_fault(c, t, f.code, f.amount);
        return true;
    }
    if (f.kind == FAULT_EXPIRED && strcmp(t->verb, "watch") != 0) {
        reply_fault(c, t, 410, -1);
        return true;
    }
    if (f.kind == FAULT_DELAY) {
        timer_start(c->srv, &c->timer, f.amount, serve_later, c);
        return true;
    }
    if (f.kind == FAULT_HOLD) {
        c->held = c->srv->releases;
        serve_if_released(c);
        return true;
    }
    conn_arm(c, &f);
    return false;
}

void api_handle(struct conn *c) {
    struct target t;
    if (parse_path(c->path, &t))
        find_verb(c, &t);
    else
        memset(&t, 0, sizeof t);
    log_request(c, &t);
    if (!is_admitted(c, &t) || strike_at_once(c, &t))
        return;
    api_serve(c, &t);
}

void api_serve(struct conn *c, struct target *t) {
    struct srv *s = c->srv;
    if (*t->plural == '\0') {
        if (!discovery_serve(c) && !openapi_serve(c))
            conn_reply(c, 404, "text/plain; charset=utf-8", -1, "404 page not found\n", 19);
        return;
    }
    if (strcmp(t->plural, "tokenreviews") == 0 && strcmp(t->verb, "create") == 0) {
        review_token(c);
        return;
    }
    if (strcmp(t->plural, "subjectaccessreviews") == 0 && strcmp(t->verb, "create") == 0) {
        review_access(c);
        return;
    }
    t->type = registry_find(&s->registry, t->group, t->version, t->plural);
    if (t->type == NULL) {
        if (registry_has_group_version(&s->registry, t->group, t->version))
            api_status(c, 404, "NotFound", NULL, "the server could not find the requested resource");
        else
            conn_reply(c, 404, "text/plain; charset=utf-8", -1, "404 page not found\n", 19);
        return;
    }
    bool is_status = strcmp(t->subresource, "status") == 0;
    if (*t->subresource != '\0' && !(is_status && t->type->has_status) && strcmp(t->verb, "log") != 0) {
        api_status(c, 404, "NotFound", NULL, "the server could not find the requested resource");
        return;
    }
    static const struct {
        const char *verb;
        void (*serve)(struct conn *c, struct target *t);
    } verbs[] = {{"get", read_get},        {"list", read_list},
                 {"watch", watch_start},   {"log", podlog_serve},
                 {"create", write_create}, {"update", write_update},
                 {"patch", write_patch},   {"apply", write_patch},
                 {"delete", write_delete}, {"deletecollection", write_delete_collection}};
    for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
        if (strcmp(t->verb, verbs[i].verb) == 0) {
            verbs[i].serve(c, t);
            return;
        }
    }
    api_status(c, 405, "MethodNotAllowed", t, "the server does not allow this method on the requested resource");
}
