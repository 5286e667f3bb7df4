/* slots: how lives add up. Private to ledger/. Before a life or one of its gaps changes slots_take, and slots_put after
 * it; slots.c keeps the sums right for the next slot_timeline_get. */
#ifndef LEDGER_SLOTS_H
#define LEDGER_SLOTS_H

#include "ledger/facts.h"

void slots_take(struct ledger *l, size_t position); /* of the life in its store */
void slots_put(struct ledger *l, size_t position);
/* Between the two: what it was, and what it is now. */
void slots_moved(struct ledger *l, const struct life_fact *before, const struct life_fact *now);
void slots_put_gap(struct ledger *l, bool is_silence, size_t position, bool is_new);
/* Adds what the life does, summed per time; the table is the caller's. */
void slots_add_life(const struct ledger *l, size_t position, struct slot_changes *changes);
bool slots_is_held(const struct ledger *l, size_t position, int64_t at_ms);
/* Nothing that its slot does later changes what it did: the next one has begun, or it was lost before. And no other one
 * of the slot ended only because it began. */
bool slots_is_past(const struct ledger *l, size_t position);
bool slots_is_newest(const struct ledger *l, size_t position);
void slots_put_past(struct ledger *l, const struct ledger_change *change);
void slots_done(struct ledger *l); /* all is made anew when it is asked for */

#endif
