/* settle: folds the oldest part of a job's time into what settled.h describes. Private to ledger/. */
#ifndef LEDGER_SETTLE_H
#define LEDGER_SETTLE_H

#include "ledger/ledger_internal.h"

/* Settles what is known well enough by through_ms: a function of the facts that are known by then, however they came.
 */
void ledger_settle(struct ledger *l, int64_t through_ms);
/* The same, but keeps only tail_steps of the newest steps as they are. */
void ledger_settle_to(struct ledger *l, int64_t through_ms, size_t tail_steps);

/* Brings the processes that are not settled into time order. */
void ledger_sort_processes(struct ledger *l);

#endif
