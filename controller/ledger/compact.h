/* compact: gives detail of a ledger away, what harms least first, until its checkpoint fits. */
#ifndef LEDGER_COMPACT_H
#define LEDGER_COMPACT_H

#include "ledger/ledger.h"

/* Makes what ledger_save writes without objects take at most this many bytes (20 KiB is always reached). What is given
 * away first harms least: the durations' digits, the windows' grid, how far back a rollback is exact, the oldest of the
 * checkpoints' snapshots, texts, the borders of the oldest processes, intervals and steps kept one by one. Times still
 * add up; what is no longer known exactly has basis Derived. Nothing changes if it fits, or if all is to be kept. */
void ledger_compact(struct ledger *l, size_t max_bytes);

#endif
