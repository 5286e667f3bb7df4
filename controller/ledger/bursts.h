/* bursts: steps of a program that buffers its output: their lines come many at once, and their stamps do not say when
 * they ended. A burst is as one line that stands for its steps. Private to ledger/. */
#ifndef LEDGER_BURSTS_H
#define LEDGER_BURSTS_H

#include "ledger/process.h"

/* The event was added last, and same_write events before it came with it: the burst so far becomes one event.
 * has_settled: the first event of the list stays. */
void bursts_join(struct step_list *list, const struct step_event *e, int64_t same_write, bool has_settled);
/* Whether most of the list's steps came in bursts. */
bool bursts_are_usual(const struct step_list *list);
/* How far some of a burst's steps may be from their share of what it states, twice the standard deviation of their sum:
 * a step's own is at most about the mean step, which is the exponential distribution's. */
int64_t bursts_split_doubt_ms(int64_t stated_ms, int64_t some, int64_t all);

#endif
