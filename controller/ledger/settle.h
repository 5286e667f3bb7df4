/* settle: folds the oldest part of a job's time into struct settled. Private to ledger/. */
#ifndef LEDGER_SETTLE_H
#define LEDGER_SETTLE_H

#include "ledger/ledger_internal.h"

/* Settles what is known well enough at through_ms. The result depends only on the facts up to that time, in whatever
 * order they came. */
void ledger_settle(struct ledger *l, int64_t through_ms);
/* The same, but keeps only the newest tail_steps steps unsettled. */
void ledger_settle_to(struct ledger *l, int64_t through_ms, size_t tail_steps);

/* The same in batches of full size only: what a settling at any later time would do first. */
void ledger_settle_full_batches(struct ledger *l, int64_t through_ms);

/* Sorts the live processes by time. */
void ledger_sort_processes(struct ledger *l);

#endif
