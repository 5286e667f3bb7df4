#include "base/mem.h"
#include "harness.h"
#include "io/loop.h"
#include "io/timers.h"
#include "rawserver.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

TEST(timers_fire_in_the_order_of_their_deadlines_whatever_was_done_to_them) {
    enum { COUNT = 200, ROUNDS = 5000 };
    struct timers all = {0};
    struct timer t[COUNT] = {0};
    unsigned seed = (unsigned)clock_mono().us;
    for (int i = 0; i < ROUNDS; i++) {
        struct timer *one = &t[rand_r(&seed) % COUNT];
        if (rand_r(&seed) % 4 == 0)
            timers_stop(&all, one);
        else
            timers_set(&all, one, rand_r(&seed) % 100);
    }
    int64_t last_us = -1;
    uint64_t last_order = 0;
    size_t count = all.count, popped = 0;
    for (struct timer *first; (first = timers_first(&all)) != NULL; popped++) {
        if (first->deadline_us < last_us || (first->deadline_us == last_us && first->order < last_order)) {
            harness_fail(__FILE__, __LINE__, "out of order with seed %u", seed);
            break;
        }
        last_us = first->deadline_us;
        last_order = first->order;
        timers_stop(&all, first);
    }
    CHECK_INT(popped, count);
    timers_done(&all);
}

struct ticker {
    struct loop *loop;
    struct loop_timer *timer, *other;
    int fired;
    bool done;
};

static void free_itself(void *context) {
    struct ticker *t = context;
    t->fired++;
    loop_timer_free(t->timer);
    loop_timer_free(t->other);
    t->done = true;
}

TEST(a_timer_may_free_itself_and_others) {
    struct ticker t = {.loop = loop_new(NULL)};
    t.timer = loop_timer_new(t.loop, free_itself, &t);
    t.other = loop_timer_new(t.loop, free_itself, &t);
    loop_timer_set(t.timer, 0);
    loop_timer_set(t.other, 0);
    CHECK(loop_until(t.loop, &t.done));
    CHECK_INT(t.fired, 1);
    loop_free(t.loop);
}

static void count_up(void *context) {
    struct ticker *t = context;
    if (++t->fired == 3)
        t->done = true;
    else
        loop_defer(t->loop, count_up, t);
}

TEST(deferred_work_runs_once_a_round) {
    struct ticker t = {.loop = loop_new(NULL)};
    for (int i = 0; i < 5; i++)
        loop_defer(t.loop, count_up, &t);
    CHECK(loop_until(t.loop, &t.done));
    CHECK_INT(t.fired, 3);
    loop_free(t.loop);
}

static void terminated(void *context) {
    ((struct ticker *)context)->done = true;
}

TEST(a_termination_signal_is_an_event) {
    struct ticker t = {.loop = loop_new(NULL)};
    loop_on_terminate(t.loop, terminated, &t);
    kill(getpid(), SIGTERM);
    CHECK(loop_until(t.loop, &t.done));
    loop_free(t.loop);
}

static void stop(void *context) {
    loop_stop(context, 7);
}

TEST(an_idle_loop_sleeps) {
    struct loop *loop = loop_new(NULL);
    struct loop_timer *timer = loop_timer_new(loop, stop, loop), *later = loop_timer_new(loop, stop, loop);
    struct rusage before, after;
    loop_timer_set(timer, 300000);
    loop_timer_set(later, 900000000);
    getrusage(RUSAGE_SELF, &before);
    CHECK_INT(loop_run(loop), 7);
    getrusage(RUSAGE_SELF, &after);
    CHECK(after.ru_nvcsw - before.ru_nvcsw <= 3);
    CHECK(!loop_timer_is_set(timer) && loop_timer_is_set(later));
    loop_timer_free(timer);
    loop_timer_free(later);
    loop_free(loop);
}
