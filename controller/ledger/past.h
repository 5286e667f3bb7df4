/* past: sums up what occupancies did until a time, for a checkpoint that has no room for the occupancies themselves.
 * Whoever loads it adds the sums (ledger_add_past), and adds each occupancy again with settled_ms. */
#ifndef LEDGER_PAST_H
#define LEDGER_PAST_H

#include "ledger/ledger.h"

struct ledger_past;

struct ledger_past *ledger_past_begin(struct ledger *l, int64_t until_ms);
/* True: it holds its slot at until_ms. */
bool ledger_past_occupancy(struct ledger_past *s, uint64_t id);
/* Hands on what they did, each time once, in no order, as if all of them ended at until_ms; frees the sum. */
void ledger_past_done(struct ledger_past *s, void (*change)(void *context, const struct ledger_change *change),
                      void *context);

#endif
