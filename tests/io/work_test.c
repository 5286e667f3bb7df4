#include "base/mem.h"
#include "harness.h"
#include "io/work.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct job { /* of a test; the data is its own heap block */
    struct loop *loop;
    int *value;
    int done, required;
};

static void add_one(void *data) {
    ++*(int *)data;
}

static void wait_for_byte(void *data) {
    char byte;
    ssize_t n = read(*(int *)data, &byte, 1);
    (void)n;
}

static void count(void *context) {
    struct job *j = context;
    if (++j->done == j->required)
        loop_stop(j->loop, 0);
}

static atomic_int dropped;
static void drop(void *data) {
    free(data);
    dropped++;
}

static int *number(int value) {
    int *n = mem_new(int);
    *n = value;
    return n;
}

TEST(work_runs_on_threads_and_completes_on_the_loop) {
    enum { TASKS = 100 };
    struct job j = {.loop = loop_new(NULL), .required = TASKS};
    struct work_pool *pool = work_pool_new(j.loop, 3);
    int *values[TASKS];
    for (int i = 0; i < TASKS; i++)
        work_start(pool, add_one, values[i] = number(i), count, &j, drop);
    loop_run(j.loop);
    CHECK_INT(j.done, TASKS);
    for (int i = 0; i < TASKS; i++) {
        CHECK_INT(*values[i], i + 1);
        free(values[i]);
    }
    work_pool_free(pool);
    loop_free(j.loop);
}

static void wait_dropped(int required) {
    for (int i = 0; i < 60000 && dropped < required; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    CHECK_INT(dropped, required);
}

TEST(a_task_that_hangs_holds_up_no_other_and_no_end) {
    int pipes[2];
    REQUIRE(pipe(pipes) == 0);
    struct job j = {.loop = loop_new(NULL), .required = 1};
    struct work_pool *pool = work_pool_new(j.loop, 2);
    dropped = 0;
    struct work_task *hangs = work_start(pool, wait_for_byte, number(pipes[0]), count, &j, drop);
    int *value = number(1);
    work_start(pool, add_one, value, count, &j, drop);
    loop_run(j.loop);
    CHECK_INT(*value, 2);
    free(value);
    work_cancel(hangs);
    work_start(pool, wait_for_byte, number(pipes[0]), count, &j, drop); /* not canceled: the pool's end does it */
    work_pool_free(pool);
    loop_free(j.loop);
    CHECK_INT(write(pipes[1], "ab", 2), 2);
    wait_dropped(2);
    CHECK_INT(j.done, 1);
    close(pipes[0]);
    close(pipes[1]);
}

TEST(a_task_behind_one_that_hangs_gets_another_thread) {
    int pipes[2];
    REQUIRE(pipe(pipes) == 0);
    struct job j = {.loop = loop_new(NULL), .required = 1};
    struct work_pool *pool = work_pool_new(j.loop, 2);
    int *first = number(1), *second = number(1);
    dropped = 0;
    work_start(pool, add_one, first, count, &j, drop);
    loop_run(j.loop);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* its thread is idle by now: one for two tasks */
    struct work_task *hangs = work_start(pool, wait_for_byte, number(pipes[0]), count, &j, drop);
    j.required = 2;
    work_start(pool, add_one, second, count, &j, drop);
    loop_run(j.loop);
    CHECK_INT(*second, 2);
    free(first);
    free(second);
    work_cancel(hangs);
    work_pool_free(pool);
    loop_free(j.loop);
    CHECK_INT(write(pipes[1], "a", 1), 1);
    wait_dropped(1);
    close(pipes[0]);
    close(pipes[1]);
}

TEST(a_task_is_cancelled_while_it_waits_and_after_it_was_done) {
    int pipes[2];
    REQUIRE(pipe(pipes) == 0);
    struct job j = {.loop = loop_new(NULL), .required = 1};
    struct work_pool *pool = work_pool_new(j.loop, 1);
    dropped = 0;
    int *fd = number(pipes[0]);
    work_start(pool, wait_for_byte, fd, count, &j, drop);
    work_cancel(work_start(pool, add_one, number(1), count, &j, drop));
    wait_dropped(1);
    CHECK_INT(write(pipes[1], "a", 1), 1);
    loop_run(j.loop);
    CHECK_INT(j.done, 1);
    free(fd);
    work_pool_free(pool);
    loop_free(j.loop);
    close(pipes[0]);
    close(pipes[1]);
}
