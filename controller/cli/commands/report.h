/* report: one job as an HTML file; or what an owner lost of jobs, for that owner to read. */
#ifndef CLI_COMMANDS_REPORT_H
#define CLI_COMMANDS_REPORT_H

#include "base/error.h"
#include "cli/commands/options.h"

int report_check(const struct cli_options *options, struct error **err);
int report_command(const struct cli_options *options, struct error **err);

#endif
