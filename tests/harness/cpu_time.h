/* cpu_time: CPU time of this thread, so that a busy machine does not matter. */
#ifndef HARNESS_CPU_TIME_H
#define HARNESS_CPU_TIME_H

#include <time.h>

static inline double cpu_time_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

#endif
