#include "io/loop.h"

#include "base/mem.h"
#include "io/timers.h"

#include <assert.h>
#include <errno.h>
#include <libwebsockets.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* lws polls its own connections and one more descriptor: ours, an epoll set in which everything else lives. That keeps
 * curl's sockets, which come and go by their hundreds, out of lws's tables. */

#define STEP_US INT64_C(1000000) /* slewing never does so much between two turns */

enum {
    BATCH_EVENTS = 64, /* events of ours per turn, before lws's own connections have their chance */
    /* What lws may hold; ours is one of them. The listeners together have 272 connections at most, and as many that are
     * being closed (io/server_connections.c). */
    HEADERS_MAX_BYTES = 20480, /* of a request, so that a long token has room; lws has 4,096 by default */
    SERVER_CONNECTIONS = 640,
};

struct deferred {
    loop_callback *callback;
    void *context;
};

/* One reading of both clocks per turn, taken when somebody first asks. */
struct turn {
    bool is_known, was_known; /* now; ever */
    int64_t steps;            /* of the wall clock against the other one */
    struct mono_time now;
    struct wall_time wall;
};

struct loop_timer {
    struct timer timer; /* first */
    struct loop *loop;
    loop_callback *fire;
    void *context;
};

struct loop_fd {
    struct loop *loop;
    int fd;
    void (*ready)(void *context, int fd, int events);
    void *context;
};

struct loop {
    struct lws_context *lws;
    int epoll_fd, timer_fd, signal_fd;
    struct turn *turn;
    struct timers timers;
    int64_t armed_us; /* what timer_fd is set to; 0: off */
    struct loop_fd *timer_watch, *signal_watch;
    struct deferred *deferred;
    size_t deferred_count, deferred_capacity;
    loop_callback *terminate;
    void *terminate_context;
    bool is_stopped;
    int exit_code;
};

static void turn_read(const struct loop *loop) {
    if (loop->turn->is_known)
        return;
    struct turn *t = loop->turn, before = *t;
    t->is_known = t->was_known = true;
    t->now = clock_mono();
    t->wall = clock_wall();
    int64_t moved_us = (t->wall.us - t->now.us) - (before.wall.us - before.now.us);
    t->steps += before.was_known && (moved_us > STEP_US || moved_us < -STEP_US);
}

struct mono_time loop_clock(const struct loop *loop) {
    (void)loop;
    return clock_mono();
}

struct mono_time loop_now(const struct loop *loop) {
    turn_read(loop);
    return loop->turn->now;
}

struct wall_time loop_wall(const struct loop *loop) {
    turn_read(loop);
    return loop->turn->wall;
}

/* Timers. */

struct loop_timer *loop_timer_new(struct loop *loop, loop_callback *fire, void *context) {
    struct loop_timer *t = mem_new(struct loop_timer);
    *t = (struct loop_timer){.loop = loop, .fire = fire, .context = context};
    return t;
}

void loop_timer_free(struct loop_timer *timer) {
    if (timer == NULL)
        return;
    timers_stop(&timer->loop->timers, &timer->timer);
    free(timer);
}

void loop_timer_set(struct loop_timer *timer, int64_t delay_us) {
    int64_t now_us = loop_now(timer->loop).us;
    if (delay_us < 0)
        delay_us = 0;
    if (delay_us > INT64_MAX / 4)
        delay_us = INT64_MAX / 4;
    timers_set(&timer->loop->timers, &timer->timer, now_us + delay_us);
}

void loop_timer_stop(struct loop_timer *timer) {
    timers_stop(&timer->loop->timers, &timer->timer);
}

bool loop_timer_is_set(const struct loop_timer *timer) {
    return timer->timer.place != 0;
}

