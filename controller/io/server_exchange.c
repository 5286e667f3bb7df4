/* One request and its reply: what its headers say, and the reply's way out, at once or later. */
#include "base/mem.h"
#include "io/server_internal.h"

#include <arpa/inet.h>
#include <string.h>

enum {
    CHUNKS_AT_ONCE = 16, /* as long as the socket takes them: a busy loop comes by seldom, and has others to serve */
    STALLED_S = 30,      /* a peer that takes nothing for this long is cut off */
};

/* The request. */

const struct server *server_of_connection(struct lws *wsi) {
    const struct connection *c = lws_get_opaque_user_data(wsi);
    return c != NULL ? c->shared->server : NULL;
}

struct slice server_header(struct lws *wsi, enum lws_token_indexes token, char *space, size_t size) {
    space[0] = '\0';
    int n = lws_hdr_copy(wsi, space, (int)size, token);
    return (struct slice){space, n > 0 ? (size_t)n : 0};
}

const char *server_peer(struct lws *wsi, char space[static PEER_SIZE]) {
    space[0] = '\0';
    lws_get_peer_simple(wsi, space, PEER_SIZE);
    return space;
}

/* lws hands the query out decoded and piece by piece. */
struct slice server_query(struct lws *wsi, char *space, size_t size) {
    size_t n = 0;
    for (int i = 0, got; n + 1 < size; i++) {
        size_t at = n + (n > 0 ? 1 : 0);
        got = lws_hdr_copy_fragment(wsi, space + at, (int)(size - at), WSI_TOKEN_HTTP_URI_ARGS, i);
        if (got <= 0)
            break;
        if (n > 0)
            space[n] = '&';
        n = at + (size_t)got;
    }
    return (struct slice){space, n};
}

/* "localhost" or an IP address, with or without a port: names are what DNS rebinding needs. */
static bool is_local_host(struct slice host) {
    char name[64];
    const char *colon = slice_find_char(host, ':');
    if (slice_starts(host, "["))
        return true;
    if (colon != NULL)
        host = slice_range(host.data, colon);
    struct in_addr address;
    return slice_copy(name, sizeof name, host) &&
           (strcmp(name, "localhost") == 0 || inet_pton(AF_INET, name, &address) == 1);
}

bool server_is_host_served(const struct server *s, struct lws *wsi) {
    char space[HEADER_MAX_BYTES];
    return !s->is_local_only || is_local_host(server_header(wsi, WSI_TOKEN_HOST, space, sizeof space));
}

/* The reply. */

static int add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at, unsigned char *end) {
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                       (int)strlen(value), at, end);
}

static int send_headers(struct lws *wsi, const struct server_reply *reply, bool ends) {
    unsigned char space[LWS_PRE + 1024];
    unsigned char *at = space + LWS_PRE, *start = at, *end = space + sizeof space - 1;
    const char *type = reply->content_type != NULL ? reply->content_type : "text/plain; charset=utf-8";
    if (lws_add_http_common_headers(wsi, (unsigned)reply->status, type, reply->body.size_bytes, &at, end) != 0 ||
        add_header(wsi, "x-content-type-options:", "nosniff", &at, end) != 0 ||
        add_header(wsi, "cache-control:", "no-store", &at, end) != 0 ||
        (ends && add_header(wsi, "connection:", "close", &at, end) != 0) ||
        lws_finalize_write_http_header(wsi, start, &at, end) != 0)
        return -1;
    return 0;
}

static int send_chunk(struct lws *wsi, struct server_exchange *x) {
    unsigned char space[LWS_PRE + SERVER_CHUNK_BYTES];
    size_t left = x->body.size_bytes - x->sent_bytes;
    size_t n = left < SERVER_CHUNK_BYTES ? left : SERVER_CHUNK_BYTES;
    memcpy(space + LWS_PRE, x->body.data + x->sent_bytes, n);
    int sent = lws_write(wsi, space + LWS_PRE, n, n == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP);
    if (sent < (int)n)
        return -1;
    x->sent_bytes += n;
    return 0;
}

static void hold_release(struct server_hold *hold) {
    if (hold->release != NULL)
        hold->release(hold->context);
    *hold = (struct server_hold){0};
}

void server_incoming_free(struct server_exchange *x) {
    struct incoming *in = x->incoming;
    if (in == NULL)
        return;
    if (in->admitted != NULL)
        in->drop(in->admitted);
    free(in->refusal);
    free(in->query);
    free(in->authorization);
    buf_done(&in->body);
    free(in);
    x->incoming = NULL;
}

