/* watch: a list of JobGoodputs drawn again when it changes, at most twice a second, until SIGINT or SIGTERM. */
#ifndef CLI_COMMANDS_WATCH_H
#define CLI_COMMANDS_WATCH_H

#include "base/buf.h"
#include "base/error.h"
#include "cli/commands/options.h"

#include <jansson.h>

int watch_goodputs(const struct cli_options *options,
                   void (*draw)(const json_t *list, const struct cli_options *options, struct buf *out),
                   struct error **err);

#endif
