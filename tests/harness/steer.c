#include "steer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { TIMERS = 16, SECOND_NS = 1000000000 };

static atomic_int_least64_t ahead_us;

/* Absolute timers, by the steered clock. */
static struct {
    int fd;
    struct itimerspec at;
} timers[TIMERS];
static int timer_count;

static struct timespec shifted(struct timespec t, int64_t us) {
    int64_t ns = t.tv_nsec + us % 1000000 * 1000;
    t.tv_sec += us / 1000000 + (ns >= SECOND_NS) - (ns < 0);
    t.tv_nsec = ns >= SECOND_NS ? ns - SECOND_NS : ns < 0 ? ns + SECOND_NS : ns;
    return t;
}

/* The program's own definition takes precedence over libc's, also in the libraries. */
int clock_gettime(clockid_t id, struct timespec *t) {
    int r = (int)syscall(SYS_clock_gettime, id, t);
    bool is_steered = id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_COARSE || id == CLOCK_BOOTTIME ||
                      id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE;
    if (r == 0 && is_steered)
        *t = shifted(*t, ahead_us);
    return r;
}

static int set(int fd, const struct itimerspec *at, struct itimerspec *old) {
    struct itimerspec real = *at;
    bool is_off = real.it_value.tv_sec == 0 && real.it_value.tv_nsec == 0;
    if (!is_off)
        real.it_value = shifted(real.it_value, -ahead_us);
    if (!is_off && real.it_value.tv_sec < 0)
        real.it_value = (struct timespec){.tv_nsec = 1};
    return (int)syscall(SYS_timerfd_settime, fd, TFD_TIMER_ABSTIME, &real, old);
}

int timerfd_settime(int fd, int flags, const struct itimerspec *at, struct itimerspec *old) {
    if ((flags & TFD_TIMER_ABSTIME) == 0)
        return (int)syscall(SYS_timerfd_settime, fd, flags, at, old);
    int i = 0;
    while (i < timer_count && timers[i].fd != fd)
        i++;
    if (i == timer_count && timer_count < TIMERS)
        timer_count++;
    if (i < timer_count) {
        timers[i].fd = fd;
        timers[i].at = *at;
    }
    return set(fd, at, old);
}

void steer_by(int64_t us) {
    ahead_us += us;
    for (int i = 0; i < timer_count; i++)
        set(timers[i].fd, &timers[i].at, NULL); /* one that was closed meanwhile is not a timer: refused */
}
