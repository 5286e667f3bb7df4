#include "cli/commands/dashboard.h"

#include "base/mem.h"
#include "cli/commands/forward.h"
#include "cli/interrupt.h"
#include "cli/kubectl/browser.h"
#include "cli/render/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int dashboard_check(const struct cli_options *options, struct error **err) {
    const char *port = options->dashboard.port;
    char *end = NULL;
    if (port != NULL && (strtoul(port, &end, 10) > UINT16_MAX || end == port || *end != '\0' || *port == '-'))
        return error_set(err, EINVAL, "--port %s: not a port; 0 is a free one", port);
    return 0;
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
static int forward(const struct cli_options *options, const char *namespace_, const json_t *pod, struct error **err) {
    CLEANUP_BUF struct buf printed;
    char port[8];
    bool is_shown = false, wants_browser = isatty(STDOUT_FILENO) && !options->dashboard.no_browser;
    buf_init(&printed, FORWARD_OUTPUT_MAX_BYTES);
    interrupt_defer();
    struct kubectl *k = forward_start(options, namespace_, pod, options->dashboard.port, err);
    if (k == NULL)
        return -ENOENT;
    int r = 1;
    while (r > 0 && !interrupt_came()) {
        r = kubectl_read(k, FORWARD_TURN_MS, &printed);
        if (r >= 0 && !is_shown && forward_read_port(buf_slice(&printed), port, sizeof port)) {
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
    const char *namespace_ = options->namespace_ ? options->namespace_ : FORWARD_NAMESPACE;
    json_t *pods = NULL;
    int r = forward_list(options, namespace_, &pods, err);
    if (r < 0)
        return r;
    r = forward(options, namespace_, json_array_get(pods, 0), err);
    json_decref(pods);
    return r;
}
