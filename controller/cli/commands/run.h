/* run NAME: the targets of one training run as one job: its time, the time between them, and the work that later ones
 * did again. */
#ifndef CLI_COMMANDS_RUN_H
#define CLI_COMMANDS_RUN_H

#include "base/error.h"
#include "cli/commands/options.h"

int run_command(const struct cli_options *options, struct error **err);

#endif
