/* interval NAME --from TIME --to TIME: where a window of one job's time went, from its ledger's lines. */
#ifndef CLI_COMMANDS_INTERVAL_H
#define CLI_COMMANDS_INTERVAL_H

#include "base/error.h"
#include "cli/commands/options.h"

int interval_command(const struct cli_options *options, struct error **err);
int interval_check(const struct cli_options *options, struct error **err);

#endif
