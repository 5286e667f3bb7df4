#include "kube/backoff.h"

#include <sys/random.h>

int64_t kube_random(int64_t bound) {
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != (long)sizeof bits)
        return bound / 2;
    return (int64_t)(bits % (uint64_t)bound);
}

int64_t kube_backoff_next(struct kube_backoff *b) {
    b->current_us = b->current_us == 0 ? b->min_us : b->current_us * 2;
    if (b->current_us > b->max_us)
        b->current_us = b->max_us;
    return b->current_us + kube_random(b->current_us + 1);
}

void kube_backoff_reset(struct kube_backoff *b) {
    b->current_us = 0;
}

int64_t kube_common_wait(int64_t now_us, int64_t interval_us) {
    int64_t wait_us = interval_us - now_us % interval_us;
    return wait_us < interval_us / 2 ? wait_us + interval_us : wait_us;
}
