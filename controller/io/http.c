#include "io/http.h"

#include "base/mem.h"
#include "io/http_internal.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_RETRY_AFTER_S 300 /* what a server may hold back its clients for: more would be a stop */

/* curl's callbacks: they mark, and hand bytes on. */

static void reply_begin(struct http_request *r, struct slice status_line) {
    struct slice version;
    int64_t status;
    r->reply = (struct http_reply){.retry_after_us = -1, .content_type = r->content_type};
    r->content_type[0] = '\0';
    if (slice_take_until(&status_line, ' ', &version) && slice_take_uint(&status_line, &status) && status < 1000)
        r->reply.status = (int)status;
}

static void reply_header(struct http_request *r, struct slice line) {
    struct slice name, value = line;
    if (!slice_take_until(&value, ':', &name))
        return;
    value = slice_trim(value);
    if (name.size_bytes == 12 && strncasecmp(name.data, "content-type", 12) == 0)
        slice_copy(r->content_type, sizeof r->content_type, value);
    if (name.size_bytes != 11 || strncasecmp(name.data, "retry-after", 11) != 0)
        return;
    int64_t seconds;
    struct slice number = value;
    if (!slice_take_uint(&number, &seconds)) {
        char date[64];
        slice_copy(date, sizeof date, value);
        time_t at = curl_getdate(date, NULL);
        if (at == (time_t)-1)
            return;
        seconds = (int64_t)at - loop_wall(r->client->loop).us / 1000000;
    }
    if (seconds < 0)
        seconds = 0;
    r->reply.retry_after_us = (seconds > MAX_RETRY_AFTER_S ? MAX_RETRY_AFTER_S : seconds) * 1000000;
}

size_t http_on_header(char *data, size_t size, size_t count, void *context) {
    struct http_request *r = context;
    struct slice line = slice_trim((struct slice){data, size * count});
    r->last_byte_us = loop_now(r->client->loop).us;
    if (slice_starts(line, "HTTP/"))
        reply_begin(r, line);
    else if (line.size_bytes > 0)
        reply_header(r, line);
    else if (r->reply.status >= 200 && !r->is_replied && r->state == REQUEST_OPEN) {
        r->is_replied = true;
        if (r->handler.on_reply != NULL)
            r->handler.on_reply(r->handler.context, &r->reply);
    }
    return size * count;
}

size_t http_on_body(char *data, size_t size, size_t count, void *context) {
    struct http_request *r = context;
    r->last_byte_us = loop_now(r->client->loop).us;
    if (r->state != REQUEST_OPEN)
        return 0;
    if (http_bulk_waits(r, size * count))
        return CURL_WRITEFUNC_PAUSE;
    int n = r->handler.on_data(r->handler.context, (struct slice){data, size * count});
    if (n >= 0)
        return size * count;
    if (r->failure == NULL)
        error_set(&r->failure, -n, "the reply was refused: %s", strerror(-n));
    return 0;
}

int http_on_connected(void *context, char *remote_ip, char *local_ip, int remote_port, int local_port) {
    (void)remote_ip, (void)local_ip, (void)remote_port, (void)local_port;
    struct http_request *r = context;
    r->had_connection = true;
    r->is_connecting = false;
    if (r->state == REQUEST_OPENING)
        r->state = REQUEST_OPEN;
    return CURL_PREREQFUNC_OK;
}

/* Ends. */

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
    return a->is_lazy == b->is_lazy && strcmp(a->origin, b->origin) == 0;
}

/* What failed before there was a connection fails alike for those that wait for the same connection. */
static void fail_those_behind(const struct http_request *failed) {
    for (struct http_request *r = failed->client->first; r != NULL; r = r->next)
        if (r->state == REQUEST_QUEUED && are_together(r, failed)) {
            r->state = REQUEST_FINISHED;
            error_set(&r->failure, failed->failure->code, "%s", failed->failure->text);
        }
}

static void settle_later(struct http_client *client);

/* New requests open new connections. */
static void drop_connections(struct http_client *client) {
    for (struct http_pool *pool = client->pools; pool != NULL; pool = pool->next)
        pool->is_retired = true;
    settle_later(client);
}

static void finish(struct http_request *r) {
    if (r->failure == NULL && r->result != CURLE_OK)
        error_set(&r->failure, errno_of(r->result), "%s%s", context_of(r->result),
                  r->curl_error[0] != '\0' ? r->curl_error : curl_easy_strerror(r->result));
    if (r->failure != NULL && !r->had_connection && r->pool != NULL)
        fail_those_behind(r);
    /* Nobody answers on that connection any more, or not in time: the next request shall not sit behind this one. */
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

/* Beginnings. */

static bool is_behind(const struct http_request *waiting) {
    for (const struct http_request *r = waiting->client->first; r != NULL; r = r->next)
        if (r->state == REQUEST_OPENING && are_together(r, waiting))
            return true;
    return false;
}

static struct http_pool *pool_for(const struct http_request *r) {
    struct http_client *client = r->client;
    for (struct http_pool *pool = client->pools; pool != NULL; pool = pool->next)
        if (!pool->is_retired && pool->is_lazy == r->is_lazy)
            return pool;
    struct http_pool *fresh = http_pool_new(client, r->is_lazy);
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
        http_pool_kick(r->pool); /* over a connection that is there already, this sends the request */
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
        http_pool_free(pool);
    }
}

