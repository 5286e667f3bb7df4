/* dashboard: opens the controller's page in the browser, through kubectl port-forward, until the user ends it. */
#ifndef CLI_COMMANDS_DASHBOARD_H
#define CLI_COMMANDS_DASHBOARD_H

#include "base/error.h"
#include "cli/commands/options.h"

int dashboard_command(const struct cli_options *options, struct error **err);
int dashboard_check(const struct cli_options *options, struct error **err);

#endif
