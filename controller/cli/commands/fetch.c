/* fetch: JobGoodputs from the cluster (one GET, or a paged list) or from a file. */
#include "cli/commands/fetch.h"

#include "base/mem.h"
#include "base/yamldoc.h"
#include "cli/render/output.h"
#include "cli/render/pick.h"
#include "cli/render/print.h"
#include "kube/client.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 50 };
#define MAX_REPLY_BYTES ((size_t)64 << 20)

struct fetch {
    struct loop *loop;
    struct kube_client *client;
    const struct cli_options *options;
    const char *name;
    json_t *value;
    struct error **err;
    int result;
};

static void ask(struct fetch *f, const char *next);

static bool is_command(const struct cli_options *options, const char *command) {
    return strcmp(options->command, command) == 0;
}

static int parse(struct slice bytes, json_t **ret, struct error **err) {
    json_error_t where;
    *ret = json_loadb(bytes.data, bytes.size_bytes, JSON_ALLOW_NUL, &where);
    if (*ret == NULL)
        return error_set(err, EINVAL, "line %d: %s", where.line, where.text);
    return 0;
}

/* Whether a FleetGoodput is named, which has no namespace. */
static bool is_fleet_named(const struct fetch *f) {
    return f->name != NULL && is_command(f->options, "fleet");
}

static const char *namespace_of(const struct fetch *f) {
    return f->options->namespace_ ? f->options->namespace_ : kube_client_namespace(f->client);
}

static void fail(struct fetch *f, int status, const struct error *err) {
    bool is_fleet = is_fleet_named(f);
    if (status == 404 && err->code != ENOENT)
        f->result = error_set(f->err, ENOENT, "the cluster at %s does not serve %s: is goodput-controller installed?",
                              kube_client_server(f->client), is_fleet ? "FleetGoodputs" : "JobGoodputs");
    else if (status == 404 && is_fleet)
        f->result = error_set(f->err, ENOENT, "%s; kubectl get fleetgoodputs lists them", error_text(err));
    else if (status == 404)
        f->result =
            error_set(f->err, ENOENT, "%s in namespace %s; kubectl goodput top -A lists those of all namespaces",
                      error_text(err), namespace_of(f));
    else if (status == 0)
        f->result =
            error_set(f->err, EIO, "cannot reach the cluster: %s; check with kubectl cluster-info", error_text(err));
    else
        f->result = error_set(f->err, EIO, "%s", error_text(err));
    loop_stop(f->loop, 1);
}

static void on_reply(void *context, int status, struct slice body, const struct error *err) {
    struct fetch *f = context;
    json_t *reply = NULL;
    if (err != NULL) {
        fail(f, status, err);
        return;
    }
    f->result = parse(body, &reply, f->err);
    if (f->result < 0 || f->name != NULL) {
        f->value = reply;
        loop_stop(f->loop, 0);
        return;
    }
    if (f->value == NULL)
        f->value = json_array();
    json_t *items = json_object_get(reply, "items");
    if (json_is_array(items))
        json_array_extend(f->value, items);
    const char *next = pick_text(reply, "metadata.continue");
    if (*next)
        ask(f, next);
    else
        loop_stop(f->loop, 0);
    json_decref(reply);
}

static void ask(struct fetch *f, const char *next) {
    char in[1024], of[1024], more[8192], labels[8192];
    const char *selector = f->options->selector ? f->options->selector : "";
    if (!kube_escape(in, sizeof in, namespace_of(f)) || !kube_escape(of, sizeof of, f->name ? f->name : "") ||
        !kube_escape(more, sizeof more, next) || !kube_escape(labels, sizeof labels, selector)) {
        f->result = error_set(f->err, EINVAL, "the name of the JobGoodput or the selector is too long");
        loop_stop(f->loop, 1);
        return;
    }
    bool is_fleet = is_fleet_named(f);
    CLEANUP_FREE char *scope =
        is_fleet || (f->options->all_namespaces && f->name == NULL) ? mem_strdup("") : mem_format("namespaces/%s/", in);
    CLEANUP_FREE char *path =
        f->name
            ? mem_format("/apis/goodput.dev/v1alpha1/%s%s/%s", scope, is_fleet ? "fleetgoodputs" : "jobgoodputs", of)
            : mem_format("/apis/goodput.dev/v1alpha1/%sjobgoodputs?limit=%d%s%s%s%s", scope, PAGE,
                         *labels ? "&labelSelector=" : "", labels, *more ? "&continue=" : "", more);
    struct kube_request request = {
        .path = path, .max_reply_bytes = MAX_REPLY_BYTES, .timeout_us = 10000000, .may_retry = *more != '\0'};
    kube_call(f->client, &request, on_reply, f);
}

