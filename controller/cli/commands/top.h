/* top: the jobs that lose the most chip-hours first, a line each, and the sum over all. */
#ifndef CLI_COMMANDS_TOP_H
#define CLI_COMMANDS_TOP_H

#include "base/error.h"
#include "cli/commands/options.h"

#include <jansson.h>

/* The subcommand: 0, or a negative errno with the line to print. */
int top_command(const struct cli_options *options, struct error **err);

/* Checks --sort-by: wrong usage is -EINVAL. */
int top_check(const struct cli_options *options, struct error **err);

/* list: an array of JobGoodputs; one without members draws nothing. */
void top_draw(const json_t *list, const struct cli_options *options, struct buf *out);

#endif
