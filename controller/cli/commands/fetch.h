/* fetch: JobGoodputs from the cluster (one GET, or a paged list) or from a file. */
#ifndef CLI_COMMANDS_FETCH_H
#define CLI_COMMANDS_FETCH_H

#include "base/error.h"
#include "cli/commands/options.h"

#include <jansson.h>

/* Reads from the cluster, or from options->file ("-": standard input): one object if name is given, else an array. The
 * caller owns *ret. */
int fetch_goodputs(const struct cli_options *options, const char *name, json_t **ret, struct error **err);
/* The same, always an array. *ret_namespace: that of the command line or the context; NULL for a file. The caller frees
 * both. */
int fetch_list(const struct cli_options *options, json_t **ret, char **ret_namespace, struct error **err);
/* Fetches one job and prints it in the format of -o, or draws it. */
int fetch_and_show(const struct cli_options *options,
                   void (*draw)(const json_t *job, const struct text_style *style, struct buf *out),
                   struct error **err);

#endif
