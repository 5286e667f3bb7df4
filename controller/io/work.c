#include "io/work.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { WAKE_TRIES = 8 }; /* an interrupted write is done again; the next task's write wakes for this one, too */
enum state { WAITING, RUNNING, FINISHED };

struct work_task {
    struct work_task *next;
    struct work_pool *pool;
    void (*run)(void *data);
    void (*drop)(void *data);
    void *data;
    void (*done)(void *context);
    void *context;
    enum state state;
    bool is_cancelled;
};

struct task_list {
    struct work_task *first, **last;
};

struct work_pool { /* the mutex guards what threads touch; the last of them frees it */
    struct loop *loop;
    struct loop_fd *watch;
    int event; /* counts what is finished */
    int max_threads;
    pthread_mutex_t mutex;
    pthread_cond_t is_work;
    struct task_list waiting, finished;
    int threads, idle, waits; /* waits: tasks that no thread took yet */
    bool is_closed;
};

static void put(struct task_list *list, struct work_task *task) {
    task->next = NULL;
    *list->last = task;
    list->last = &task->next;
}

static struct work_task *take(struct task_list *list) {
    struct work_task *task = list->first;
    if (task != NULL && (list->first = task->next) == NULL)
        list->last = &list->first;
    return task;
}

static void task_drop(struct work_task *task) {
    task->drop(task->data);
    free(task);
}

static void pool_free_now(struct work_pool *pool) {
    pthread_cond_destroy(&pool->is_work);
    pthread_mutex_destroy(&pool->mutex);
    close(pool->event);
    free(pool);
}

/* With the mutex held; released while the task runs. */
static void work(struct work_pool *pool, struct work_task *task) {
    task->state = RUNNING;
    pthread_mutex_unlock(&pool->mutex);
    task->run(task->data);
    pthread_mutex_lock(&pool->mutex);
    if (task->is_cancelled || pool->is_closed) {
        task_drop(task);
        return;
    }
    task->state = FINISHED;
    put(&pool->finished, task);
    uint64_t one = 1; /* it cannot be full */
    for (int i = 0; i < WAKE_TRIES && write(pool->event, &one, sizeof one) != sizeof one; i++)
        continue;
}

static void *thread(void *context) {
    struct work_pool *pool = context;
    struct work_task *task;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->is_closed) {
        if ((task = take(&pool->waiting)) != NULL) {
            pool->waits--;
            work(pool, task);
            continue;
        }
        pool->idle++;
        pthread_cond_wait(&pool->is_work, &pool->mutex);
        pool->idle--;
    }
    bool is_last = --pool->threads == 0;
    pthread_mutex_unlock(&pool->mutex);
    if (is_last)
        pool_free_now(pool);
    return NULL;
}

static void finished(void *context, int fd, int events) {
    struct work_pool *pool = context;
    struct work_task *task;
    uint64_t count;
    (void)events;
    if (read(fd, &count, sizeof count) < 0 && errno != EAGAIN)
        return;
    for (;;) { /* one at a time: what is called may cancel another */
        pthread_mutex_lock(&pool->mutex);
        task = take(&pool->finished);
        pthread_mutex_unlock(&pool->mutex);
        if (task == NULL)
            return;
        void (*done)(void *) = task->done;
        void *its = task->context;
        bool is_cancelled = task->is_cancelled;
        if (is_cancelled)
            task->drop(task->data);
        free(task);
        if (!is_cancelled)
            done(its);
    }
}

struct work_pool *work_pool_new(struct loop *loop, int max_threads) {
    struct work_pool *pool = mem_new(struct work_pool);
    pool->loop = loop;
    pool->max_threads = max_threads;
    pool->waiting.last = &pool->waiting.first;
    pool->finished.last = &pool->finished.first;
    pool->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert(pool->event >= 0);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->is_work, NULL);
    pool->watch = loop_fd_add(loop, pool->event, LOOP_READ, finished, pool);
    return pool;
}

void work_pool_free(struct work_pool *pool) {
    struct work_task *task;
    if (pool == NULL)
        return;
    loop_fd_remove(pool->watch);
    pthread_mutex_lock(&pool->mutex);
    pool->is_closed = true;
    while ((task = take(&pool->waiting)) != NULL || (task = take(&pool->finished)) != NULL)
        task_drop(task);
    bool is_last = pool->threads == 0;
    pthread_cond_broadcast(&pool->is_work);
    pthread_mutex_unlock(&pool->mutex);
    if (is_last)
        pool_free_now(pool);
}

/* Signals are the loop's. */
static void start_thread(struct work_pool *pool) {
    pthread_t id;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int failed = pthread_create(&id, NULL, thread, pool);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0)
        return; /* the task waits: for another thread, or for the next try */
    pthread_detach(id);
    pool->threads++;
}

struct work_task *work_start(struct work_pool *pool, void (*run)(void *data), void *data, void (*done)(void *context),
                             void *context, void (*drop)(void *data)) {
    struct work_task *task = mem_new(struct work_task);
    *task = (struct work_task){
        .pool = pool, .run = run, .drop = drop, .data = data, .done = done, .context = context, .state = WAITING};
    pthread_mutex_lock(&pool->mutex);
    put(&pool->waiting, task);
    pool->waits++;
    if (pool->waits > pool->idle && pool->threads < pool->max_threads) /* an idle one was woken for each before it */
        start_thread(pool);
    pthread_cond_signal(&pool->is_work);
    pthread_mutex_unlock(&pool->mutex);
    return task;
}

void work_cancel(struct work_task *task) {
    if (task == NULL)
        return;
    struct work_pool *pool = task->pool;
    pthread_mutex_lock(&pool->mutex);
    task->is_cancelled = true;
    if (task->state == WAITING) {
        struct work_task **at = &pool->waiting.first;
        while (*at != task)
            at = &(*at)->next;
        if ((*at = task->next) == NULL)
            pool->waiting.last = at;
        pool->waits--;
        task_drop(task);
    }
    pthread_mutex_unlock(&pool->mutex);
}
