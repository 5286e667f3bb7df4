/* whatif: the goodput to expect with other figures than a job's measured ones. */
#ifndef CLI_COMMANDS_WHATIF_H
#define CLI_COMMANDS_WHATIF_H

#include "base/error.h"
#include "cli/commands/options.h"

/* The subcommand: 0, or a negative errno with the line to print. */
int whatif_command(const struct cli_options *options, struct error **err);
int whatif_check(const struct cli_options *options, struct error **err); /* -EINVAL: wrong usage */

#endif
