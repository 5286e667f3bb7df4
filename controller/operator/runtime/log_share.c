#include "operator/runtime/log_share.h"

static int64_t work_of(const struct log_share *share, int64_t turn_us) {
    return share->turn_us == turn_us ? share->work : 0;
}

bool log_share_is_used(const struct log_share *of_namespace, const struct log_share *of_log, const struct loop *loop) {
    int64_t turn_us = loop_now(loop).us;
    return work_of(of_log, turn_us) >= LOG_SHARE_ONE_WORK && work_of(of_namespace, turn_us) >= LOG_SHARE_WORK;
}

void log_share_charge(struct log_share *of_namespace, struct log_share *of_log, const struct loop *loop, int64_t work) {
    int64_t turn_us = loop_now(loop).us;
    if (work == 0)
        return;
    *of_namespace = (struct log_share){turn_us, work_of(of_namespace, turn_us) + work};
    *of_log = (struct log_share){turn_us, work_of(of_log, turn_us) + work};
}
