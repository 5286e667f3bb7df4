#include "cli/commands/cluster.h"

#include "base/buf.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_REPLY_BYTES ((size_t)1 << 30)
enum { ARGUMENTS_MAX = KUBECTL_FLAGS_MAX + 32 };

static const char *const NO_MORE[] = {NULL};

struct arguments {
    const char *list[ARGUMENTS_MAX]; /* borrowed; ends in NULL */
    size_t count;
};

static bool is_command(const struct cli_options *options, const char *command) {
    return strcmp(options->command, command) == 0;
}

/* A FleetGoodput is asked for only by its name; it has no namespace. */
static bool is_fleet_named(const struct cli_options *options) {
    return options->name != NULL && is_command(options, "fleet");
}

static void add(struct arguments *a, const char *argument) {
    a->list[a->count++] = argument;
}

/* kubectl get, with the global flags of the command line. */
static void begin_get(const struct cli_options *options, const char *resource, struct arguments *a) {
    *a = (struct arguments){0};
    add(a, "get");
    add(a, resource);
    for (size_t i = 0; i < options->kubectl.count; i++)
        add(a, options->kubectl.arguments[i]);
}

/* kubectl get, of what the command line names. output: of -o; NULL: the table. more: options, ended by NULL. */
static void get_arguments(const struct cli_options *options, const char *output, const char *const *more,
                          struct arguments *a) {
    begin_get(options,
              is_fleet_named(options) ? "fleetgoodputs.v1alpha1.goodput.dev" : "jobgoodputs.v1alpha1.goodput.dev", a);
    if (options->namespace_ != NULL) {
        add(a, "--namespace");
        add(a, options->namespace_);
    }
    if (options->selector != NULL) {
        add(a, "--selector");
        add(a, options->selector);
    }
    if (options->all_namespaces && options->name == NULL)
        add(a, "--all-namespaces");
    if (output != NULL) {
        add(a, "--output");
        add(a, output);
    }
    while (*more != NULL)
        add(a, *more++);
    if (options->name != NULL) {
        add(a, "--"); /* whatever the name begins with */
        add(a, options->name);
    }
}

/* kubectl has written what is wrong; *err has only what is to be done about it, if anything. */
static int explain(const struct cli_options *options, const char *complaint, struct error **err) {
    bool is_fleet = is_fleet_named(options);
    if (strstr(complaint, "the server doesn't have a resource type") != NULL)
        return error_set(err, ENOENT, "the cluster does not serve %s: is goodput-controller installed?",
                         is_fleet ? "FleetGoodputs" : "JobGoodputs");
    if (strstr(complaint, "(NotFound)") != NULL)
        return error_set(err, ENOENT, "%s",
                         is_fleet ? "kubectl get fleetgoodputs lists them"
                                  : "kubectl goodput top -A lists the JobGoodputs of all namespaces");
    return -EIO;
}

int cluster_end(const struct cli_options *options, struct kubectl *k, struct error **err) {
    CLEANUP_FREE char *complaint = NULL;
    return kubectl_end(k, &complaint) == 0 ? 0 : explain(options, complaint, err);
}

/* Runs kubectl, which prints JSON. */
static int read_json(const struct cli_options *options, const struct arguments *a, json_t **ret, struct error **err) {
    CLEANUP_BUF struct buf bytes;
    json_error_t where;
    int r;
    buf_init(&bytes, MAX_REPLY_BYTES);
    struct kubectl *k = kubectl_start(a->list, false, err);
    if (k == NULL)
        return -ENOENT;
    while ((r = kubectl_read(k, -1, &bytes)) > 0)
        continue;
    if (r < 0) {
        kubectl_stop(k);
        kubectl_end(k, NULL);
        return error_set(err, EMSGSIZE, "the cluster has more than %zu MiB of them", MAX_REPLY_BYTES >> 20);
    }
    r = cluster_end(options, k, err);
    if (r < 0)
        return r;
    *ret = json_loadb(bytes.data, bytes.size_bytes, JSON_ALLOW_NUL, &where);
    if (*ret == NULL)
        return error_set(err, EINVAL, "kubectl get printed no JSON: line %d: %s", where.line, where.text);
    return 0;
}

/* Of a list that was read; the caller owns it, as an array. */
static json_t *items_of(json_t *reply) {
    json_t *items = json_object_get(reply, "items");
    json_t *ret = json_is_array(items) ? json_incref(items) : json_array();
    json_decref(reply);
    return ret;
}

int cluster_get(const struct cli_options *options, json_t **ret, struct error **err) {
    struct arguments a;
    json_t *reply;
    get_arguments(options, "json", NO_MORE, &a);
    int r = read_json(options, &a, &reply, err);
    if (r < 0)
        return r;
    *ret = options->name == NULL ? items_of(reply) : reply;
    return 0;
}

int cluster_list(const struct cli_options *options, const char *resource, const char *const *more, json_t **ret,
                 struct error **err) {
    struct arguments a;
    json_t *reply;
    begin_get(options, resource, &a);
    while (*more != NULL)
        add(&a, *more++);
    add(&a, "--output");
    add(&a, "json");
    int r = read_json(options, &a, &reply, err);
    if (r < 0)
        return r;
    *ret = items_of(reply);
    return 0;
}

struct kubectl *cluster_watch(const struct cli_options *options, struct error **err) {
    struct arguments a;
    get_arguments(options, "json", (const char *const[]){"--watch", "--output-watch-events", NULL}, &a);
    return kubectl_start(a.list, false, err);
}

char *cluster_none(const struct cli_options *options) {
    struct arguments a;
    CLEANUP_BUF struct buf out;
    char *complaint = NULL;
    buf_init(&out, 1 << 20);
    get_arguments(options, NULL, NO_MORE, &a);
    struct kubectl *k = kubectl_start(a.list, true, NULL);
    while (k != NULL && kubectl_read(k, -1, &out) > 0)
        continue;
    if (k != NULL && kubectl_end(k, &complaint) == 0 && *complaint != '\0')
        return complaint;
    free(complaint);
    return mem_strdup("No resources found\n");
}

bool cluster_prints(const char *output) {
    static const char *const formats[] = {"custom-columns", "custom-columns-file", "go-template",  "go-template-file",
                                          "jsonpath",       "jsonpath-as-json",    "jsonpath-file"};
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
        size_t size = strlen(formats[i]);
        if (strncmp(output, formats[i], size) == 0 && output[size] == '=')
            return true;
    }
    return false;
}

int cluster_print(const struct cli_options *options, const char *sort_path, struct error **err) {
    struct arguments a;
    CLEANUP_FREE char *sort_by = sort_path ? mem_format("--sort-by=.%s", sort_path) : NULL;
    get_arguments(options, options->output, (const char *const[]){sort_by, NULL}, &a);
    return kubectl_become(a.list, err);
}
