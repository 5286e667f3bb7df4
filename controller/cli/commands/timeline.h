/* timeline: one job's executions on a time axis. */
#ifndef CLI_COMMANDS_TIMELINE_H
#define CLI_COMMANDS_TIMELINE_H

#include "base/error.h"
#include "cli/commands/options.h"

#include <jansson.h>

/* The subcommand: 0, or a negative errno with the line to print. */
int timeline_command(const struct cli_options *options, struct error **err);

/* job: a JobGoodput. */
void timeline_draw(const json_t *job, const struct text_style *style, struct buf *out);

#endif
