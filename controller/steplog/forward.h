/* forward: how far stamps went further than the steps' own durations, which is once if the clock was set forward, and
 * again and again if the trainer pauses. Pure data. */
#ifndef STEPLOG_FORWARD_H
#define STEPLOG_FORWARD_H

#include <stdint.h>

struct forward { /* all zero is empty */
    int64_t largest_ms, second_ms;
};
void forward_add(struct forward *to, const struct forward *from);
/* How far the clock was set forward, or the trainer paused once; 0: neither, or such pauses come again. */
int64_t forward_ms(const struct forward *f);

#endif
