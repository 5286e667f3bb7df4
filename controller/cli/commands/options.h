/* options: the command line of kubectl-goodput, except analyze, which has separate options. */
#ifndef CLI_COMMANDS_OPTIONS_H
#define CLI_COMMANDS_OPTIONS_H

#include "cli/kubectl/flags.h"
#include "cli/render/text.h"

#include <stdbool.h>

struct cli_whatif_options {
    const char *total_steps; /* changes, and figures in place of the measured ones; NULL: as measured */
    const char *checkpoint_interval, *save_time, *persist_time, *reschedule_time, *resume_time, *mtbf, *step_time;
    const char *chips, *image_pull_time, *hot_spares, *swap_time, *repair_time, *svg;
    bool compile_cache;
};

/* Options of fleet; NULL: not given. */
struct cli_fleet_options {
    const char *group_by, *since, *price;
};

/* Of report --owner and interval; NULL: not given. */
struct cli_window_options {
    const char *from, *to;
};

/* Options of dashboard. */
struct cli_dashboard_options {
    const char *port; /* on this machine; NULL: the page's own */
    bool no_browser;
};

/* Options of ledger. */
struct cli_ledger_options {
    const char *controller_namespace; /* NULL: FORWARD_NAMESPACE */
    const char *archive;              /* the folder of an archive; NULL: the controller is asked */
};

struct cli_options {                    /* texts borrowed from argv */
    const char *command, *name, *other; /* other: the second job of compare */
    const char *namespace_, *file, *output, *html, *selector, *sort_by;
    bool all_namespaces, watch, wants_help, wants_version, no_headers;
    struct kubectl_flags kubectl;
    struct cli_whatif_options whatif;
    struct cli_fleet_options fleet;
    const char *owner; /* of report; NULL: not given */
    struct cli_window_options window;
    struct cli_dashboard_options dashboard;
    struct cli_ledger_options ledger;
    struct text_style style;
};

#endif
