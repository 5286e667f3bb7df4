/* slots: the hours of a roll and what is summed in them. */
#ifndef FLEET_SLOTS_H
#define FLEET_SLOTS_H

#include "fleet/roll.h"

/* How long a slot of this window is that stands for one alone. */
int64_t slots_unit_ms(const struct roll_options *o);
/* The slot that holds this time, or the first one that is not closed; made if there is none. */
struct roll_slot *slots_at(struct roll *roll, int64_t at_ms);
/* Of one group, or pool, in a slot; made if there is none. Valid until the next one is asked for. */
struct sums *slots_sums(struct roll_slot *slot, int group);
struct roll_pool *slots_pool(struct roll_slot *slot, int pool);
/* The index of a pool's name, which is added; -1: there are too many. */
int slots_pool_place(struct roll *roll, const char *name);
/* Until when slots are in the archive; 0: none is. */
int64_t slots_archived_until(const struct roll *roll);
/* How many slots end at or before until_ms. */
size_t slots_ended(const struct roll *roll, int64_t until_ms);
/* From now on nothing before until_ms changes. The slots of a day become one, but those that reach into another. */
void slots_close(struct roll *roll, int64_t until_ms);
/* An empty slot of exactly this time, between those that are there. */
struct roll_slot *slots_insert(struct roll *roll, int64_t from_ms, int64_t until_ms);
/* Drops slots that end at or before from_ms. */
void slots_forget(struct roll *roll, int64_t from_ms);
/* Sums pairs of neighbors that are not closed, the older ones first, to at most a third of the window; longer ones
 * would keep far more than the window. False: there is nothing left to sum. */
bool slots_coarsen(struct roll *roll);
bool slots_coarsen_more(struct roll *roll); /* to any length */
void slots_free(struct roll_slot *slot);    /* what it holds */

#endif
