#include "base/clock.h"

#include <time.h>

static int64_t read_us(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

struct mono_time clock_mono(void) {
    return (struct mono_time){read_us(CLOCK_MONOTONIC)};
}

struct wall_time clock_wall(void) {
    return (struct wall_time){read_us(CLOCK_REALTIME)};
}
