/* backoff: waiting times between tries, as client-go's reflector: doubling from min to max, each stretched by a random
 * factor of 1 to 2. */
#ifndef KUBE_BACKOFF_H
#define KUBE_BACKOFF_H

#include <stdint.h>

struct kube_backoff {
    int64_t min_us, max_us;
    int64_t current_us; /* 0: the next is the first */
};

int64_t kube_backoff_next(struct kube_backoff *b);
void kube_backoff_reset(struct kube_backoff *b);
/* Uniform in [0, bound); bound > 0. From the kernel; not for secrets. */
int64_t kube_random(int64_t bound);
/* Until the next multiple of the interval that is half of it away: what is tried again without haste shares its
 * wake-ups in a process, while machines differ by when they started. */
int64_t kube_common_wait(int64_t now_us, int64_t interval_us);

#endif
