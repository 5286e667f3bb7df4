#include "kube/kubeconfig.h"

#include "base/base64.h"
#include "base/mem.h"
#include "base/yamldoc.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FILES = 32, NAMES_MAX_BYTES = 300, EXTENSION_MAX_BYTES = 64 << 10 };

struct sources {
    struct yamldoc docs[MAX_FILES];
    size_t count;
    const char *label; /* the path or paths as given, for messages */
};

/* A cluster, user or context found by its name. */
struct found {
    struct yamldoc *doc;
    yaml_node_t *node;
};

static void sources_done(struct sources *s) {
    for (size_t i = 0; i < s->count; i++)
        yamldoc_done(&s->docs[i]);
}

static int sources_load(struct sources *s, const char *paths, bool is_explicit, struct error **err) {
    struct slice rest = slice_of(paths), part;
    s->label = paths;
    while (rest.size_bytes > 0 && s->count < MAX_FILES) {
        if (is_explicit || !slice_take_until(&rest, ':', &part)) {
            part = rest;
            rest = slice_skip(rest, rest.size_bytes);
        }
        char *path CLEANUP_FREE = slice_dup(part);
        if (part.size_bytes == 0 || (!is_explicit && access(path, F_OK) != 0))
            continue; /* of several files some may be missing */
        int r = yamldoc_load(&s->docs[s->count++], "kubeconfig", path, err);
        if (r < 0)
            return r;
    }
    if (s->count == 0)
        return error_set(err, ENOENT, "kubeconfig %s: no such file; set KUBECONFIG or --kubeconfig to one that exists",
                         paths);
    return 0;
}

/* "a, b, c" of what there is, to help with a name that is not. */
static void names_of(struct sources *s, const char *list_key, struct buf *out) {
    for (size_t d = 0; d < s->count; d++) {
        struct yamldoc *doc = &s->docs[d];
        yaml_node_t *list = yamldoc_get(doc, yamldoc_root(doc), list_key), *item;
        for (size_t i = 0; (item = yamldoc_item(doc, list, i)) != NULL; i++) {
            char *name CLEANUP_FREE = NULL;
            if (yamldoc_text(doc, item, "name", &name, NULL) == 0 && name != NULL)
                buf_format(out, "%s%s", out->size_bytes > 0 ? ", " : "", name);
        }
    }
    if (out->size_bytes == 0)
        buf_append_text(out, "none");
}

static int find_in(struct yamldoc *doc, const char *list_key, const char *key, const char *name, struct found *ret,
                   struct error **err) {
    yaml_node_t *list, *item;
    int r = yamldoc_list(doc, yamldoc_root(doc), list_key, &list, err);
    for (size_t i = 0; r == 0 && (item = yamldoc_item(doc, list, i)) != NULL; i++) {
        if (item->type != YAML_MAPPING_NODE)
            return yamldoc_error(doc, item, err, "%s: entries with \"name\" and \"%s\" are expected", list_key, key);
        char *its_name CLEANUP_FREE = NULL;
        r = yamldoc_text(doc, item, "name", &its_name, err);
        if (r < 0 || its_name == NULL || strcmp(its_name, name) != 0)
            continue;
        ret->doc = doc;
        r = yamldoc_map(doc, item, key, &ret->node, err);
        return r < 0 || ret->node != NULL
                   ? r
                   : yamldoc_error(doc, item, err, "%s \"%s\" is empty; \"%s:\" is expected", key, name, key);
    }
    return r;
}

/* The first file that has the name has all of it. */
static int find(struct sources *s, const char *list_key, const char *key, const char *name, struct found *ret,
                struct error **err) {
    *ret = (struct found){0};
    for (size_t i = 0; i < s->count && ret->node == NULL; i++) {
        int r = find_in(&s->docs[i], list_key, key, name, ret, err);
        if (r < 0)
            return r;
    }
    if (ret->node != NULL)
        return 0;
    struct buf names CLEANUP_BUF = {0};
    buf_init(&names, NAMES_MAX_BYTES);
    names_of(s, list_key, &names);
    return error_set(err, ENOENT, "kubeconfig %s: there is no %s \"%s\"; it has: %s", s->label, key, name,
                     buf_text(&names));
}

