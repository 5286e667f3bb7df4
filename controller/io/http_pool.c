#include "base/mem.h"
#include "io/http_internal.h"

#include <assert.h>

static void socket_ready(void *context, int fd, int events) {
    struct http_pool *pool = context;
    int mask = ((events & LOOP_READ) != 0 ? CURL_CSELECT_IN : 0) | ((events & LOOP_WRITE) != 0 ? CURL_CSELECT_OUT : 0);
    int running;
    curl_multi_socket_action(pool->multi, fd, mask, &running);
    loop_defer(pool->client->loop, http_client_settle, pool->client);
}

void http_pool_kick(struct http_pool *pool) {
    int running;
    curl_multi_socket_action(pool->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

static void timeout_due(void *context) {
    struct http_pool *pool = context;
    http_pool_kick(pool);
    loop_defer(pool->client->loop, http_client_settle, pool->client);
}

/* curl's callback: when it wants to be called next. "Now" needs no timer. */
static int on_timer(CURLM *multi, long timeout_ms, void *context) {
    (void)multi;
    struct http_pool *pool = context;
    loop_timer_stop(pool->timer);
    loop_defer_cancel(pool->client->loop, timeout_due, pool);
    if (timeout_ms == 0)
        loop_defer(pool->client->loop, timeout_due, pool);
    else if (timeout_ms > 0)
        loop_timer_set(pool->timer, (int64_t)timeout_ms * 1000);
    return 0;
}

/* curl's callback: which sockets it waits for. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *unused) {
    (void)easy, (void)unused;
    struct http_pool *pool = context;
    size_t i = (size_t)fd;
    if (i >= pool->watch_count) {
        size_t count = i + 16;
        pool->watches = mem_resize(pool->watches, count, sizeof *pool->watches);
        while (pool->watch_count < count)
            pool->watches[pool->watch_count++] = NULL;
    }
    if (what == CURL_POLL_REMOVE) {
        loop_fd_remove(pool->watches[i]);
        pool->watches[i] = NULL;
        return 0;
    }
    int events = (what != CURL_POLL_OUT ? LOOP_READ : 0) | (what != CURL_POLL_IN ? LOOP_WRITE : 0);
    if (pool->watches[i] == NULL)
        pool->watches[i] = loop_fd_add(pool->client->loop, fd, events, socket_ready, pool);
    else
        loop_fd_change(pool->watches[i], events);
    return 0;
}

struct http_pool *http_pool_new(struct http_client *client) {
    struct http_pool *pool = mem_new(struct http_pool);
    pool->client = client;
    pool->timer = loop_timer_new(client->loop, timeout_due, pool);
    pool->multi = curl_multi_init();
    assert(pool->multi != NULL);
    curl_multi_setopt(pool->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(pool->multi, CURLMOPT_SOCKETDATA, pool);
    curl_multi_setopt(pool->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(pool->multi, CURLMOPT_TIMERDATA, pool);
    curl_multi_setopt(pool->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    return pool;
}

void http_pool_free(struct http_pool *pool) {
    assert(pool->request_count == 0);
    curl_multi_cleanup(pool->multi); /* closes its connections through on_socket */
    for (size_t i = 0; i < pool->watch_count; i++)
        loop_fd_remove(pool->watches[i]);
    free(pool->watches);
    loop_defer_cancel(pool->client->loop, timeout_due, pool);
    loop_timer_free(pool->timer);
    free(pool);
}
