/* forward: the controller's page by kubectl port-forward: which pods serve it, and a process of kubectl that listens
 * for it on this machine. */
#ifndef CLI_COMMANDS_FORWARD_H
#define CLI_COMMANDS_FORWARD_H

#include "base/error.h"
#include "cli/commands/options.h"
#include "cli/kubectl/kubectl.h"

#include <jansson.h>

#define FORWARD_NAMESPACE "goodput-system" /* of the README's helm install */
enum { FORWARD_TURN_MS = 300, FORWARD_OUTPUT_MAX_BYTES = 1 << 20 };

/* The controller's running pods, at least one; any replica has the page. The caller owns *ret, an array. */
int forward_list(const struct cli_options *options, const char *namespace_, json_t **ret, struct error **err);
/* port: here; "0": a free one, NULL: that of the page. NULL with *err if the pod serves no page. */
struct kubectl *forward_start(const struct cli_options *options, const char *namespace_, const json_t *pod,
                              const char *port, struct error **err);
/* The port here, once kubectl has written it. */
bool forward_read_port(struct slice printed, char *out, size_t out_size);

#endif
