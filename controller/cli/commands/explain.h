/* explain: where one job's wall time went, and why. */
#ifndef CLI_COMMANDS_EXPLAIN_H
#define CLI_COMMANDS_EXPLAIN_H

#include "base/error.h"
#include "cli/commands/options.h"

#include <jansson.h>

/* The subcommand: 0, or a negative errno with the line to print. */
int explain_command(const struct cli_options *options, struct error **err);

/* job: a JobGoodput. */
void explain_draw(const json_t *job, const struct text_style *style, struct buf *out);

#endif
