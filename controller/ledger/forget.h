/* forget: replaces the ended occupancies of a long job by sums. An occupancy that is lost and whose slot another one
 * took over matters only in the sums over all occupancies (ledger_change) and in evidence that names it. So occupancies
 * that no result names can be forgotten with all their facts. The results stay the same as long as no fact of that time
 * comes later.
 *
 * After an evaluation of the newest time: begin, ask for each occupancy and its other facts, forget it, done. No fact
 * may be added meanwhile. A recent result may still change what it names, so everything that was named as of steady_ms
 * is kept as well. */
#ifndef LEDGER_FORGET_H
#define LEDGER_FORGET_H

#include "ledger/ledger.h"

struct ledger_forgetting;

struct ledger_forgetting *ledger_forget_begin(struct ledger *l, int64_t steady_ms);

/* An occupancy whose start ended another one cannot be forgotten before that one. The newest of its slot can be
 * forgotten only with even_newest: then no occupancy created before its loss may be added later. */
bool ledger_can_forget_occupancy(const struct ledger_forgetting *f, uint64_t id, bool even_newest);
/* False for a hold that applies to unsettled time. */
bool ledger_can_forget_hold(const struct ledger_forgetting *f, enum bucket kind, uint64_t key);
bool ledger_can_forget_disruption(const struct ledger_forgetting *f, uint64_t key);

/* Forgets it with its restarts and silences. Calls `change` once per time, in no order; the caller adds the changes to
 * the past. */
void ledger_forget_occupancy(struct ledger_forgetting *f, uint64_t id,
                             void (*change)(void *context, const struct ledger_change *change), void *context);
void ledger_forget_hold(struct ledger_forgetting *f, enum bucket kind, uint64_t key);
void ledger_forget_disruption(struct ledger_forgetting *f, enum cause cause, uint64_t key);

void ledger_forget_done(struct ledger_forgetting *f); /* frees it */

#endif