static int fetch_cluster(const struct cli_options *options, const char *name, json_t **ret, char **ret_namespace,
                         struct error **err) {
    struct fetch f = {.options = options, .name = name, .err = err};
    f.loop = loop_new(err);
    if (f.loop == NULL)
        return -EIO;
    struct kube_options kube = {options->kubeconfig, options->context, "kubectl-goodput/" GOODPUT_VERSION, false};
    f.client = kube_client_new(f.loop, &kube, err);
    if (f.client == NULL) {
        loop_free(f.loop);
        return -EINVAL;
    }
    if (ret_namespace != NULL)
        *ret_namespace = mem_strdup(namespace_of(&f));
    ask(&f, "");
    loop_run(f.loop);
    kube_client_free(f.client);
    loop_free(f.loop);
    if (f.result < 0)
        json_decref(f.value);
    else
        *ret = f.value;
    return f.result;
}

static int read_all(const char *path, struct buf *out, struct error **err) {
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(err, errno, "%s: %s", path, strerror(errno));
    char chunk[65536];
    ssize_t n;
    int r = 0;
    while (r == 0 && (n = read(fd, chunk, sizeof chunk)) != 0)
        r = n < 0 ? -errno : buf_append(out, chunk, (size_t)n);
    if (fd != STDIN_FILENO)
        close(fd);
    return r < 0 ? error_set(err, -r, "%s: %s", path, strerror(-r)) : 0;
}

/* kubectl prints JSON objects only; anything else is YAML. */
static int parse_file(const char *path, struct slice bytes, json_t **ret, struct error **err) {
    struct slice start = slice_trim(bytes);
    if (start.size_bytes > 0 && start.data[0] == '{')
        return parse(bytes, ret, err) < 0 ? error_wrap(err, EINVAL, "%s", path) : 0;
    struct yamldoc doc;
    CLEANUP_BUF struct buf text;
    buf_init(&text, MAX_REPLY_BYTES);
    int r = yamldoc_read(&doc, "file", path, bytes, err);
    if (r == 0 && yamldoc_root(&doc) == NULL)
        r = error_set(err, EINVAL, "file %s: it is empty, a JobGoodput is expected", path);
    if (r == 0 && yamldoc_json(&doc, yamldoc_root(&doc), &text) < 0)
        r = error_set(err, EMSGSIZE, "file %s: the YAML has more than 32 levels or %zu bytes", path, MAX_REPLY_BYTES);
    yamldoc_done(&doc);
    return r < 0 ? r : parse(buf_slice(&text), ret, err) < 0 ? error_wrap(err, EINVAL, "file %s", path) : 0;
}

/* Reads a file with one object or a list, as kubectl get -o json or -o yaml prints them. */
static int fetch_file(const struct cli_options *options, const char *name, bool is_list, json_t **ret,
                      struct error **err) {
    CLEANUP_BUF struct buf bytes;
    buf_init(&bytes, MAX_REPLY_BYTES);
    json_t *value;
    int r = read_all(options->file, &bytes, err);
    if (r < 0)
        return r;
    r = parse_file(options->file, buf_slice(&bytes), &value, err);
    if (r < 0)
        return r;
    json_t *items = json_object_get(value, "items");
    json_t *list = json_is_array(items) ? json_incref(items) : json_pack("[O]", value);
    json_decref(value);
    if (is_list) {
        *ret = list;
        return 0;
    }
    size_t i;
    json_t *item;
    *ret = NULL;
    json_array_foreach(list, i, item) {
        if (*ret == NULL && (name == NULL || strcmp(pick_text(item, "metadata.name"), name) == 0))
            *ret = json_incref(item);
    }
    json_decref(list);
    return *ret ? 0
                : error_set(err, ENOENT, "%s: no %s \"%s\" in it", options->file,
                            is_command(options, "fleet") ? "FleetGoodput" : "JobGoodput", name ? name : "");
}

int fetch_goodputs(const struct cli_options *options, const char *name, json_t **ret, struct error **err) {
    bool is_list = is_command(options, "fleet") && name == NULL;
    return options->file ? fetch_file(options, name, is_list, ret, err) : fetch_cluster(options, name, ret, NULL, err);
}

int fetch_list(const struct cli_options *options, json_t **ret, char **ret_namespace, struct error **err) {
    return options->file ? fetch_file(options, NULL, true, ret, err)
                         : fetch_cluster(options, NULL, ret, ret_namespace, err);
}

int fetch_and_show(const struct cli_options *options,
                   void (*draw)(const json_t *job, const struct text_style *style, struct buf *out),
                   struct error **err) {
    CLEANUP_BUF struct buf out;
    json_t *job = NULL;
    buf_init(&out, (size_t)4 << 20);
    int r = fetch_goodputs(options, options->name, &job, err);
    if (r < 0)
        return r;
    if (options->output == NULL)
        draw(job, &options->style, &out);
    r = options->output ? print_as(options->output, job, err) : output_write(&out, err);
    json_decref(job);
    return r;
}
