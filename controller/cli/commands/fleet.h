/* fleet: many JobGoodputs as one, by group: the present ones, rolled up by the module that keeps a FleetGoodput
 * (fleet/roll.h, fleet/outcome.h), or a FleetGoodput's status. */
#ifndef CLI_COMMANDS_FLEET_H
#define CLI_COMMANDS_FLEET_H

#include "base/error.h"
#include "cli/commands/options.h"

#include <jansson.h>

/* The options of fleet. */
struct fleet_view {
    const char *group_by; /* "queue,label:team"; NULL: namespace */
    int64_t
        since_ms; /* 0: the whole time of the jobs; else the length of the window, which ends with the newest of them */
    double price; /* per chip-hour; NAN: the jobs' own prices */
};

/* The subcommand: 0, or a negative errno with the line to print. */
int fleet_command(const struct cli_options *options, struct error **err);
int fleet_command_check(const struct cli_options *options, struct error **err); /* -EINVAL: wrong usage */

/* -EINVAL with *err. */ int fleet_view_of(const struct cli_options *options, struct fleet_view *view,
                                           struct error **err);
/* list: an array of JobGoodputs. */
void fleet_command_draw(const json_t *list, const struct fleet_view *view, const struct text_style *style,
                        struct buf *out);
json_t *fleet_command_json(const json_t *list, const struct fleet_view *view); /* caller owns */

#endif
