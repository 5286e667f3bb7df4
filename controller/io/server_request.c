#include "io/server_request.h"

#include "base/mem.h"
#include "io/server_request_internal.h"

#include <arpa/inet.h>
#include <string.h>

enum {
    CHUNKS_AT_ONCE = 16, /* as long as the socket takes them: a busy loop comes by seldom, and has others to serve */
    STALLED_S = 30,      /* a peer that takes nothing for this long is cut off */
    UNADMITTED_MAX_BYTES = 65536,
    DROPPED_BODY_MAX_BYTES = 64 << 20, /* a longer one ends the connection */
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
        (reply->content_encoding != NULL &&
         add_header(wsi, "content-encoding:", reply->content_encoding, &at, end) != 0) ||
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

void server_reply_whole(struct server_reply *reply) {
    if (!reply->body.truncated)
        return;
    buf_clear(&reply->body);
    reply->status = 500;
    reply->content_type = reply->content_encoding = NULL;
    buf_append_text(&reply->body, "the answer is too long\n");
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

/* The body: its headers first, then whether it may be sent (server_admit), then the body. */

/* A refused body is read and dropped before the answer: in a reply it would be read as the next request. */
static int refuse_body(struct incoming *in, int status, const char *text) {
    in->refusal_status = status;
    in->refusal = mem_strdup(text);
    buf_done(&in->body);
    return 0;
}

static struct server_request request_of(struct server_exchange *x, char peer[static PEER_SIZE]) {
    return (struct server_request){.exchange = x,
                                   .query = slice_of(x->incoming->query),
                                   .authorization = slice_of(x->incoming->authorization),
                                   .peer = server_peer(x->wsi, peer)};
}

static int ask_for_admission(const struct server *s, struct server_exchange *x, size_t bytes) {
    struct incoming *in = x->incoming;
    char peer[PEER_SIZE];
    const struct server_request request = request_of(x, peer);
    struct server_ticket *ticket = x->admission = mem_new(struct server_ticket);
    ticket->exchange = x;
    in->is_asking = in->is_waiting = true;
    s->admit(in->endpoint->context, &request, bytes, ticket);
    in->is_asking = false;
    return in->is_waiting ? lws_rx_flow_control(x->wsi, 0) : 0;
}

/* Negative: the connection ends. */
int server_body_expect(const struct server *s, struct server_exchange *x, const struct server_endpoint *endpoint) {
    char query[HEADER_MAX_BYTES], authorization[AUTHORIZATION_MAX_BYTES], length[32];
    struct slice length_text = server_header(x->wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, length, sizeof length);
    struct incoming *in = x->incoming = mem_new(struct incoming);
    int64_t bytes = 0;
    bool has_length = slice_take_uint(&length_text, &bytes) && length_text.size_bytes == 0;
    in->endpoint = endpoint;
    in->is_empty = !has_length || bytes == 0;
    in->left_bytes = (size_t)bytes;
    connection_enter(lws_get_opaque_user_data(x->wsi), CONNECTION_RECEIVES);
    if (!has_length)
        return refuse_body(in, 411, "Content-Length required\n");
    if ((uint64_t)bytes > DROPPED_BODY_MAX_BYTES)
        return -1;
    if (!server_is_host_served(s, x->wsi))
        return refuse_body(in, 403, "served to localhost only: open it by that name\n");
    if (endpoint == NULL)
        return refuse_body(in, 404, "not found\n");
    if ((uint64_t)bytes > s->max_body_bytes)
        return refuse_body(in, 413, "the body is too large\n");
    in->query = slice_dup(server_query(x->wsi, query, sizeof query));
    in->authorization =
        slice_dup(server_header(x->wsi, WSI_TOKEN_HTTP_AUTHORIZATION, authorization, sizeof authorization));
    buf_init(&in->body, (size_t)bytes);
    return s->admit != NULL ? ask_for_admission(s, x, (size_t)bytes) : 0;
}

static void handle_body(struct server_exchange *x, struct server_reply *reply) {
    struct incoming *in = x->incoming;
    char peer[PEER_SIZE];
    struct server_request request = request_of(x, peer);
    request.body = buf_slice(&in->body);
    request.owned_body = &in->body;
    request.admitted = in->admitted;
    in->admitted = NULL;
    x->now = reply;
    in->endpoint->handle(in->endpoint->context, &request, reply);
    x->now = NULL;
}

int server_body_end(struct lws *wsi, struct server_exchange *x) {
    const struct server *s = server_of_connection(wsi);
    struct incoming *in = x->incoming;
    struct server_reply reply = {.status = 200};
    if (in == NULL) /* lws reports the end of an empty body that on_request answered */
        return x->is_over ? -1 : 0;
    if (s == NULL || lws_rx_flow_control(wsi, 0) < 0)
        return -1;
    in->is_complete = true;
    if (in->is_waiting)
        return 0; /* server_admit continues */
    connection_enter(lws_get_opaque_user_data(wsi), CONNECTION_REPLIES);
    buf_init(&reply.body, SERVER_REPLY_MAX_BYTES);
    if (in->refusal != NULL) {
        reply.status = in->refusal_status;
        if (in->refusal[0] == '{')
            reply.content_type = "application/json";
        buf_append_text(&reply.body, in->refusal);
    } else
        handle_body(x, &reply);
    server_incoming_free(x);
    if (x->ticket == NULL)
        return server_start_reply(x, &reply);
    buf_done(&reply.body);
    return 0;
}

void server_admit(struct server_ticket *ticket, const struct server_admission *admission) {
    struct server_exchange *x = ticket->exchange;
    free(ticket);
    if (x == NULL || admission->status != 200)
        if (admission->admitted != NULL)
            admission->drop(admission->admitted);
    if (x == NULL)
        return;
    struct incoming *in = x->incoming;
    struct connection *c = lws_get_opaque_user_data(x->wsi);
    x->admission = NULL;
    in->is_waiting = false;
    c->is_admitted = admission->status == 200;
    if (admission->status == 200) {
        in->admitted = admission->admitted;
        in->drop = admission->drop;
    } else
        refuse_body(in, admission->status, admission->text);
    if (in->is_asking)
        return;
    int r = in->is_complete ? server_body_end(x->wsi, x) : lws_rx_flow_control(x->wsi, 1);
    if (r < 0)
        lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

/* With bytes after the body in the same read, lws 4.3 hands over all of them and never reports the body's end. */
int server_body_part(struct lws *wsi, struct server_exchange *x, struct slice bytes) {
    struct incoming *in = x->incoming;
    if (in == NULL)
        return x->is_over ? -1 : 0;
    bool has_more = bytes.size_bytes > in->left_bytes;
    if (has_more)
        bytes.size_bytes = in->left_bytes;
    in->left_bytes -= bytes.size_bytes;
    /* While nobody has admitted it, only what came in the same read as the headers is here. */
    if (in->is_waiting && in->body.size_bytes + bytes.size_bytes > UNADMITTED_MAX_BYTES)
        return -1;
    if (in->refusal == NULL && buf_append_slice(&in->body, bytes) < 0)
        return -1;
    return has_more ? server_body_end(wsi, x) : 0;
}
