/* run_targets: the jobs that are targets of a run, from an archive or from the cluster. */
#ifndef CLI_COMMANDS_RUN_TARGETS_H
#define CLI_COMMANDS_RUN_TARGETS_H

#include "cli/commands/interval_sums.h"
#include "cli/commands/options.h"
#include "formulas/run.h"

#define RUN_LABEL "goodput.dev/run"

struct run_member { /* texts are borrowed from its lines */
    struct job_lines lines;
    struct interval_sums sums;                                      /* of all its time; without any time all zero */
    const char *cluster, *namespace_, *name, *uid, *target, *phase; /* phase "": it runs */
    bool is_labeled;
    int64_t first_step, last_step; /* RUN_NO_STEP */
};

struct run_members { /* of one run, in order of their start */
    struct run_member **items;
    struct run_target *targets; /* of each member */
    size_t count, capacity;
    int64_t number; /* of the run among those of the name: from 1 */
};

/* The newest run of that name. */
int run_members_read(const struct cli_options *options, const char *run, struct run_members *ret, struct error **err);
void run_members_done(struct run_members *members);

#endif