static void timers_fire(void *context, int fd, int events) {
    (void)events;
    struct loop *loop = context;
    uint64_t expirations;
    if (read(fd, &expirations, sizeof expirations) > 0)
        loop->armed_us = 0;
    int64_t now_us = loop_now(loop).us;
    uint64_t first_new = loop->timers.next_order; /* one that is set again with no delay waits for the next turn */
    struct timer *t;
    while ((t = timers_first(&loop->timers)) != NULL && t->deadline_us <= now_us && t->order < first_new) {
        timers_stop(&loop->timers, t);
        struct loop_timer *timer = (struct loop_timer *)t;
        timer->fire(timer->context);
    }
}

static void timers_arm(struct loop *loop) {
    const struct timer *first = timers_first(&loop->timers);
    int64_t due_us = first == NULL ? 0 : first->deadline_us > 0 ? first->deadline_us : 1;
    if (due_us == loop->armed_us)
        return;
    struct itimerspec at = {.it_value = {.tv_sec = due_us / 1000000, .tv_nsec = due_us % 1000000 * 1000}};
    int r = timerfd_settime(loop->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
    assert(r == 0);
    (void)r;
    loop->armed_us = due_us;
}

/* File descriptors. */

static uint32_t epoll_bits(int events) {
    return ((events & LOOP_READ) != 0 ? EPOLLIN : 0U) | ((events & LOOP_WRITE) != 0 ? EPOLLOUT : 0U);
}

struct loop_fd *loop_fd_add(struct loop *loop, int fd, int events, void (*ready)(void *context, int fd, int events),
                            void *context) {
    struct loop_fd *watch = mem_new(struct loop_fd);
    *watch = (struct loop_fd){.loop = loop, .fd = fd, .ready = ready, .context = context};
    struct epoll_event event = {.events = epoll_bits(events), .data.ptr = watch};
    int r = epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event);
    assert(r == 0);
    (void)r;
    return watch;
}

void loop_fd_change(struct loop_fd *watch, int events) {
    struct epoll_event event = {.events = epoll_bits(events), .data.ptr = watch};
    epoll_ctl(watch->loop->epoll_fd, EPOLL_CTL_MOD, watch->fd, &event);
}