/* A path in a kubeconfig is relative to the file that says it. */
static int get_path(struct found *f, const char *key, char **ret, struct error **err) {
    int r = yamldoc_text(f->doc, f->node, key, ret, err);
    if (r < 0 || *ret == NULL || (*ret)[0] == '/')
        return r;
    const char *slash = strrchr(f->doc->path, '/');
    size_t n = slash == NULL ? 0 : (size_t)(slash - f->doc->path) + 1;
    char *absolute = mem_format("%.*s%s", (int)n, f->doc->path, *ret);
    free(*ret);
    *ret = absolute;
    return 0;
}

/* Base64 of PEM text. */
static int get_pem(struct found *f, const char *key, char **ret, struct error **err) {
    char *text CLEANUP_FREE = NULL;
    int r = yamldoc_text(f->doc, f->node, key, &text, err);
    if (r < 0 || text == NULL)
        return r;
    const yaml_node_t *at = yamldoc_get(f->doc, f->node, key);
    *ret = base64_decode(slice_of(text), NULL);
    if (*ret == NULL)
        return yamldoc_error(f->doc, at, err, "%s is not base64", key);
    if (strstr(*ret, "-----BEGIN ") == NULL)
        return yamldoc_error(f->doc, at, err, "%s holds no PEM block (\"-----BEGIN ...\")", key);
    return 0;
}

static int read_cluster_extension(struct found *f, struct kube_exec_config *exec, struct error **err) {
    yaml_node_t *list, *item;
    int r = yamldoc_list(f->doc, f->node, "extensions", &list, err);
    for (size_t i = 0; r == 0 && (item = yamldoc_item(f->doc, list, i)) != NULL; i++) {
        char *name CLEANUP_FREE = NULL;
        yaml_node_t *extension = yamldoc_get(f->doc, item, "extension");
        if (yamldoc_text(f->doc, item, "name", &name, NULL) < 0 || name == NULL || extension == NULL ||
            strcmp(name, "client.authentication.k8s.io/exec") != 0)
            continue;
        struct buf json CLEANUP_BUF = {0};
        buf_init(&json, EXTENSION_MAX_BYTES);
        if (yamldoc_json(f->doc, extension, &json) < 0)
            return yamldoc_error(f->doc, extension, err, "extension %s is too large", name);
        exec->cluster_config_json = buf_take(&json);
    }
    return r;
}

static bool is_server_url(const char *url) {
    size_t scheme = strncmp(url, "https://", 8) == 0 ? 8 : strncmp(url, "http://", 7) == 0 ? 7 : 0;
    return scheme > 0 && url[scheme] != '\0' && strchr("/?#:", url[scheme]) == NULL;
}

static int read_cluster(struct found *f, struct kube_config *c, struct error **err) {
    int r = yamldoc_text(f->doc, f->node, "server", &c->server, err);
    if (r == 0 && c->server == NULL)
        r = yamldoc_error(f->doc, f->node, err, "the cluster has no \"server: https://HOST:PORT\"");
    if (r == 0 && !is_server_url(c->server))
        r = yamldoc_error(f->doc, yamldoc_get(f->doc, f->node, "server"), err,
                          "server: \"%s\" is not a URL; write https://HOST:PORT", c->server);
    if (r == 0)
        r = get_path(f, "certificate-authority", &c->ca_file, err);
    if (r == 0)
        r = get_pem(f, "certificate-authority-data", &c->ca_pem, err);
    if (r == 0)
        r = yamldoc_text(f->doc, f->node, "proxy-url", &c->proxy_url, err);
    if (r == 0)
        r = yamldoc_text(f->doc, f->node, "tls-server-name", &c->tls_server_name, err);
    if (r == 0)
        r = yamldoc_bool(f->doc, f->node, "insecure-skip-tls-verify", &c->is_insecure, err);
    if (r < 0)
        return r;
    if (c->is_insecure && (c->ca_file != NULL || c->ca_pem != NULL))
        return yamldoc_error(f->doc, yamldoc_get(f->doc, f->node, "insecure-skip-tls-verify"), err,
                             "insecure-skip-tls-verify and a certificate-authority exclude each other; remove one");
    for (size_t n = strlen(c->server); n > 0 && c->server[n - 1] == '/'; n--)
        c->server[n - 1] = '\0';
    return 0;
}

