/* work: what may block (a file on NFS or GCS FUSE may hang for minutes) runs off the loop, on a few threads that
 * touch nothing but the data they are given. A thread that hangs holds up only its own task; tasks beyond the number of
 * threads wait their turn. The rest of the program stays on the loop's one thread. */
#ifndef IO_WORK_H
#define IO_WORK_H

#include "io/loop.h"

struct work_pool;
struct work_task;

/* Threads are made as they are needed, at most max_threads. */
struct work_pool *work_pool_new(struct loop *loop, int max_threads);
/* Cancels all tasks, and waits for none: what still runs ends by itself. */
void work_pool_free(struct work_pool *pool);

/* run(data) on some thread, then done(context) on the loop, after which the task is freed; data stays the caller's
 * until then and is again from then on. */
struct work_task *work_start(struct work_pool *pool, void (*run)(void *data), void *data, void (*done)(void *context),
                             void *context, void (*drop)(void *data));
/* done is not called any more, data belongs to the task: drop(data) is called, on any thread, once nobody uses it.
 * NULL-safe. */
void work_cancel(struct work_task *task);

#endif
