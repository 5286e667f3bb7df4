/* analyze: evaluates a job's step logs without a cluster: by the ledger, by the Python library's arithmetic, or
 * both. */
#ifndef CLI_COMMANDS_ANALYZE_H
#define CLI_COMMANDS_ANALYZE_H

#include "base/error.h"
#include "cli/render/text.h"

/* The ledger of a log (a file, or a quoted pattern of several) as JSON lines, and with trace the ends of at most
 * max_steps of its steps (operator/job/trace.h). */
int analyze_lines(const char *path, size_t max_steps, struct buf *lines, struct buf *trace, struct error **err);

/* argv[0] is "analyze". Returns the exit code. */
int analyze_command(int argc, char **argv, const struct text_style *style);

#endif
