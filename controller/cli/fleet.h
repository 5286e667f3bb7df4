/* fleet: many JobGoodputs as one, by group: those that are there, rolled up at once by the module that keeps a
 * FleetGoodput (fleet/roll.h, fleet/outcome.h), or a FleetGoodput's own status. */
#ifndef CLI_FLEET_H
#define CLI_FLEET_H

#include "cli/cli.h"

/* What the options ask for. */
struct fleet_view {
    const char *group_by; /* "queue,label:team"; NULL: namespace */
    int64_t since_ms;     /* 0: all the time that the jobs tell of; else the window's
                             length, to the newest of them */
    double price;         /* per chip-hour; NAN: the jobs' own */
};

/* -EINVAL and the line to print. */
int fleet_view_of(const struct cli_options *options, struct fleet_view *view, struct error **err);
/* list: an array of JobGoodputs. */
void cli_fleet_draw(const json_t *list, const struct fleet_view *view, const struct text_style *style, struct buf *out);
/* fleet: a FleetGoodput. */
void cli_fleet_object_draw(const json_t *fleet, const struct text_style *style, struct buf *out);
json_t *cli_fleet_json(const json_t *list, const struct fleet_view *view); /* caller owns */

#endif
