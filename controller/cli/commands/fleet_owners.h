/* fleet_owners: who owns the lost chip time of a list of jobs, and the classes of their root causes. */
#ifndef CLI_COMMANDS_FLEET_OWNERS_H
#define CLI_COMMANDS_FLEET_OWNERS_H

#include "cli/render/text.h"
#include "fleet/sums.h"

#include <jansson.h>

/* price: per chip-hour; NAN: the jobs' own. */
void fleet_owners_draw(const struct sums *sums, double price, bool is_priced, const struct text_style *style,
                       struct buf *out);
/* Adds byOwner and byClass. */
void fleet_owners_add(json_t *to, const struct sums *sums, double price);

#endif
