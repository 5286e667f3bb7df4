/* step_times: what steps take: how far apart the lines are, the ideal step, the usual one, and when one is slow.
 * Private to ledger/. */
#ifndef LEDGER_STEP_TIMES_H
#define LEDGER_STEP_TIMES_H

#include "ledger/training.h"

/* How far apart the views' lines are, what their steps take; the ideal step: as configured, else the median, which
 * leaves outliers out. */
void training_learn(struct training *t, const struct ledger_options *options);
/* Adds up how many steps lie how far apart; sums has room for SETTLED_DELTAS. */
void training_add_delta(struct delta_count *sums, int64_t delta, int64_t count);
/* The durations of a view's steps but the first of each run and what is settled: at most `most` events of it. */
size_t training_durations(const struct view *v, int64_t known_ms, size_t max, int32_t *to);

#endif
