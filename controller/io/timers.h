/* timers: the loop's timers as a binary heap ordered by (deadline, order of setting). Only io/loop.c uses it; it knows
 * no clock and no file descriptor. A timer is embedded in the loop's own and knows its place, so that moving and
 * stopping one costs O(log n). */
#ifndef IO_TIMERS_H
#define IO_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timer {
    int64_t deadline_us; /* monotonic */
    uint64_t order;
    size_t place; /* index in the heap + 1; 0: off */
};

struct timers {
    struct timer **heap;
    size_t count, capacity;
    uint64_t next_order;
};

void timers_done(struct timers *all);
void timers_set(struct timers *all, struct timer *t, int64_t deadline_us); /* moves it if it is on */
void timers_stop(struct timers *all, struct timer *t);
/* The earliest, or NULL. */
struct timer *timers_first(const struct timers *all);

#endif
