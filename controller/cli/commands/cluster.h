/* cluster: what kubectl get reads of the cluster, with the flags of the command line. A failure that kubectl has
 * written to standard error already comes back without *err, or with what can be done about it. */
#ifndef CLI_COMMANDS_CLUSTER_H
#define CLI_COMMANDS_CLUSTER_H

#include "base/error.h"
#include "cli/commands/options.h"
#include "cli/kubectl/kubectl.h"

#include <jansson.h>

/* The object that the command line names, or an array of all JobGoodputs. The caller owns *ret. */
int cluster_get(const struct cli_options *options, json_t **ret, struct error **err);
/* Another list, such as pods. more: options, ended by NULL. The caller owns *ret, an array. */
int cluster_list(const struct cli_options *options, const char *resource, const char *const *more, json_t **ret,
                 struct error **err);
/* Starts to watch the list. kubectl first repeats all of it as additions; one event a line, such as
 * {"type":"ADDED","object":{...}}. */
struct kubectl *cluster_watch(const struct cli_options *options, struct error **err);
/* The end of that process: 0, or a failure. */
int cluster_end(const struct cli_options *options, struct kubectl *k, struct error **err);
/* What kubectl says of a list that is empty, such as "No resources found in team namespace.\n". The caller frees it. */
char *cluster_none(const struct cli_options *options);

/* Whether only kubectl prints this format: jsonpath=..., custom-columns=... */
bool cluster_prints(const char *output);
/* Becomes kubectl, which prints in that format. sort_path: of --sort-by; NULL: none. Returns only with an error. */
int cluster_print(const struct cli_options *options, const char *sort_path, struct error **err);

#endif