static int read_arguments(struct found *f, struct kube_exec_config *exec, struct error **err) {
    yaml_node_t *list, *item;
    int r = yamldoc_list(f->doc, f->node, "args", &list, err);
    size_t count = 0;
    while (r == 0 && (item = yamldoc_item(f->doc, list, count)) != NULL) {
        if (item->type != YAML_SCALAR_NODE)
            return yamldoc_error(f->doc, item, err, "exec: args: texts are expected");
        exec->arguments = mem_resize(exec->arguments, count + 2, sizeof(char *));
        exec->arguments[count] = slice_dup((struct slice){(char *)item->data.scalar.value, item->data.scalar.length});
        exec->arguments[++count] = NULL;
    }
    return r;
}

static int read_environment(struct found *f, struct kube_exec_config *exec, struct error **err) {
    yaml_node_t *list, *item;
    int r = yamldoc_list(f->doc, f->node, "env", &list, err);
    for (size_t i = 0; r == 0 && (item = yamldoc_item(f->doc, list, i)) != NULL; i++) {
        char *name CLEANUP_FREE = NULL, *value CLEANUP_FREE = NULL;
        r = yamldoc_text(f->doc, item, "name", &name, err);
        if (r == 0)
            r = yamldoc_text(f->doc, item, "value", &value, err);
        if (r == 0 && name == NULL)
            r = yamldoc_error(f->doc, item, err, "exec: env: entries with \"name\" and \"value\" are expected");
        if (r < 0)
            return r;
        exec->environment = mem_resize(exec->environment, i + 2, sizeof(char *));
        exec->environment[i] = mem_format("%s=%s", name, value != NULL ? value : "");
        exec->environment[i + 1] = NULL;
    }
    return r;
}

static int read_interactive(struct found *f, struct kube_exec_config *exec, struct error **err) {
    char *mode CLEANUP_FREE = NULL;
    int r = yamldoc_text(f->doc, f->node, "interactiveMode", &mode, err);
    if (r < 0)
        return r;
    if (mode == NULL || strcmp(mode, "IfAvailable") == 0)
        exec->interactive = KUBE_INTERACTIVE_IF_AVAILABLE;
    else if (strcmp(mode, "Never") == 0)
        exec->interactive = KUBE_INTERACTIVE_NEVER;
    else if (strcmp(mode, "Always") == 0)
        exec->interactive = KUBE_INTERACTIVE_ALWAYS;
    else
        return yamldoc_error(f->doc, yamldoc_get(f->doc, f->node, "interactiveMode"), err,
                             "exec: interactiveMode \"%s\" is none of Never, IfAvailable, Always", mode);
    return 0;
}

