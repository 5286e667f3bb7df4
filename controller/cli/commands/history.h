/* history: the jobs of an archive, also those that no cluster has any more: a row each, and their sums as `fleet` has
 * them. */
#ifndef CLI_COMMANDS_HISTORY_H
#define CLI_COMMANDS_HISTORY_H

#include "base/error.h"
#include "cli/commands/options.h"

/* The subcommand: 0, or a negative errno with the line to print. */
int history_command(const struct cli_options *options, struct error **err);
int history_check(const struct cli_options *options, struct error **err); /* -EINVAL: wrong usage */

#endif
