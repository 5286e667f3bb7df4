/* options: what the command line of kubectl-goodput says, but for analyze, which has options of its own. */
#ifndef CLI_COMMANDS_OPTIONS_H
#define CLI_COMMANDS_OPTIONS_H

#include "cli/render/text.h"

#include <stdbool.h>

struct cli_whatif_options {
    const char *total_steps; /* what to change, and figures in place of the measured ones; NULL: as it is */
    const char *checkpoint_interval, *save_time, *persist_time, *reschedule_time, *resume_time, *mtbf, *step_time;
    const char *chips, *hot_spares, *swap_time, *repair_time, *svg;
    bool preload_image, compile_cache;
};

/* Of fleet: as given, NULL if not. */
struct cli_fleet_options {
    const char *group_by, *since, *price;
};

struct cli_options { /* texts borrowed from argv */
    const char *command, *name;
    const char *namespace_, *kubeconfig, *context, *file, *output, *html;
    bool all_namespaces, watch, wants_help;
    struct cli_whatif_options whatif;
    struct cli_fleet_options fleet;
    struct text_style style;
};

#endif
