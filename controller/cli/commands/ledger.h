/* ledger: one job's ledger from the controller, span by span: as JSON lines, or as a table. */
#ifndef CLI_COMMANDS_LEDGER_H
#define CLI_COMMANDS_LEDGER_H

#include "base/error.h"
#include "cli/commands/options.h"

int ledger_command(const struct cli_options *options, struct error **err);

#endif