void loop_fd_remove(struct loop_fd *watch) {
    if (watch == NULL)
        return;
    epoll_ctl(watch->loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
    free(watch);
}

/* One event per epoll_wait: a callback may remove any other watch, and a second event in hand could be that one's. */
static void dispatch(struct loop *loop) {
    for (int i = 0; i < BATCH_EVENTS; i++) {
        struct epoll_event event;
        if (epoll_wait(loop->epoll_fd, &event, 1, 0) <= 0)
            return;
        struct loop_fd *watch = event.data.ptr;
        int events = ((event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 ? LOOP_READ : 0) |
                     ((event.events & (EPOLLOUT | EPOLLERR)) != 0 ? LOOP_WRITE : 0);
        watch->ready(watch->context, watch->fd, events);
    }
}

/* Deferred work. */

void loop_defer(struct loop *loop, loop_callback *callback, void *context) {
    for (size_t i = 0; i < loop->deferred_count; i++)
        if (loop->deferred[i].callback == callback && loop->deferred[i].context == context)
            return;
    MEM_GROW(loop->deferred, loop->deferred_count, loop->deferred_capacity);
    loop->deferred[loop->deferred_count++] = (struct deferred){callback, context};
}

void loop_defer_cancel(struct loop *loop, loop_callback *callback, void *context) {
    for (size_t i = 0; i < loop->deferred_count; i++)
        if (loop->deferred[i].callback == callback && loop->deferred[i].context == context) {
            memmove(&loop->deferred[i], &loop->deferred[i + 1],
                    (loop->deferred_count - i - 1) * sizeof loop->deferred[0]);
            loop->deferred_count--;
            return;
        }
}

static void deferred_run(struct loop *loop) {
    while (loop->deferred_count > 0) {
        struct deferred first = loop->deferred[0];
        loop_defer_cancel(loop, first.callback, first.context);
        first.callback(first.context);
    }
}

/* Signals. */

static void signal_ready(void *context, int fd, int events) {
    (void)events;
    struct loop *loop = context;
    struct signalfd_siginfo info;
    if (read(fd, &info, sizeof info) > 0 && loop->terminate != NULL)
        loop->terminate(loop->terminate_context);
}

void loop_on_terminate(struct loop *loop, loop_callback *callback, void *context) {
    loop->terminate = callback;
    loop->terminate_context = context;
    if (loop->signal_watch != NULL)
        return;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    loop->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    assert(loop->signal_fd >= 0);
    loop->signal_watch = loop_fd_add(loop, loop->signal_fd, LOOP_READ, signal_ready, loop);
}

/* The loop. */

static int on_lws(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
    (void)user, (void)in, (void)size;
    if (reason == LWS_CALLBACK_RAW_RX_FILE)
        dispatch(lws_context_user(lws_get_context(wsi)));
    return 0;
}

static const struct lws_protocols loop_protocols[] = {{.name = "loop", .callback = on_lws}, {0}};

static void discard_lws_log(int level, const char *line) {
    (void)level, (void)line;
}

/* lws closes what it adopts, so it is given a duplicate. */
static int adopt_epoll(struct loop *loop, struct error **err) {
    struct lws_context_creation_info info = {.port = CONTEXT_PORT_NO_LISTEN,
                                             .protocols = loop_protocols,
                                             .vhost_name = "loop",
                                             .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
                                             .fd_limit_per_thread = SERVER_CONNECTIONS,
                                             .max_http_header_data = HEADERS_MAX_BYTES,
                                             .user = loop};
    lws_set_log_level(0, discard_lws_log);
    loop->lws = lws_create_context(&info);
    struct lws_vhost *vhost = loop->lws == NULL ? NULL : lws_create_vhost(loop->lws, &info);
    if (vhost == NULL)
        return error_set(err, ENOMEM, "event loop: libwebsockets did not start");
    lws_sock_file_fd_type fd = {.filefd = dup(loop->epoll_fd)};
    if (fd.filefd < 0 || lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_RAW_FILE_DESC, fd, "loop", NULL) == NULL)
        return error_set(err, EMFILE, "event loop: libwebsockets refused the descriptor");
    return 0;
}

struct loop *loop_new(struct error **err) {
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL);
    struct loop *loop = mem_new(struct loop);
    loop->turn = mem_new(struct turn);
    loop->signal_fd = -1;
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (loop->epoll_fd < 0 || loop->timer_fd < 0) {
        error_set(err, errno, "event loop: %s", strerror(errno));
        loop_free(loop);
        return NULL;
    }
    loop->timer_watch = loop_fd_add(loop, loop->timer_fd, LOOP_READ, timers_fire, loop);
    if (adopt_epoll(loop, err) < 0) {
        loop_free(loop);
        return NULL;
    }
    return loop;
}

void loop_free(struct loop *loop) {
    if (loop == NULL)
        return;
    if (loop->lws != NULL)
        lws_context_destroy(loop->lws);
    loop_fd_remove(loop->timer_watch);
    loop_fd_remove(loop->signal_watch);
    if (loop->timer_fd >= 0)
        close(loop->timer_fd);
    if (loop->signal_fd >= 0)
        close(loop->signal_fd);
    if (loop->epoll_fd >= 0)
        close(loop->epoll_fd);
    timers_done(&loop->timers);
    free(loop->deferred);
    free(loop->turn);
    free(loop);
}

int loop_run(struct loop *loop) {
    loop->turn->is_known = false;
    for (;;) {
        deferred_run(loop);
        if (loop->is_stopped)
            break;
        timers_arm(loop);
        loop->turn->is_known = false;
        lws_service(loop->lws, 0);
    }
    loop->is_stopped = false;
    loop->turn->is_known = false;
    return loop->exit_code;
}

int64_t loop_clock_steps(const struct loop *loop) {
    return loop->turn->steps;
}

void loop_stop(struct loop *loop, int exit_code) {
    loop->is_stopped = true;
    loop->exit_code = exit_code;
}

struct lws_context *loop_lws_context(struct loop *loop) {
    return loop->lws;
}