static int read_exec(struct found *user, struct kube_config *c, struct error **err) {
    struct found f = {.doc = user->doc};
    int r = yamldoc_map(user->doc, user->node, "exec", &f.node, err);
    if (r < 0 || f.node == NULL)
        return r;
    c->exec = mem_new(struct kube_exec_config);
    r = yamldoc_text(f.doc, f.node, "command", &c->exec->command, err);
    if (r == 0 && c->exec->command != NULL && strchr(c->exec->command, '/') != NULL)
        r = get_path(&f, "command", &c->exec->command, err);
    if (r == 0)
        r = yamldoc_text(f.doc, f.node, "apiVersion", &c->exec->api_version, err);
    if (r == 0)
        r = yamldoc_text(f.doc, f.node, "installHint", &c->exec->install_hint, err);
    if (r == 0)
        r = yamldoc_bool(f.doc, f.node, "provideClusterInfo", &c->exec->wants_cluster_info, err);
    if (r == 0)
        r = read_interactive(&f, c->exec, err);
    if (r == 0)
        r = read_arguments(&f, c->exec, err);
    if (r == 0)
        r = read_environment(&f, c->exec, err);
    if (r < 0)
        return r;
    if (c->exec->command == NULL)
        return yamldoc_error(f.doc, f.node, err, "exec: \"command:\" is missing");
    const char *version = c->exec->api_version != NULL ? c->exec->api_version : "";
    if (strcmp(version, "client.authentication.k8s.io/v1") != 0 &&
        strcmp(version, "client.authentication.k8s.io/v1beta1") != 0)
        return yamldoc_error(f.doc, f.node, err,
                             "exec: apiVersion \"%s\" is not known; client.authentication.k8s.io/v1 or v1beta1 is "
                             "expected (update the plugin, then write its kubeconfig again)",
                             version);
    return 0;
}

