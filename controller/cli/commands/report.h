/* report: one job's charts as one self-contained HTML file. */
#ifndef CLI_COMMANDS_REPORT_H
#define CLI_COMMANDS_REPORT_H

#include "base/error.h"
#include "cli/commands/options.h"

int report_command(const struct cli_options *options, struct error **err);

#endif
