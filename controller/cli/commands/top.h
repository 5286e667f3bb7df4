/* top: the jobs that lose the most chip-hours first, a line each, and the sum over all. */
#ifndef CLI_COMMANDS_TOP_H
#define CLI_COMMANDS_TOP_H

#include "base/error.h"
#include "cli/commands/options.h"

#include <jansson.h>

/* The subcommand: 0, or a negative errno with the line to print. */
int top_command(const struct cli_options *options, struct error **err);

/* list: an array of JobGoodputs. */
void top_draw(const json_t *list, bool with_namespace, bool is_wide, const struct text_style *style, struct buf *out);

#endif
