/* fleet: many JobGoodputs as one, by group: those that are there, rolled up at once by the module that keeps a
 * FleetGoodput (fleet/roll.h, fleet/outcome.h), or a FleetGoodput's own status. */
#ifndef CLI_COMMANDS_FLEET_H
#define CLI_COMMANDS_FLEET_H

#include "base/error.h"
#include "cli/commands/options.h"

#include <jansson.h>

/* What the options ask for. */
struct fleet_view {
    const char *group_by; /* "queue,label:team"; NULL: namespace */
    int64_t since_ms;     /* 0: all the time that the jobs tell of; else the window's
                             length, to the newest of them */
    double price;         /* per chip-hour; NAN: the jobs' own */
};

/* The subcommand: 0, or a negative errno with the line to print. */
int fleet_command(const struct cli_options *options, struct error **err);
int fleet_command_check(const struct cli_options *options, struct error **err); /* -EINVAL: wrong usage */

/* -EINVAL and the line to print. */
int fleet_view_of(const struct cli_options *options, struct fleet_view *view, struct error **err);
/* list: an array of JobGoodputs. */
void fleet_command_draw(const json_t *list, const struct fleet_view *view, const struct text_style *style,
                        struct buf *out);
json_t *fleet_command_json(const json_t *list, const struct fleet_view *view); /* caller owns */

#endif
