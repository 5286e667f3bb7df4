/* slots: the hours of a roll and what is summed in them. */
#ifndef FLEET_SLOTS_H
#define FLEET_SLOTS_H

#include "fleet/roll.h"

/* How long a slot of this window is that stands for one alone. */
int64_t slots_unit_ms(const struct roll_options *o);
/* The slot that holds this time; made if there is none. */
struct roll_slot *slots_at(struct roll *roll, int64_t at_ms);
/* Of one group, or pool, in a slot; made if there is none. Valid until the next one is asked for. */
struct sums *slots_sums(struct roll_slot *slot, int group);
struct roll_pool *slots_pool(struct roll_slot *slot, int pool);
/* Drops slots that end at or before from_ms. */
void slots_forget(struct roll *roll, int64_t from_ms);
/* Sums pairs of neighbors in the older half; false: there is nothing left to sum. */
bool slots_coarsen(struct roll *roll);
void slots_free(struct roll_slot *slot); /* what it holds */

#endif
