#include "operator/runtime/log_share.h"

bool log_share_is_used(const struct log_share *share, const struct loop *loop) {
    return share->turn_us == loop_now(loop).us && share->used_us >= LOG_SHARE_US;
}

void log_share_charge(struct log_share *share, const struct loop *loop, int64_t begun_us) {
    int64_t turn_us = loop_now(loop).us;
    if (share->turn_us != turn_us)
        *share = (struct log_share){.turn_us = turn_us};
    share->used_us += loop_clock(loop).us - begun_us;
}