/* One header line; a line break in the value would make two of it. */
static int add_header(struct found *f, struct kube_config *c, const char *name, const char *value, struct error **err) {
    size_t n = 0;
    while (c->headers != NULL && c->headers[n] != NULL)
        n++;
    for (const char *p = value; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return yamldoc_error(f->doc, f->node, err,
                                 "as, as-uid, as-groups: \"%s\" has a line break or another "
                                 "control character in it",
                                 value);
    c->headers = mem_resize(c->headers, n + 2, sizeof(char *));
    c->headers[n] = mem_format("%s: %s", name, value);
    c->headers[n + 1] = NULL;
    return 0;
}

static int read_impersonation(struct found *f, struct kube_config *c, struct error **err) {
    char *as CLEANUP_FREE = NULL, *uid CLEANUP_FREE = NULL;
    yaml_node_t *groups, *item;
    int r = yamldoc_text(f->doc, f->node, "as", &as, err);
    if (r == 0)
        r = yamldoc_text(f->doc, f->node, "as-uid", &uid, err);
    if (r == 0)
        r = yamldoc_list(f->doc, f->node, "as-groups", &groups, err);
    if (r < 0 || as == NULL)
        return r;
    r = add_header(f, c, "Impersonate-User", as, err);
    if (r == 0 && uid != NULL)
        r = add_header(f, c, "Impersonate-Uid", uid, err);
    for (size_t i = 0; r == 0 && (item = yamldoc_item(f->doc, groups, i)) != NULL; i++)
        if (item->type == YAML_SCALAR_NODE)
            r = add_header(f, c, "Impersonate-Group", (const char *)item->data.scalar.value, err);
    return r;
}

static int check_user(struct found *f, const struct kube_config *c, struct error **err) {
    bool has_cert = c->cert_file != NULL || c->cert_pem != NULL, has_key = c->key_file != NULL || c->key_pem != NULL;
    if (has_cert != has_key)
        return yamldoc_error(f->doc, f->node, err, "the user has a client-%s without a client-%s",
                             has_cert ? "certificate" : "key", has_cert ? "key" : "certificate");
    if ((c->token != NULL || c->token_file != NULL) && c->username != NULL)
        return yamldoc_error(f->doc, f->node, err, "the user has a token and a username; only one may be given");
    if (yamldoc_get(f->doc, f->node, "auth-provider") != NULL)
        return yamldoc_error(f->doc, yamldoc_get(f->doc, f->node, "auth-provider"), err,
                             "auth-provider was removed from Kubernetes 1.26; use an exec plugin such as "
                             "gke-gcloud-auth-plugin");
    return 0;
}

static int read_user(struct found *f, struct kube_config *c, struct error **err) {
    struct {
        const char *key;
        char **to;
        int (*get)(struct found *f, const char *key, char **ret, struct error **err);
    } fields[] = {
        {"client-certificate", &c->cert_file, get_path}, {"client-certificate-data", &c->cert_pem, get_pem},
        {"client-key", &c->key_file, get_path},          {"client-key-data", &c->key_pem, get_pem},
        {"tokenFile", &c->token_file, get_path},
    };
    int r = 0;
    for (size_t i = 0; r == 0 && i < ARRAY_SIZE(fields); i++)
        r = fields[i].get(f, fields[i].key, fields[i].to, err);
    if (r == 0)
        r = yamldoc_text(f->doc, f->node, "token", &c->token, err);
    if (r == 0)
        r = yamldoc_text(f->doc, f->node, "username", &c->username, err);
    if (r == 0)
        r = yamldoc_text(f->doc, f->node, "password", &c->password, err);
    if (r == 0)
        r = read_impersonation(f, c, err);
    if (r == 0)
        r = read_exec(f, c, err);
    return r == 0 ? check_user(f, c, err) : r;
}

static int current_context(struct sources *s, char **ret, struct error **err) {
    for (size_t i = 0; i < s->count && *ret == NULL; i++) {
        int r = yamldoc_text(&s->docs[i], yamldoc_root(&s->docs[i]), "current-context", ret, err);
        if (r < 0)
            return r;
    }
    if (*ret != NULL)
        return 0;
    struct buf names CLEANUP_BUF = {0};
    buf_init(&names, NAMES_MAX_BYTES);
    names_of(s, "contexts", &names);
    return error_set(err, EINVAL, "kubeconfig %s: no current-context is set; choose one with --context; it has: %s",
                     s->label, buf_text(&names));
}

static int build(struct sources *s, const char *context, struct kube_config *c, struct error **err) {
    char *name CLEANUP_FREE = mem_strdup(context), *cluster CLEANUP_FREE = NULL, *user CLEANUP_FREE = NULL;
    struct found at, in = {0}, as;
    int r = name != NULL ? 0 : current_context(s, &name, err);
    if (r == 0)
        r = find(s, "contexts", "context", name, &at, err);
    if (r == 0)
        r = yamldoc_text(at.doc, at.node, "cluster", &cluster, err);
    if (r == 0)
        r = yamldoc_text(at.doc, at.node, "user", &user, err);
    if (r == 0 && cluster == NULL)
        r = yamldoc_error(at.doc, at.node, err, "context \"%s\" names no cluster", name);
    if (r == 0)
        r = find(s, "clusters", "cluster", cluster, &in, err);
    if (r == 0)
        r = read_cluster(&in, c, err);
    if (r == 0 && user != NULL) /* without one: anonymous */
        r = find(s, "users", "user", user, &as, err);
    if (r == 0 && user != NULL)
        r = read_user(&as, c, err);
    if (r == 0 && c->exec != NULL)
        r = read_cluster_extension(&in, c->exec, err);
    return r;
}

int kubeconfig_load(const char *paths, bool is_explicit, const char *context, struct kube_config **ret_config,
                    struct error **err) {
    struct kube_config *c __attribute__((cleanup(kube_config_freep))) = mem_new(struct kube_config);
    struct sources *s = mem_new(struct sources);
    int r = sources_load(s, paths, is_explicit, err);
    if (r == 0)
        r = build(s, context != NULL && context[0] != '\0' ? context : NULL, c, err);
    sources_done(s);
    free(s);
    if (r < 0)
        return r;
    c->origin = mem_format("kubeconfig %s", paths);
    *ret_config = c;
    c = NULL;
    return 0;
}
