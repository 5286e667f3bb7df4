#include "base/mem.h"
#include "io/http_internal.h"

#include <assert.h>

static void drive(struct http_pool *pool, curl_socket_t fd, int mask) {
    int running;
    curl_multi_socket_action(pool->multi, fd, mask, &running);
}

static void socket_ready(void *context, int fd, int events) {
    struct http_pool *pool = context;
    drive(pool, fd,
          ((events & LOOP_READ) != 0 ? CURL_CSELECT_IN : 0) | ((events & LOOP_WRITE) != 0 ? CURL_CSELECT_OUT : 0));
    loop_defer(pool->client->loop, http_client_settle, pool->client);
}

void http_pool_kick(struct http_pool *pool) {
    drive(pool, CURL_SOCKET_TIMEOUT, 0);
}

void http_pool_read(struct http_pool *pool) {
    for (size_t i = 0; i < pool->socket_count; i++) /* curl may add sockets meanwhile */
        if ((pool->sockets[i].required & ~pool->sockets[i].watched & LOOP_READ) != 0)
            drive(pool, (curl_socket_t)i, CURL_CSELECT_IN);
}

/* A lazy pool's replies are left unread once every request was sent: making a connection needs answers. */
static bool leaves_unread(const struct http_pool *pool) {
    if (!pool->is_lazy)
        return false;
    for (const struct http_request *r = pool->client->first; r != NULL; r = r->next)
        if (r->pool == pool && (r->is_hurried || r->is_connecting || r->state != REQUEST_OPEN))
            return false;
    return true;
}

/* While there is something to send, reading continues as well: HTTP/2 may wait for the peer's leave to send the body.
 * A socket with nothing to wait for leaves the epoll set: there it would report its end again and again. */
static void watch_socket(struct http_pool *pool, size_t fd, bool is_unread) {
    struct http_socket *s = &pool->sockets[fd];
    int events = is_unread && s->required == LOOP_READ ? 0 : s->required;
    if (events == s->watched)
        return;
    s->watched = events;
    if (events == 0) {
        loop_fd_remove(s->watch);
        s->watch = NULL;
    } else if (s->watch == NULL)
        s->watch = loop_fd_add(pool->client->loop, (int)fd, events, socket_ready, pool);
    else
        loop_fd_change(s->watch, events);
}

void http_pool_watch(struct http_pool *pool) {
    if (!pool->is_lazy)
        return; /* on_socket did it */
    bool is_unread = leaves_unread(pool);
    for (size_t i = 0; i < pool->socket_count; i++)
        watch_socket(pool, i, is_unread);
}

static void timeout_due(void *context) {
    struct http_pool *pool = context;
    pool->is_due = true;
    http_pool_kick(pool);
    pool->is_due = false;
    loop_defer(pool->client->loop, http_client_settle, pool->client);
}

/* curl's callback: when it wants to be called next. "Now" needs no timer, unless curl says so while it is being called
 * for that reason, as it does as long as a stream has more bytes: then it is in the next turn, after everybody else. */
static int on_timer(CURLM *multi, long timeout_ms, void *context) {
    (void)multi;
    struct http_pool *pool = context;
    loop_timer_stop(pool->timer);
    loop_defer_cancel(pool->client->loop, timeout_due, pool);
    if (timeout_ms == 0 && !pool->is_due)
        loop_defer(pool->client->loop, timeout_due, pool);
    else if (timeout_ms >= 0)
        loop_timer_set(pool->timer, (int64_t)timeout_ms * 1000);
    return 0;
}

/* curl's callback: which sockets it waits for. A closed one must be forgotten at once: its number may come again. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *unused) {
    (void)easy, (void)unused;
    struct http_pool *pool = context;
    size_t i = (size_t)fd;
    if (i >= pool->socket_count) {
        size_t count = i + 16;
        pool->sockets = mem_resize(pool->sockets, count, sizeof *pool->sockets);
        while (pool->socket_count < count)
            pool->sockets[pool->socket_count++] = (struct http_socket){0};
    }
    bool reads = what == CURL_POLL_IN || what == CURL_POLL_INOUT;
    bool writes = what == CURL_POLL_OUT || what == CURL_POLL_INOUT;
    pool->sockets[i].required = (reads ? LOOP_READ : 0) | (writes ? LOOP_WRITE : 0);
    watch_socket(pool, i, leaves_unread(pool));
    return 0;
}

struct http_pool *http_pool_new(struct http_client *client, bool is_lazy) {
    struct http_pool *pool = mem_new(struct http_pool);
    pool->client = client;
    pool->is_lazy = is_lazy;
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
    for (size_t i = 0; i < pool->socket_count; i++)
        loop_fd_remove(pool->sockets[i].watch);
    free(pool->sockets);
    loop_defer_cancel(pool->client->loop, timeout_due, pool);
    loop_timer_free(pool->timer);
    free(pool);
}
