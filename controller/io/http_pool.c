#include "io/http_pool.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/ioctl.h>

/* A wake-up costs more than the event of a watch that it brings: libcurl looks at each stream of the connection, and
 * finds the processor's caches cold. So a socket of which little was read a moment ago rests, and what comes meanwhile
 * is read together. The first bytes after a pause are read at once. */
#define REST_US INT64_C(40000)
#define MOMENT_US INT64_C(60000)
enum {
    LITTLE_BYTES = HTTP_READ_AHEAD_BYTES, /* one call takes them */
    MAX_READS = 64,                       /* of what OpenSSL has taken in, in a turn of the loop */
    MAX_CALLS = 3,                        /* in a turn of the loop, because libcurl asks for them */
};

static void settle(void *client);

void http_settle_later(struct http_client *client) {
    loop_defer(client->loop, settle, client);
}

/* The connections of a pool. */

static void drive(struct http_pool *pool, curl_socket_t fd, int mask) {
    int running;
    curl_multi_socket_action(pool->multi, fd, mask, &running);
}

static void watch_socket(struct http_pool *pool, size_t fd, bool is_unread);
static bool leaves_unread(const struct http_pool *pool);

/* Decides before it is read, as curl may close it, and its number may come again. False: nothing has come. */
static bool rest_after(struct http_pool *pool, size_t fd) {
    struct http_socket *s = &pool->sockets[fd];
    int64_t now_us = loop_now(pool->client->loop).us;
    int bytes = 0;
    ioctl((int)fd, FIONREAD, &bytes);
    s->is_resting = !pool->is_lazy && bytes > 0 && bytes < LITTLE_BYTES && now_us - s->read_us < MOMENT_US;
    if (bytes > 0)
        s->read_us = now_us;
    if (s->is_resting && !loop_timer_is_set(pool->rest_timer))
        loop_timer_set(pool->rest_timer, REST_US);
    watch_socket(pool, fd, leaves_unread(pool));
    return bytes > 0;
}

static void socket_ready(void *context, int fd, int events) {
    struct http_pool *pool = context;
    if ((events & LOOP_READ) != 0)
        rest_after(pool, (size_t)fd);
    drive(pool, fd,
          ((events & LOOP_READ) != 0 ? CURL_CSELECT_IN : 0) | ((events & LOOP_WRITE) != 0 ? CURL_CSELECT_OUT : 0));
    http_settle_later(pool->client);
}

static void rest_over(void *context) {
    struct http_pool *pool = context;
    for (size_t i = 0; i < pool->socket_count; i++) /* curl may add sockets meanwhile */
        if (pool->sockets[i].is_resting && rest_after(pool, i))
            drive(pool, (curl_socket_t)i, CURL_CSELECT_IN);
    http_settle_later(pool->client);
}

static void kick(struct http_pool *pool) {
    drive(pool, CURL_SOCKET_TIMEOUT, 0);
}

void http_pool_read(struct http_pool *pool) {
    for (size_t i = 0; i < pool->socket_count; i++) /* curl may add sockets meanwhile */
        if ((pool->sockets[i].required & ~pool->sockets[i].watched & LOOP_READ) != 0)
            drive(pool, (curl_socket_t)i, CURL_CSELECT_IN);
}

/* What OpenSSL has taken from the socket, and no epoll set knows of. */
static bool has_taken_in(const struct http_pool *pool) {
    for (const struct http_request *r = pool->client->first; r != NULL; r = r->next) {
        const struct curl_tlssessioninfo *tls = NULL;
        if (r->pool == pool && r->state == REQUEST_OPEN &&
            curl_easy_getinfo(r->easy, CURLINFO_TLS_SSL_PTR, &tls) == CURLE_OK && tls != NULL &&
            tls->backend == CURLSSLBACKEND_OPENSSL && tls->internals != NULL && SSL_has_pending(tls->internals))
            return true;
    }
    return false;
}

