/* timers: a binary heap ordered by (deadline, order of setting): the loop's timers, and queues by time. It knows no
 * clock and no file descriptor. A timer is embedded in its user's struct and knows its place, so that moving and
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
    int64_t compared; /* so far: pairs of timers; what the heap costs, for tests */
};

void timers_done(struct timers *all);
void timers_set(struct timers *all, struct timer *t, int64_t deadline_us); /* moves it if it is on */
void timers_stop(struct timers *all, struct timer *t);
/* The earliest, or NULL. */
struct timer *timers_first(const struct timers *all);

#endif
