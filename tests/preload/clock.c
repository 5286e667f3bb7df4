/* clock: preloaded (LD_PRELOAD) into a program, makes its clocks run faster, and lets a test set the wall clock while
 * it runs. $PRELOAD_CLOCK names a file of one struct preload_clock (clock.h) that the test writes and both map. The
 * monotonic clock never goes back; what waits (poll, epoll, timerfd, sleeping) waits by the fast clock.
 * Raw system calls beneath, so that it works under a sanitizer as well. */
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const struct preload_clock *shared(void) {
    static const struct preload_clock none = {.speed = 1};
    static _Atomic(const struct preload_clock *) found;
    const struct preload_clock *p = atomic_load(&found);
    if (p != NULL)
        return p;
    const char *path = getenv("PRELOAD_CLOCK");
    int fd = path != NULL ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) : -1;
    void *map = fd >= 0 ? mmap(NULL, sizeof *p, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        syscall(SYS_close, fd);
    p = map != MAP_FAILED ? map : &none;
    atomic_store(&found, p);
    return p;
}

static int64_t real_us(clockid_t id) {
    struct timespec t;
    syscall(SYS_clock_gettime, id, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t fast_us(clockid_t id) {
    const struct preload_clock *c = shared();
    int64_t since_us = (real_us(CLOCK_MONOTONIC) - c->started_us) * c->speed;
    if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
        return (c->speed == 1 ? real_us(CLOCK_REALTIME) : c->wall_us + since_us) +
               __atomic_load_n(&c->step_us, __ATOMIC_RELAXED);
    return c->speed == 1 ? real_us(CLOCK_MONOTONIC) : c->started_us + since_us;
}

static int slower_ms(int timeout_ms) {
    int64_t speed = shared()->speed;
    return timeout_ms <= 0 ? timeout_ms : (int)((timeout_ms + speed - 1) / speed);
}

int clock_gettime(clockid_t id, struct timespec *t) {
    if (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE && id != CLOCK_MONOTONIC && id != CLOCK_MONOTONIC_COARSE &&
        id != CLOCK_BOOTTIME)
        return (int)syscall(SYS_clock_gettime, id, t);
    int64_t us = fast_us(id);
    *t = (struct timespec){us / 1000000, us % 1000000 * 1000};
    return 0;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
    (void)zone;
    int64_t us = fast_us(CLOCK_REALTIME);
    *t = (struct timeval){us / 1000000, us % 1000000};
    return 0;
}

time_t time(time_t *out) {
    time_t t = fast_us(CLOCK_REALTIME) / 1000000;
    if (out != NULL)
        *out = t;
    return t;
}

static int64_t us_of(struct timespec t) {
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static struct timespec slower(struct timespec t, int64_t from_us) {
    const struct preload_clock *c = shared();
    int64_t us = us_of(t);
    if (us == 0)
        return t;
    us = from_us + (us - from_us + c->speed - 1) / c->speed;
    us = us > 0 ? us : 1;
    return (struct timespec){us / 1000000, us % 1000000 * 1000};
}

int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old) {
    struct itimerspec real = *new;
    if (shared()->speed != 1) {
        real.it_value = slower(new->it_value, (flags & TFD_TIMER_ABSTIME) != 0 ? shared()->started_us : 0);
        real.it_interval = slower(new->it_interval, 0);
    }
    return (int)syscall(SYS_timerfd_settime, fd, flags, &real, old);
}

int epoll_wait(int fd, struct epoll_event *events, int count, int timeout_ms) {
    return (int)syscall(SYS_epoll_pwait, fd, events, count, slower_ms(timeout_ms), NULL, (size_t)_NSIG / 8);
}

int epoll_pwait(int fd, struct epoll_event *events, int count, int timeout_ms, const sigset_t *mask) {
    return (int)syscall(SYS_epoll_pwait, fd, events, count, slower_ms(timeout_ms), mask, (size_t)_NSIG / 8);
}

int poll(struct pollfd *fds, nfds_t count, int timeout_ms) {
    int ms = slower_ms(timeout_ms);
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    return (int)syscall(SYS_ppoll, fds, count, ms < 0 ? NULL : &t, NULL, (size_t)_NSIG / 8);
}

int nanosleep(const struct timespec *requested, struct timespec *left) {
    struct timespec t = slower(*requested, 0);
    return (int)syscall(SYS_nanosleep, &t, left);
}
