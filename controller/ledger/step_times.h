/* step_times: the duration of steps: the steps between two lines, the ideal step, the usual one, and when a step is
 * slow. Private to ledger/. */
#ifndef LEDGER_STEP_TIMES_H
#define LEDGER_STEP_TIMES_H

#include "ledger/training.h"

/* Learns the steps between two lines and the duration of steps. The ideal step is as configured, else the median, which
 * outliers hardly change. */
void training_learn(struct training *t, const struct ledger_options *options);
/* The longest that a step of line i may take, where it is not known how much of the line is steps. */
int64_t training_high_ms(const struct training *t, const struct view *v, size_t i);
/* The longest that a step after a process's last line may take: twice as long as one of the slowest line. */
int64_t training_edge_high_ms(const struct training *t);
/* The longest that a step of a process's first line i may take, which holds start-up, too: at least twice the usual
 * time. */
int64_t training_first_high_ms(const struct training *t, const struct view *v, size_t i);
/* The most that the steps of the first line of a run may have taken. */
int64_t training_first_line_ms(const struct training *t, const struct run *run);
/* Adds count lines that are delta steps apart; sums has room for SETTLED_DELTAS. */
void training_add_delta(struct delta_count *sums, int64_t delta, int64_t count);
/* The durations of a view's steps without the first of each run and without settled ones; of at most `max` events. */
size_t training_durations(const struct view *v, int64_t known_ms, size_t max, int32_t *to);

#endif
