/* log_share: how much the patterns of one namespace's logs do in a turn of the loop. Lines without patterns take time
 * in proportion to their bytes, of which a log hands on a bounded number in a turn; what a pattern takes is charged to
 * its log and its namespace. A log that has used its work where its namespace has used its own is read on in a later
 * turn, so that the loop yields between lines. Work is in steplog_take_work()'s units, not in time: a busy machine
 * changes nothing. */
#ifndef OPERATOR_RUNTIME_LOG_SHARE_H
#define OPERATOR_RUNTIME_LOG_SHARE_H

#include "io/loop.h"

/* Of a namespace, 20 to 100 ms; beyond it by one line of 320,000 at most, and by what each of its logs may. */
#define LOG_SHARE_WORK 5000000
#define LOG_SHARE_ONE_WORK 500000

/* Of a namespace or a log; all-zero at first. */
struct log_share {
    int64_t turn_us, work;
};

bool log_share_is_used(const struct log_share *of_namespace, const struct log_share *of_log, const struct loop *loop);
void log_share_charge(struct log_share *of_namespace, struct log_share *of_log, const struct loop *loop, int64_t work);

#endif
