/* analyze: evaluates a job's step logs without a cluster: by the ledger, by the Python library's arithmetic, or
 * both. */
#ifndef CLI_COMMANDS_ANALYZE_H
#define CLI_COMMANDS_ANALYZE_H

#include "cli/render/text.h"

/* argv[0] is "analyze". Returns the exit code. */
int analyze_command(int argc, char **argv, const struct text_style *style);

#endif
