/* log_share: how long the logs of one namespace are read in a turn of the loop. What a line takes is charged to its
 * namespace, whatever takes it: a pattern that backtracks, a flood of lines. One that has used its time reads on in
 * a later turn, so that the loop yields between lines. */
#ifndef OPERATOR_RUNTIME_LOG_SHARE_H
#define OPERATOR_RUNTIME_LOG_SHARE_H

#include "io/loop.h"

#define LOG_SHARE_US INT64_C(50000) /* beyond it by one line at most */

/* A namespace's, all-zero at first. */
struct log_share {
    int64_t turn_us, used_us;
};

bool log_share_is_used(const struct log_share *share, const struct loop *loop);
/* The namespace's work since begun_us of loop_clock(). */
void log_share_charge(struct log_share *share, const struct loop *loop, int64_t begun_us);

#endif
