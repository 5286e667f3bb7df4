#include "cli/commands/forward.h"

#include "base/mem.h"
#include "base/slice.h"
#include "cli/commands/cluster.h"
#include "cli/render/pick.h"

#include <errno.h>
#include <string.h>

#define PAGE_FLAG "--page-bind-address="

int forward_list(const struct cli_options *options, const char *namespace_, json_t **ret, struct error **err) {
    const char *const more[] = {"--namespace",
                                namespace_,
                                "--selector",
                                "app.kubernetes.io/name=goodput-controller",
                                "--field-selector",
                                "status.phase=Running",
                                NULL};
    int r = cluster_list(options, "pods", more, ret, err);
    if (r < 0 || json_array_size(*ret) > 0)
        return r;
    json_decref(*ret);
    return error_set(err, ENOENT,
                     "no pod of goodput-controller runs in namespace %s: %s names the controller's namespace",
                     namespace_, strcmp(options->command, "dashboard") == 0 ? "-n" : "--controller-namespace");
}

/* The port of the page in that pod, from its flags; NULL with *err if it serves none. Borrowed. */
static const char *page_port(const json_t *pod, struct error **err) {
    const json_t *containers = pick(pod, "spec.containers"), *container, *flag;
    const char *port = NULL;
    size_t i, k;
    json_array_foreach(containers, i, container) json_array_foreach(json_object_get(container, "args"), k, flag) {
        const char *text = json_string_value(flag), *colon = text ? strrchr(text, ':') : NULL;
        if (text != NULL && strncmp(text, PAGE_FLAG, strlen(PAGE_FLAG)) == 0)
            port = colon != NULL ? colon + 1 : NULL;
    }
    if (port == NULL)
        error_set(err, ENOENT, "pod %s serves no page: set page.enabled in the chart", pick_text(pod, "metadata.name"));
    return port;
}

struct kubectl *forward_start(const struct cli_options *options, const char *namespace_, const json_t *pod,
                              const char *port, struct error **err) {
    const char *arguments[KUBECTL_FLAGS_MAX + 8], *there = page_port(pod, err);
    size_t count = 0;
    if (there == NULL)
        return NULL;
    CLEANUP_FREE char *ports = mem_format("%s:%s", port != NULL ? port : there, there);
    CLEANUP_FREE char *object = mem_format("pod/%s", pick_text(pod, "metadata.name"));
    const char *const words[] = {"port-forward", "--address", "127.0.0.1", "--namespace", namespace_, object, ports};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        arguments[count++] = words[i];
    for (size_t i = 0; i < options->kubectl.count; i++)
        arguments[count++] = options->kubectl.arguments[i];
    arguments[count] = NULL;
    return kubectl_start(arguments, false, err);
}

/* What kubectl writes first is where it listens: Forwarding from 127.0.0.1:8082 -> 8082. */
bool forward_read_port(struct slice printed, char *out, size_t out_size) {
    static const char before[] = "Forwarding from 127.0.0.1:";
    const char *at = slice_find(printed, before);
    struct slice rest = printed, port;
    if (at == NULL)
        return false;
    rest = slice_skip(printed, (size_t)(at - printed.data) + strlen(before));
    return slice_take_until(&rest, ' ', &port) && slice_copy(out, out_size, port);
}
