#include "cli/commands/dashboard.h"

#include "base/mem.h"
#include "base/slice.h"
#include "cli/commands/cluster.h"
#include "cli/interrupt.h"
#include "cli/kubectl/browser.h"
#include "cli/render/output.h"
#include "cli/render/pick.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMESPACE "goodput-system" /* of the README's helm install */
#define PAGE_FLAG "--page-bind-address="
enum { TURN_MS = 300, OUTPUT_MAX_BYTES = 1 << 20 };

int dashboard_check(const struct cli_options *options, struct error **err) {
    if (options->file != NULL || options->output != NULL || options->all_namespaces)
        return error_set(err, EINVAL, "dashboard takes no -f, -o and -A; -n is the controller's namespace");
    const char *port = options->dashboard.port;
    char *end = NULL;
    if (port != NULL && (strtoul(port, &end, 10) > UINT16_MAX || end == port || *end != '\0' || *port == '-'))
        return error_set(err, EINVAL, "--port %s: not a port; 0 is a free one", port);
    return 0;
}

/* The port of the page in a pod of the controller, from its flags; NULL if it serves none. Borrowed. */
static const char *page_port_of(const json_t *pod) {
    const json_t *containers = pick(pod, "spec.containers"), *container, *flag;
    const char *port = NULL;
    size_t i, k;
    json_array_foreach(containers, i, container) json_array_foreach(json_object_get(container, "args"), k, flag) {
        const char *text = json_string_value(flag), *colon = text ? strrchr(text, ':') : NULL;
        if (text != NULL && strncmp(text, PAGE_FLAG, strlen(PAGE_FLAG)) == 0)
            port = colon != NULL ? colon + 1 : NULL;
    }
    return port;
}

/* Any replica has the page, the one that waits for the lease, too. */
static int find(const struct cli_options *options, const char *namespace_, json_t **ret_pods, const char **ret_pod,
                const char **ret_port, struct error **err) {
    const char *const more[] = {"--namespace",
                                namespace_,
                                "--selector",
                                "app.kubernetes.io/name=goodput-controller",
                                "--field-selector",
                                "status.phase=Running",
                                NULL};
    int r = cluster_list(options, "pods", more, ret_pods, err);
    if (r < 0)
        return r;
    const json_t *pod = json_array_get(*ret_pods, 0);
    if (pod == NULL)
        return error_set(err, ENOENT,
                         "no pod of goodput-controller runs in namespace %s: -n names the controller's namespace",
                         namespace_);
    *ret_pod = pick_text(pod, "metadata.name");
    *ret_port = page_port_of(pod);
    if (*ret_port == NULL)
        return error_set(err, ENOENT, "pod %s serves no page: set page.enabled in the chart", *ret_pod);
    return 0;
}

/* What kubectl writes first is where it listens: Forwarding from 127.0.0.1:8082 -> 8082. */
static bool read_port(struct slice printed, char *out, size_t out_size) {
    static const char before[] = "Forwarding from 127.0.0.1:";
    const char *at = slice_find(printed, before);
    struct slice rest = printed, port;
    if (at == NULL)
        return false;
    rest = slice_skip(printed, (size_t)(at - printed.data) + strlen(before));
    return slice_take_until(&rest, ' ', &port) && slice_copy(out, out_size, port);
}

static int show(const char *port, bool wants_browser, struct error **err) {
    CLEANUP_FREE char *address = mem_format("http://localhost:%s/", port);
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1024);
    buf_format(&out, "%s\nThe page is there until you press Ctrl-C.\n", address);
    if (wants_browser && !browser_open(address))
        buf_append_text(&out, "No browser could be started: open that address yourself.\n");
    return output_write(&out, err);
}

/* Until kubectl ends or the user ends this. */
static int forward(const struct cli_options *options, const char *const *arguments, struct error **err) {
    CLEANUP_BUF struct buf printed;
    char port[8];
    bool is_shown = false, wants_browser = isatty(STDOUT_FILENO) && !options->dashboard.no_browser;
    buf_init(&printed, OUTPUT_MAX_BYTES);
    interrupt_defer();
    struct kubectl *k = kubectl_start(arguments, false, err);
    if (k == NULL)
        return -ENOENT;
    int r = 1;
    while (r > 0 && !interrupt_came()) {
        r = kubectl_read(k, TURN_MS, &printed);
        if (r >= 0 && !is_shown && read_port(buf_slice(&printed), port, sizeof port)) {
            int shown = show(port, wants_browser, err);
            r = shown < 0 ? shown : r;
            is_shown = true;
        }
        if (is_shown)
            buf_clear(&printed); /* a line for each connection */
    }
    if (interrupt_came() || r < 0) {
        kubectl_stop(k);
        kubectl_end(k, NULL);
        return r < 0 ? r : 0;
    }
    if (kubectl_end(k, NULL) == 0)
        return 0;
    return is_shown ? error_set(err, EIO, "the connection to the page has ended: start dashboard again")
                    : error_set(err, EIO, "kubectl port-forward failed: --port 0 takes a port that is free");
}

int dashboard_command(const struct cli_options *options, struct error **err) {
    const char *namespace_ = options->namespace_ ? options->namespace_ : NAMESPACE, *pod = NULL, *port = NULL;
    const char *arguments[KUBECTL_FLAGS_MAX + 8];
    json_t *pods = NULL;
    size_t count = 0;
    int r = find(options, namespace_, &pods, &pod, &port, err);
    if (r == 0) {
        CLEANUP_FREE char *ports = mem_format("%s:%s", options->dashboard.port ? options->dashboard.port : port, port);
        CLEANUP_FREE char *object = mem_format("pod/%s", pod);
        const char *const words[] = {"port-forward", "--address", "127.0.0.1", "--namespace",
                                     namespace_,     object,      ports};
        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
            arguments[count++] = words[i];
        for (size_t i = 0; i < options->kubectl.count; i++)
            arguments[count++] = options->kubectl.arguments[i];
        arguments[count] = NULL;
        r = forward(options, arguments, err);
    }
    json_decref(pods);
    return r;
}
