/* compare: two jobs, row by row, with an interval for each difference, and a verdict where it is outside chance. */
#ifndef CLI_COMMANDS_COMPARE_H
#define CLI_COMMANDS_COMPARE_H

#include "base/error.h"
#include "cli/commands/options.h"

int compare_check(const struct cli_options *options, struct error **err); /* -EINVAL: wrong usage */
int compare_command(const struct cli_options *options, struct error **err);

#endif
