/* report: one job's pictures as an HTML file that needs nothing else. */
#ifndef CLI_COMMANDS_REPORT_H
#define CLI_COMMANDS_REPORT_H

#include "base/error.h"
#include "cli/commands/options.h"

int report_command(const struct cli_options *options, struct error **err);

#endif
