/* What a test and the program with clock.so share: see clock.c. */
#ifndef TESTS_PRELOAD_CLOCK_H
#define TESTS_PRELOAD_CLOCK_H

#include <stdint.h>

struct preload_clock {
    int64_t speed;      /* the program's seconds in a real one */
    int64_t started_us; /* the real monotonic clock at the start, and the program's */
    int64_t wall_us;    /* the program's wall clock then (where speed is not 1) */
    int64_t step_us;    /* added to its wall clock; may change at any time */
};

#endif
