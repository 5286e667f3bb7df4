/* fetch: JobGoodputs from the cluster or from a file. */
#ifndef CLI_COMMANDS_FETCH_H
#define CLI_COMMANDS_FETCH_H

#include "base/error.h"
#include "cli/commands/options.h"

#include <jansson.h>

/* Reads from the cluster, or from options->file ("-": standard input): the object that the command line names (of a
 * file the first one without a name), or an array of all. The caller owns *ret. */
int fetch_goodput(const struct cli_options *options, json_t **ret, struct error **err);
int fetch_list(const struct cli_options *options, json_t **ret, struct error **err);
/* Fetches one job and prints it in the format of -o, or draws it. */
int fetch_and_show(const struct cli_options *options,
                   void (*draw)(const json_t *job, const struct text_style *style, struct buf *out),
                   struct error **err);

#endif
