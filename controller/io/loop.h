/* loop: the one event loop of the process: timers, file descriptors, signals, and one reading of each clock per turn.
 * Single thread; nothing that runs on it may block. Built on libwebsockets' poll loop.
 * Callbacks only mark and schedule where they can; loop_defer() runs work once, before the loop sleeps again. */
#ifndef IO_LOOP_H
#define IO_LOOP_H

#include "base/clock.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct loop_timer;
struct loop_fd;

struct loop *loop_new(struct error **err);
void loop_free(struct loop *loop);
int loop_run(struct loop *loop); /* until loop_stop; returns its exit code; may be run again */
void loop_stop(struct loop *loop, int exit_code);

struct mono_time loop_now(const struct loop *loop); /* of this turn */
/* How often the wall clock was set (or the machine slept): by more than a second against the monotonic one. */
int64_t loop_clock_steps(const struct loop *loop);
struct mono_time loop_clock(const struct loop *loop); /* right now: only to measure what our own work costs */
struct wall_time loop_wall(const struct loop *loop);

typedef void loop_callback(void *context);

/* Timers share one timerfd over a sorted list. A new timer is off. */
struct loop_timer *loop_timer_new(struct loop *loop, loop_callback *fire, void *context);
void loop_timer_free(struct loop_timer *timer);                  /* NULL-safe; allowed inside its own callback */
void loop_timer_set(struct loop_timer *timer, int64_t delay_us); /* once; setting again moves it */
void loop_timer_stop(struct loop_timer *timer);
bool loop_timer_is_set(const struct loop_timer *timer);

/* Readiness of a file descriptor (level triggered). The fd stays the caller's. */
enum { LOOP_READ = 1, LOOP_WRITE = 2 };
struct loop_fd *loop_fd_add(struct loop *loop, int fd, int events, void (*ready)(void *context, int fd, int events),
                            void *context);
void loop_fd_change(struct loop_fd *watch, int events);
void loop_fd_remove(struct loop_fd *watch);

/* Runs callback once before the loop sleeps next; the same (callback, context) twice in a turn runs once. */
void loop_defer(struct loop *loop, loop_callback *callback, void *context);
void loop_defer_cancel(struct loop *loop, loop_callback *callback, void *context); /* if it has not run yet */

/* SIGINT and SIGTERM by signalfd. */
void loop_on_terminate(struct loop *loop, loop_callback *callback, void *context);

struct lws_context;
struct lws_context *loop_lws_context(struct loop *loop); /* for io/server.c only */

#endif
