/* cli: kubectl-goodput. commands/ has a file per command, render/ draws, analyze/ reads step logs, whatif/ forecasts.
 * All output goes to a buffer first, so that tests need no cluster and no terminal. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/error.h"
#include "cli/commands/options.h"

/* Runs the whole program. Returns the exit code: 0, 1 for a failure, 2 for wrong usage. */
int cli_main(int argc, char **argv);

/* Parses argv for all commands but analyze. -EINVAL with *err, the line to print. */
int cli_parse(struct cli_options *options, int argc, char **argv, struct error **err);

#endif
