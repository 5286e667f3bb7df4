/* why: the root cause of a failure from logs alone, without a cluster. */
#ifndef CLI_COMMANDS_WHY_H
#define CLI_COMMANDS_WHY_H

#include "cli/render/text.h"

/* The subcommand, which has separate options. Returns the exit code: 0 also if there is no cause in the logs, 1 for a
 * file that cannot be read, 2 for wrong usage. */
int why_command(int argc, char **argv, const struct text_style *style);

#endif
