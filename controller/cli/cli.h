/* cli: kubectl-goodput. commands/ holds a file for each command, render/ what they draw with, analyze/ the reading of
 * step logs, whatif/ the forecast. Everything is drawn into a buffer, so that tests need no cluster and no terminal. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/error.h"
#include "cli/commands/options.h"

/* The whole program; the exit code: 0, 1 for a failure, 2 for wrong usage. */
int cli_main(int argc, char **argv);

/* What argv says, but for analyze. -EINVAL and the line to print. */
int cli_parse(struct cli_options *options, int argc, char **argv, struct error **err);

#endif
