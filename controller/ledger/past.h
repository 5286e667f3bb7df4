/* past: sums up the changes of occupancies until a time, for a checkpoint without room for the occupancies themselves.
 * After a load the caller adds the sums (ledger_add_past), and adds each occupancy again with settled_ms. */
#ifndef LEDGER_PAST_H
#define LEDGER_PAST_H

#include "ledger/ledger.h"

struct ledger_past;

struct ledger_past *ledger_past_begin(struct ledger *l, int64_t until_ms);
/* True: it holds its slot at until_ms. */
bool ledger_past_occupancy(struct ledger_past *s, uint64_t id);
/* Calls `change` once per time, in no order, as if all occupancies ended at until_ms; frees the sum. */
void ledger_past_done(struct ledger_past *s, void (*change)(void *context, const struct ledger_change *change),
                      void *context);

#endif
