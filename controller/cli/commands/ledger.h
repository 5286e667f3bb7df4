/* ledger: one job's ledger from the controller, span by span: as JSON lines, or as a table. */
#ifndef CLI_COMMANDS_LEDGER_H
#define CLI_COMMANDS_LEDGER_H

#include "base/buf.h"
#include "base/error.h"
#include "cli/commands/options.h"

/* The lines of the job that the command line names, from the archive or from the controller. */
int ledger_read(const struct cli_options *options, struct buf *lines, struct error **err);
int ledger_command(const struct cli_options *options, struct error **err);

#endif