void server_exchange_done(struct server_exchange *x) {
    buf_done(&x->body);
    hold_release(&x->hold);
    server_incoming_free(x);
    loop_fd_remove(x->writable);
    if (x->ticket != NULL)
        x->ticket->exchange = NULL;
    if (x->admission != NULL)
        x->admission->exchange = NULL;
    *x = (struct server_exchange){0};
}

/* Only lws closes with a TLS close_notify and a FIN, and only from one of its callbacks. */
static void end_reply(struct server_exchange *x) {
    struct lws *wsi = x->wsi;
    bool is_over = x->ends;
    server_exchange_done(x);
    if (!is_over)
        is_over = lws_http_transaction_completed(wsi) != 0; /* may replace what lws_wsi_user returns */
    connection_enter(lws_get_opaque_user_data(wsi), CONNECTION_WAITS);
    x = lws_wsi_user(wsi);
    if (x != NULL)
        x->is_over = is_over;
    lws_rx_flow_control(wsi, 1);
    lws_callback_on_writable(wsi);
}

static void on_writable(void *context, int fd, int events);

/* lws does not write while its input is held, so the loop watches the socket. Negative: the connection is broken. */
static int send_reply(struct server_exchange *x) {
    const struct server *s = server_of_connection(x->wsi);
    size_t size = x->body.size_bytes;
    /* The peer takes what it was sent. Without this lws ends a reply after 20 s, however well it goes. */
    lws_set_timeout(x->wsi, PENDING_TIMEOUT_HTTP_CONTENT, STALLED_S);
    if (lws_partial_buffered(x->wsi) && lws_write(x->wsi, NULL, 0, LWS_WRITE_HTTP) < 0)
        return -1;
    for (int i = 0; i < CHUNKS_AT_ONCE && x->sent_bytes < size && !lws_send_pipe_choked(x->wsi); i++)
        if (send_chunk(x->wsi, x) < 0)
            return -1;
    if (x->sent_bytes == size && !lws_partial_buffered(x->wsi))
        end_reply(x);
    else if (s == NULL)
        return -1;
    else if (x->writable == NULL)
        x->writable = loop_fd_add(s->loop, lws_get_socket_fd(x->wsi), LOOP_WRITE, on_writable, x);
    return 0;
}

static void on_writable(void *context, int fd, int events) {
    struct server_exchange *x = context;
    struct lws *wsi = x->wsi;
    (void)fd, (void)events;
    if (send_reply(x) == 0)
        return;
    server_exchange_done(x);
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

int server_start_reply(struct server_exchange *x, struct server_reply *reply) {
    int failed = send_headers(x->wsi, reply, x->ends);
    buf_done(&x->body);
    hold_release(&x->hold);
    x->body = reply->body;
    x->hold = reply->hold;
    reply->body = (struct buf){0};
    reply->hold = (struct server_hold){0};
    x->sent_bytes = x->is_head ? x->body.size_bytes : 0;
    return failed != 0 ? -1 : send_reply(x);
}

int server_refuse_at_once(struct server_exchange *x, struct server_reply *reply) {
    x->ends = true;
    int failed = send_headers(x->wsi, reply, true);
    buf_done(&x->body);
    x->body = reply->body;
    if (failed == 0 && !x->is_head)
        send_chunk(x->wsi, x);
    return -1;
}

struct server_ticket *server_reply_later(const struct server_request *request) {
    struct server_ticket *ticket = mem_new(struct server_ticket);
    ticket->exchange = request->exchange;
    return request->exchange->ticket = ticket;
}

void server_answer(struct server_ticket *ticket, struct server_reply *reply) {
    if (ticket == NULL)
        return;
    struct server_exchange *x = ticket->exchange;
    free(ticket);
    if (x == NULL) {
        if (reply != NULL)
            hold_release(&reply->hold);
        return;
    }
    x->ticket = NULL;
    if (x->now != NULL && reply != NULL) { /* it is later already: what the handler's reply held is dropped */
        buf_done(&x->now->body);
        *x->now = *reply;
        reply->body = (struct buf){0};
        reply->hold = (struct server_hold){0};
        return;
    }
    struct lws *wsi = x->wsi;
    if (reply == NULL || server_start_reply(x, reply) < 0)
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}
