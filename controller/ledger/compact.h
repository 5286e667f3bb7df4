/* compact: drops detail of a ledger, the least harmful first, so that its checkpoint fits. Private to ledger/. */
#ifndef LEDGER_COMPACT_H
#define LEDGER_COMPACT_H

#include "ledger/ledger.h"

#define COMPACT_STEPS 20 /* each two halve what the two before left */

/* The order of loss: digits of the durations, the windows' grid, the reach of exact rollbacks, snapshots of the oldest
 * checkpoints, texts, borders between the oldest processes, single intervals and steps. Times still add up; what is no
 * longer exact has basis Derived. */
void compact_step(struct ledger *l, int step);

#endif
