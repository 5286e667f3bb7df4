/* kubectl: how the plugin reaches the API server: through a process of kubectl, so that the user's kubeconfig,
 * credential plugins and flags work as they do there. The only module of the plugin that starts a process. What kubectl
 * writes to standard error appears there at once, unchanged. */
#ifndef CLI_KUBECTL_KUBECTL_H
#define CLI_KUBECTL_KUBECTL_H

#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>

struct kubectl;

/* Starts the program that the variable KUBECTL names, else kubectl of PATH. arguments: those after the program's name,
 * ended by NULL. is_quiet: its standard error is kept only. NULL with *err if there is no such program. */
struct kubectl *kubectl_start(const char *const *arguments, bool is_quiet, struct error **err);
/* Waits up to timeout_ms (-1: without end) and appends what kubectl wrote to standard output. Returns 1, also where
 * nothing came; 0 at the end of the output; -EMSGSIZE if out is full. */
int kubectl_read(struct kubectl *k, int timeout_ms, struct buf *out);
/* Asks kubectl to end. */
void kubectl_stop(struct kubectl *k);
/* Waits for the end and frees k. Returns the exit code. ret_complaint: its standard error, which the caller frees;
 * may be NULL. */
int kubectl_end(struct kubectl *k, char **ret_complaint);
/* Becomes kubectl; returns only with an error. */
int kubectl_become(const char *const *arguments, struct error **err);

#endif
