/* sweep_listed: an interruption as a result lists it, from what a sweep booked for it. Private to ledger/. */
#ifndef LEDGER_SWEEP_LISTED_H
#define LEDGER_SWEEP_LISTED_H

#include "ledger/sweep.h"

/* The interruptions before the first one that the sweep has. */
int64_t sweep_older_count(const struct sweep *s);
void sweep_fill_interruption(struct ledger_interruption *to, const struct sweep *s, size_t i);

#endif
