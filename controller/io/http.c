#include "io/http.h"

#include "base/mem.h"
#include "io/http_easy.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_RETRY_AFTER_S 300 /* what a server may hold back its clients for: more would be a stop */
#define TURN_BYTES ((size_t)160 << 10)

/* The share of a turn of the loop that bulk requests have together. The size of a request's buffer (http_easy.c) does
 * not limit what it hands on: from libcurl 8 on that is what a connection has received, of all its streams
 * (lib/http2.c); 7.88 does so at times. So a request that is beyond the share is paused until the next turn. */

static struct http_request *first_paused(const struct http_client *client) {
    struct http_request *r = client->first;
    while (r != NULL && !r->is_paused)
        r = r->next;
    return r;
}

/* So that the others are served before it is paused again. */
static void move_to_the_end(struct http_client *client, struct http_request *r) {
    if (r->next == NULL)
        return;
    *(r->previous != NULL ? &r->previous->next : &client->first) = r->next;
    r->next->previous = r->previous;
    r->previous = client->last;
    r->next = NULL;
    client->last->next = r;
    client->last = r;
}

static void next_turn(void *context) {
    struct http_client *client = context;
    size_t count = 0;
    client->bulk_bytes = 0;
    for (const struct http_request *r = client->first; r != NULL; r = r->next)
        count += r->is_paused;
    /* libcurl copies all that it holds back of a request whenever that waits again: none is resumed in vain. */
    for (struct http_request *r; count > 0 && client->bulk_bytes < TURN_BYTES && (r = first_paused(client)) != NULL;
         count--) {
        move_to_the_end(client, r);
        r->is_paused = false;
        curl_easy_pause(r->easy, CURLPAUSE_CONT); /* of one that is no longer open the bytes are refused */
    }
    http_settle_later(client);
}

/* Whether these bytes of its reply wait until the next turn. */
static bool waits(struct http_request *r, size_t size_bytes) {
    struct http_client *client = r->client;
    if (!r->is_bulk)
        return false;
    if (client->bulk_bytes == 0)
        loop_timer_set(client->bulk_timer, 0);
    r->is_paused = client->bulk_bytes >= TURN_BYTES;
    if (!r->is_paused)
        client->bulk_bytes += size_bytes;
    return r->is_paused;
}

/* curl's callbacks of a request: they mark, and hand bytes on. */

static void reply_begin(struct http_request *r, struct slice status_line) {
    struct slice version;
    int64_t status;
    r->reply = (struct http_reply){.retry_after_us = -1, .date_s = -1, .content_type = r->content_type};
    r->content_type[0] = '\0';
    if (slice_take_until(&status_line, ' ', &version) && slice_take_uint(&status_line, &status) && status < 1000)
        r->reply.status = (int)status;
}

static int64_t read_date(struct slice value) { /* -1: it is not one */
    char date[64];
    slice_copy(date, sizeof date, value);
    return (int64_t)curl_getdate(date, NULL);
}

static void reply_header(struct http_request *r, struct slice line) {
    struct slice name, value = line;
    if (!slice_take_until(&value, ':', &name))
        return;
    value = slice_trim(value);
    if (name.size_bytes == 12 && strncasecmp(name.data, "content-type", 12) == 0)
        slice_copy(r->content_type, sizeof r->content_type, value);
    if (name.size_bytes == 4 && strncasecmp(name.data, "date", 4) == 0)
        r->reply.date_s = read_date(value);
    if (name.size_bytes != 11 || strncasecmp(name.data, "retry-after", 11) != 0)
        return;
    int64_t seconds;
    struct slice number = value;
    if (!slice_take_uint(&number, &seconds)) {
        int64_t at_s = read_date(value);
        if (at_s < 0)
            return;
        seconds = at_s - loop_wall(r->client->loop).us / 1000000;
    }
    if (seconds < 0)
        seconds = 0;
    r->reply.retry_after_us = (seconds > MAX_RETRY_AFTER_S ? MAX_RETRY_AFTER_S : seconds) * 1000000;
}

static size_t on_header(char *data, size_t size, size_t count, void *context) {
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

static size_t on_body(char *data, size_t size, size_t count, void *context) {
    struct http_request *r = context;
    r->last_byte_us = loop_now(r->client->loop).us;
    if (r->state != REQUEST_OPEN)
        return 0;
    r->pool->body_bytes += size * count;
    if (waits(r, size * count))
        return CURL_WRITEFUNC_PAUSE;
    int n = r->handler.on_data(r->handler.context, (struct slice){data, size * count});
    if (n >= 0)
        return size * count;
    if (r->failure == NULL)
        error_set(&r->failure, -n, "the reply was refused: %s", strerror(-n));
    return 0;
}

static int on_connected(void *context, char *remote_ip, char *local_ip, int remote_port, int local_port) {
    (void)remote_ip, (void)local_ip, (void)remote_port, (void)local_port;
    struct http_request *r = context;
    r->had_connection = true;
    r->is_connecting = false;
    if (r->state == REQUEST_OPENING)
        r->state = REQUEST_OPEN;
    return CURL_PREREQFUNC_OK;
}

static void set_callbacks(struct http_request *r) {
    curl_easy_setopt(r->easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(r->easy, CURLOPT_HEADERDATA, r);
    curl_easy_setopt(r->easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(r->easy, CURLOPT_WRITEDATA, r);
    curl_easy_setopt(r->easy, CURLOPT_PREREQFUNCTION, on_connected);
    curl_easy_setopt(r->easy, CURLOPT_PREREQDATA, r);
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
        http_settle_later(client);
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
    client->bulk_timer = loop_timer_new(loop, next_turn, client);
    return client;
}

void http_client_free(struct http_client *client) {
    if (client == NULL)
        return;
    assert(!client->is_settling); /* not from within on_done */
    http_pools_free(client);
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
    r->is_busy = options->is_busy;
    r->last_byte_us = loop_now(client->loop).us;
    r->reply = (struct http_reply){.retry_after_us = -1, .date_s = -1, .content_type = r->content_type};
    r->previous = client->last;
    *(client->last != NULL ? &client->last->next : &client->first) = r;
    client->last = r;
    if (http_easy_prepare(r, options, &r->failure) < 0)
        r->state = REQUEST_FINISHED;
    else
        set_callbacks(r);
    if (r->silence_timeout_us > 0)
        silence_watch(client, r->last_byte_us + r->silence_timeout_us);
    http_settle_later(client);
    return r;
}

void http_hurry(struct http_request *request) {
    if (request == NULL)
        return;
    request->is_hurried = true;
    http_settle_later(request->client); /* first: its turn comes before what the caller defers */
    if (request->pool != NULL)
        http_pool_read(request->pool);
}

void http_cancel(struct http_request *request) {
    if (request == NULL)
        return;
    request->state = REQUEST_CANCELLED;
    http_settle_later(request->client);
}