void http_client_settle(void *context) {
    struct http_client *client = context;
    assert(!client->is_settling);
    client->is_settling = true;
    do
        collect_results(client);
    while (end_one(client) || open_one(client));
    for (struct http_pool *pool = client->pools; pool != NULL; pool = pool->next)
        http_pool_watch(pool);
    free_retired(client);
    client->is_settling = false;
}

static void settle_later(struct http_client *client) {
    loop_defer(client->loop, http_client_settle, client);
}

static void next_turn(void *context) {
    http_bulk_resume(context);
    settle_later(context);
}

/* The silence watchdog: one timer for the earliest deadline, looked at again when it fires, so that bytes coming in
 * cost nothing. */

static void silence_watch(struct http_client *client, int64_t deadline_us) {
    if (loop_timer_is_set(client->silence_timer) && client->silence_deadline_us <= deadline_us)
        return;
    client->silence_deadline_us = deadline_us;
    loop_timer_set(client->silence_timer, deadline_us - loop_now(client->loop).us);
}

static void silence_due(void *context) {
    struct http_client *client = context;
    int64_t now_us = loop_now(client->loop).us, earliest_us = INT64_MAX;
    for (struct http_request *r = client->first; r != NULL; r = r->next) {
        if (r->silence_timeout_us == 0 || r->state == REQUEST_FINISHED || r->state == REQUEST_CANCELLED)
            continue;
        int64_t deadline_us = r->last_byte_us + r->silence_timeout_us;
        if (deadline_us > now_us) {
            earliest_us = deadline_us < earliest_us ? deadline_us : earliest_us;
            continue;
        }
        error_set(&r->failure, ETIMEDOUT, "nothing was received for %lld ms", (long long)r->silence_timeout_us / 1000);
        r->state = REQUEST_FINISHED;
        settle_later(client);
    }
    if (earliest_us != INT64_MAX)
        silence_watch(client, earliest_us);
}

/* The interface. */

/* Out of memory ends the process in libcurl, too (base/mem.h): 7.88 divides by zero after a failed allocation of its
 * own. */
static void *get_for_curl(size_t size) {
    return mem_resize(NULL, size, 1);
}

static void *resize_for_curl(void *old, size_t size) {
    return mem_resize(old, size, 1);
}

static void *get_zeroed_for_curl(size_t count, size_t size) {
    size_t total;
    return mem_alloc(__builtin_mul_overflow(count, size, &total) ? SIZE_MAX : total);
}

struct http_client *http_client_new(struct loop *loop) {
    curl_global_init_mem(CURL_GLOBAL_DEFAULT, get_for_curl, free, resize_for_curl, mem_strdup,
                         get_zeroed_for_curl); /* counted by curl */
    struct http_client *client = mem_new(struct http_client);
    client->loop = loop;
    client->silence_timer = loop_timer_new(loop, silence_due, client);
    if (http_bulk_is_limited())
        client->bulk_timer = loop_timer_new(loop, next_turn, client);
    return client;
}

void http_client_free(struct http_client *client) {
    if (client == NULL)
        return;
    assert(!client->is_settling); /* not from within on_done */
    while (client->first != NULL)
        request_free(client->first);
    while (client->pools != NULL) {
        struct http_pool *pool = client->pools;
        client->pools = pool->next;
        http_pool_free(pool);
    }
    loop_defer_cancel(client->loop, http_client_settle, client);
    loop_timer_free(client->silence_timer);
    loop_timer_free(client->bulk_timer);
    free(client);
    curl_global_cleanup();
}

struct http_request *http_start(struct http_client *client, const struct http_options *options,
                                const struct http_handler *handler) {
    struct http_request *r = mem_new(struct http_request);
    r->client = client;
    r->handler = *handler;
    r->silence_timeout_us = options->silence_timeout_us;
    r->is_lazy = options->is_lazy;
    r->is_bulk = options->is_bulk;
    r->last_byte_us = loop_now(client->loop).us;
    r->reply = (struct http_reply){.retry_after_us = -1, .content_type = r->content_type};
    r->previous = client->last;
    *(client->last != NULL ? &client->last->next : &client->first) = r;
    client->last = r;
    if (http_easy_prepare(r, options, &r->failure) < 0)
        r->state = REQUEST_FINISHED;
    if (r->silence_timeout_us > 0)
        silence_watch(client, r->last_byte_us + r->silence_timeout_us);
    settle_later(client);
    return r;
}

void http_hurry(struct http_request *request) {
    if (request == NULL)
        return;
    request->is_hurried = true;
    settle_later(request->client); /* first: its turn comes before what the caller defers */
    if (request->pool != NULL)
        http_pool_read(request->pool);
}

void http_cancel(struct http_request *request) {
    if (request == NULL)
        return;
    request->state = REQUEST_CANCELLED;
    settle_later(request->client);
}