/* libcurl reads one record a call. Where that gave nothing, a record may be there in part: OpenSSL counts it, too. */
static void read_taken_in(struct http_pool *pool) {
    for (int n = 0; has_taken_in(pool); n++) {
        size_t before = pool->body_bytes;
        if (n < MAX_READS)
            for (size_t i = 0; i < pool->socket_count; i++) /* curl may add sockets meanwhile */
                if ((pool->sockets[i].required & LOOP_READ) != 0)
                    drive(pool, (curl_socket_t)i, CURL_CSELECT_IN);
        if (n < MAX_READS && pool->body_bytes != before)
            continue;
        if (n == MAX_READS || !loop_timer_is_set(pool->rest_timer))
            loop_timer_set(pool->rest_timer, n == MAX_READS ? 0 : REST_US);
        return;
    }
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
    int events = (is_unread || s->is_resting) && s->required == LOOP_READ ? 0 : s->required;
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

static void watch_sockets(struct http_pool *pool) {
    if (!pool->is_lazy)
        return; /* on_socket did it */
    bool is_unread = leaves_unread(pool);
    for (size_t i = 0; i < pool->socket_count; i++)
        watch_socket(pool, i, is_unread);
}

static void timeout_due(void *context) {
    struct http_pool *pool = context;
    int64_t now_us = loop_now(pool->client->loop).us;
    pool->calls = pool->called_us == now_us ? pool->calls + 1 : 1;
    pool->called_us = now_us;
    kick(pool);
    http_settle_later(pool->client);
}

/* curl's callback: when it wants to be called next. "Now" needs no timer, unless curl says so again and again while it
 * is being called for that reason, as it does as long as a stream has more bytes: then it is in the next turn, after
 * everybody else. */
static int on_timer(CURLM *multi, long timeout_ms, void *context) {
    (void)multi;
    struct http_pool *pool = context;
    loop_timer_stop(pool->timer);
    loop_defer_cancel(pool->client->loop, timeout_due, pool);
    bool is_enough = pool->calls >= MAX_CALLS && pool->called_us == loop_now(pool->client->loop).us;
    if (timeout_ms == 0 && !is_enough)
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
    if (pool->sockets[i].required == 0) { /* perhaps closed */
        pool->sockets[i].is_resting = false;
        pool->sockets[i].read_us = 0;
    }
    watch_socket(pool, i, leaves_unread(pool));
    return 0;
}

static struct http_pool *pool_new(struct http_client *client) {
    struct http_pool *pool = mem_new(struct http_pool);
    pool->client = client;
    pool->timer = loop_timer_new(client->loop, timeout_due, pool);
    pool->rest_timer = loop_timer_new(client->loop, rest_over, pool);
    pool->multi = curl_multi_init();
    assert(pool->multi != NULL);
    curl_multi_setopt(pool->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(pool->multi, CURLMOPT_SOCKETDATA, pool);
    curl_multi_setopt(pool->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(pool->multi, CURLMOPT_TIMERDATA, pool);
    curl_multi_setopt(pool->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    return pool;
}

static void pool_free(struct http_pool *pool) {
    assert(pool->request_count == 0);
    curl_multi_cleanup(pool->multi); /* closes its connections through on_socket */
    for (size_t i = 0; i < pool->socket_count; i++)
        loop_fd_remove(pool->sockets[i].watch);
    free(pool->sockets);
    loop_defer_cancel(pool->client->loop, timeout_due, pool);
    loop_timer_free(pool->timer);
    loop_timer_free(pool->rest_timer);
    free(pool);
}

/* The end of a request. */

static int errno_of(CURLcode code) {
    switch (code) {
    case CURLE_COULDNT_CONNECT:
        return ECONNREFUSED;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return EHOSTUNREACH;
    case CURLE_OPERATION_TIMEDOUT:
        return ETIMEDOUT;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
        return EINVAL;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
        return EPROTO;
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return ECONNRESET;
    default:
        return EIO;
    }
}

/* OpenSSL's words alone say little ("asn1 encoding routines::EVP lib" is a certificate of another CA). */
static const char *context_of(CURLcode code) {
    if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
        return "the server's certificate is not trusted: ";
    if (code == CURLE_SSL_CERTPROBLEM)
        return "our client certificate cannot be used: ";
    return errno_of(code) == EPROTO ? "the TLS handshake failed, perhaps for a certificate that is not of the CA: "
                                    : "";
}

static void request_free(struct http_request *r) {
    struct http_client *client = r->client;
    if (r->is_paused) { /* libcurl 7.88 leaks what a paused request holds back: it is handed on, and refused */
        r->state = REQUEST_CANCELLED;
        curl_easy_pause(r->easy, CURLPAUSE_CONT);
    }
    if (r->pool != NULL) {
        curl_multi_remove_handle(r->pool->multi, r->easy);
        r->pool->request_count--;
    }
    if (r->easy != NULL)
        curl_easy_cleanup(r->easy);
    curl_slist_free_all(r->headers);
    curl_slist_free_all(r->connect_to);
    *(r->previous != NULL ? &r->previous->next : &client->first) = r->next;
    *(r->next != NULL ? &r->next->previous : &client->last) = r->previous;
    error_free(r->failure);
    free(r->origin);
    free(r);
}

/* Whether they may share a connection. */
static bool are_together(const struct http_request *a, const struct http_request *b) {
    return a->is_lazy == b->is_lazy && a->is_bulk == b->is_bulk && a->is_busy == b->is_busy &&
           strcmp(a->origin, b->origin) == 0;
}

/* What failed before there was a connection fails alike for those that wait for the same connection. */
static void fail_those_behind(const struct http_request *failed) {
    for (struct http_request *r = failed->client->first; r != NULL; r = r->next)
        if (r->state == REQUEST_QUEUED && are_together(r, failed)) {
            r->state = REQUEST_FINISHED;
            error_set(&r->failure, failed->failure->code, "%s", failed->failure->text);
        }
}

/* New requests open new connections. */
static void drop_connections(struct http_client *client) {
    for (struct http_pool *pool = client->pools; pool != NULL; pool = pool->next)
        pool->is_retired = true;
    http_settle_later(client);
}

static void finish(struct http_request *r) {
    if (r->failure == NULL && r->result != CURLE_OK)
        error_set(&r->failure, errno_of(r->result), "%s%s", context_of(r->result),
                  r->curl_error[0] != '\0' ? r->curl_error : curl_easy_strerror(r->result));
    if (r->failure != NULL && !r->had_connection && r->pool != NULL)
        fail_those_behind(r);
    /* No answer comes over that connection any more, or not in time: the next request shall not sit behind this one. */
    if (r->failure != NULL && r->failure->code == ETIMEDOUT && r->pool != NULL && !r->pool->is_retired)
        drop_connections(r->client);
    struct http_handler handler = r->handler;
    struct http_reply reply = r->reply;
    char content_type[sizeof r->content_type];
    memcpy(content_type, r->content_type, sizeof content_type);
    reply.content_type = content_type;
    struct error *failure CLEANUP_ERROR = r->failure;
    r->failure = NULL;
    request_free(r);
    handler.on_done(handler.context, &reply, failure);
}

static void collect_results(struct http_client *client) {
    for (struct http_pool *pool = client->pools; pool != NULL; pool = pool->next) {
        CURLMsg *message;
        int left;
        while ((message = curl_multi_info_read(pool->multi, &left)) != NULL) {
            struct http_request *r = NULL;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&r);
            r->result = message->data.result;
            if (r->state != REQUEST_CANCELLED)
                r->state = REQUEST_FINISHED;
        }
    }
}

static bool end_one(struct http_client *client) {
    for (struct http_request *r = client->first; r != NULL; r = r->next) {
        if (r->state == REQUEST_CANCELLED) {
            request_free(r);
            return true;
        }
        if (r->state == REQUEST_FINISHED) {
            finish(r);
            return true;
        }
    }
    return false;
}

/* Its start. */

static bool is_behind(const struct http_request *waiting) {
    for (const struct http_request *r = waiting->client->first; r != NULL; r = r->next)
        if (r->state == REQUEST_OPENING && are_together(r, waiting))
            return true;
    return false;
}

static struct http_pool *pool_for(const struct http_request *r) {
    struct http_client *client = r->client;
    for (struct http_pool *pool = client->pools; pool != NULL; pool = pool->next)
        if (!pool->is_retired && pool->is_lazy == r->is_lazy && pool->is_bulk == r->is_bulk &&
            pool->is_busy == r->is_busy)
            return pool;
    struct http_pool *fresh = pool_new(client);
    fresh->is_lazy = r->is_lazy;
    fresh->is_bulk = r->is_bulk;
    fresh->is_busy = r->is_busy;
    fresh->next = client->pools;
    client->pools = fresh;
    return fresh;
}

static bool open_one(struct http_client *client) {
    for (struct http_request *r = client->first; r != NULL; r = r->next) {
        if (r->state != REQUEST_QUEUED || is_behind(r))
            continue;
        r->state = REQUEST_OPENING;
        r->pool = pool_for(r);
        r->pool->request_count++;
        curl_multi_add_handle(r->pool->multi, r->easy);
        kick(r->pool); /* over a connection that is there already, this sends the request */
        return true;
    }
    return false;
}

static void free_retired(struct http_client *client) {
    for (struct http_pool **p = &client->pools; *p != NULL;) {
        struct http_pool *pool = *p;
        if (!pool->is_retired || pool->request_count > 0) {
            p = &pool->next;
            continue;
        }
        *p = pool->next;
        pool_free(pool);
    }
}

static void settle(void *context) {
    struct http_client *client = context;
    assert(!client->is_settling);
    for (struct http_pool *pool = client->pools; pool != NULL; pool = pool->next)
        if (pool->is_busy)
            read_taken_in(pool);
    client->is_settling = true;
    do
        collect_results(client);
    while (end_one(client) || open_one(client));
    for (struct http_pool *pool = client->pools; pool != NULL; pool = pool->next)
        watch_sockets(pool);
    free_retired(client);
    client->is_settling = false;
}

void http_pools_free(struct http_client *client) {
    while (client->first != NULL)
        request_free(client->first);
    while (client->pools != NULL) {
        struct http_pool *pool = client->pools;
        client->pools = pool->next;
        pool_free(pool);
    }
    loop_defer_cancel(client->loop, settle, client);
}
