/* compare_side: what a name on the command line of compare stands for: one job, a run, or the jobs of an archive that a
 * pattern names. */
#ifndef CLI_COMMANDS_COMPARE_SIDE_H
#define CLI_COMMANDS_COMPARE_SIDE_H

#include "cli/commands/options.h"
#include "export/comparison.h"

/* The ledgers of side->name. The error names it. */
int compare_side_read(const struct cli_options *options, struct comparison_side *side, struct error **err);

#endif
