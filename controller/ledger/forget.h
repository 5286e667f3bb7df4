/* forget: what a long job's occupancies leave once all of it is over: numbers. An occupancy that is lost and whose slot
 * another took over changes nothing any more but the sums of what all occupancies do (ledger_change), and what names
 * it: evidence. So those that no result names can be forgotten with all their facts, and the results stay as they are,
 * as long as no fact of that time comes later.
 *
 * After an evaluation whose results are the newest: begin, ask for each occupancy and for its other facts, forget
 * it, done. No fact may be added meanwhile. What names an occupancy now may come to nothing while the time is young:
 * what was named as of steady_ms stays as well. */
#ifndef LEDGER_FORGET_H
#define LEDGER_FORGET_H

#include "ledger/ledger.h"

struct ledger_forgetting;

struct ledger_forgetting *ledger_forget_begin(struct ledger *l, int64_t steady_ms);

/* One that ended another by its begin cannot be forgotten before that; the newest one of its slot only where that is
 * asked for: none that was created before it was lost may be added later. */
bool ledger_can_forget_occupancy(const struct ledger_forgetting *f, uint64_t id, bool even_newest);
/* A hold that the time of is not settled, and that wins at some time of it, cannot. */
bool ledger_can_forget_hold(const struct ledger_forgetting *f, enum bucket kind, uint64_t key);
bool ledger_can_forget_disruption(const struct ledger_forgetting *f, uint64_t key);

/* With its restarts and silences. What it did goes to `change`, each time once, in no order: it is not added to the
 * past by itself. */
void ledger_forget_occupancy(struct ledger_forgetting *f, uint64_t id,
                             void (*change)(void *context, const struct ledger_change *change), void *context);
void ledger_forget_hold(struct ledger_forgetting *f, enum bucket kind, uint64_t key);
void ledger_forget_disruption(struct ledger_forgetting *f, enum cause cause, uint64_t key);

void ledger_forget_done(struct ledger_forgetting *f); /* frees it */

#endif
