#include "io/server.h"

#include "base/mem.h"
#include "io/loop_lws.h"
#include "io/server_listen.h"
#include "io/server_tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libwebsockets.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The listening socket is ours, so that its address and its errors are said our way; lws gets the accepted ones. */

enum {
    REPLY_MAX_BYTES = 64 << 20,
    MESSAGE_MAX_BYTES = 1 << 20,
    RECEIVE_MAX_BYTES = 256, /* a browser has nothing to say but pongs */
    HEADER_MAX_BYTES = 2048,
    AUTHORIZATION_MAX_BYTES = 16384,
    CHUNK_BYTES = 16384,
    CHUNKS_AT_ONCE = 16, /* as long as the socket takes them: a busy loop comes by seldom, and has others to serve */
    STALLED_S = 30,      /* a peer that takes nothing for so long is gone */
};

struct server {
    struct loop *loop;
    struct lws_vhost *vhost;
    int listen_fd, port;
    struct loop_fd *watch;
    struct server_endpoint *endpoints;
    int endpoint_count;
    size_t most_body_bytes;
    struct server_feed feed; /* path NULL: none */
    bool is_local_only;      /* other Host headers are refused */
    struct server_tls *tls;  /* NULL: plain; borrowed from shared */
    struct shared *shared;
};

/* What a connection knows its server by. lws moves connections between its vhosts by their Host headers when several
 * of them have sockets of their own, so a connection's vhost says nothing; and it may outlive the server. */
struct shared {
    struct server *server;  /* NULL: gone */
    struct server_tls *tls; /* a handshake may be under way when the server goes */
    struct peer *peers;
    size_t bodies_bytes; /* told for those that are coming in */
    int connections;
};

/* Per connection, in lws's memory. */
struct server_exchange {
    struct lws *wsi;
    struct buf body;
    size_t sent_bytes;
    bool is_head;
    bool ends;        /* the connection, with this reply */
    int ends_of_body; /* told after it was over */
    struct server_ticket *ticket;
    struct server_reply *now;  /* while its handler runs */
    struct incoming *incoming; /* a POST whose body is not here yet */
};

struct incoming {                           /* headers are gone when the body is here */
    const struct server_endpoint *endpoint; /* of a server that may be gone: looked at if it is not */
    char *query, *authorization;
    struct buf body;
    size_t told_bytes;
    int refusal_status;
    const char *refusal; /* NULL: it is wanted */
    bool is_empty;
};

struct server_ticket {
    struct server_exchange *exchange; /* NULL: the peer went away */
};

struct peer { /* of the feed */
    struct lws *wsi;
    struct peer *next;
    int64_t cursor;
    size_t received_bytes;
};

static const struct server *server_of(struct lws *wsi) {
    const struct shared *shared = lws_get_opaque_user_data(wsi);
    return shared != NULL ? shared->server : NULL;
}

static void shared_drop(struct shared *shared) {
    if (shared == NULL || --shared->connections > 0)
        return;
    server_tls_free(shared->tls);
    free(shared);
}

static const struct server_endpoint *find_endpoint(const struct server *s, struct slice path) {
    for (int i = 0; i < s->endpoint_count; i++)
        if (slice_is(path, s->endpoints[i].path))
            return &s->endpoints[i];
    return NULL;
}

static void answer(const struct server *s, struct slice path, const struct server_request *request,
                   struct server_reply *reply) {
    const struct server_endpoint *endpoint = find_endpoint(s, path);
    if (endpoint == NULL) {
        reply->status = 404;
        buf_append_text(&reply->body, "not found\n");
        return;
    }
    if (s->most_body_bytes > 0) {
        reply->status = 405;
        buf_append_text(&reply->body, "only POST\n");
        return;
    }
    endpoint->handle(endpoint->context, request, reply);
    if (reply->body.truncated) { /* half an answer is none */
        buf_clear(&reply->body);
        reply->status = 500;
        reply->content_type = NULL;
        buf_append_text(&reply->body, "the answer is too long\n");
    }
}

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
    unsigned char space[LWS_PRE + CHUNK_BYTES];
    size_t left = x->body.size_bytes - x->sent_bytes;
    size_t n = left < CHUNK_BYTES ? left : CHUNK_BYTES;
    memcpy(space + LWS_PRE, x->body.data + x->sent_bytes, n);
    int sent = lws_write(wsi, space + LWS_PRE, n, n == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP);
    if (sent < (int)n)
        return -1;
    x->sent_bytes += n;
    return 0;
}

/* Negative: the connection ends. */
static int end_reply(struct lws *wsi, bool ends) {
    if (ends)
        return -1;
    return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

static int start_reply(struct server_exchange *x, struct server_reply *reply) {
    int failed = send_headers(x->wsi, reply, x->ends);
    buf_done(&x->body);
    x->body = reply->body;
    reply->body = (struct buf){0};
    x->sent_bytes = x->is_head ? x->body.size_bytes : 0;
    if (failed != 0)
        return -1;
    if (x->sent_bytes == x->body.size_bytes)
        return end_reply(x->wsi, x->ends);
    lws_callback_on_writable(x->wsi);
    return 0;
}

static void incoming_drop(struct server_exchange *x) {
    struct incoming *in = x->incoming;
    struct shared *shared = x->wsi != NULL ? lws_get_opaque_user_data(x->wsi) : NULL;
    if (in == NULL)
        return;
    if (shared != NULL)
        shared->bodies_bytes -= in->told_bytes;
    free(in->query);
    free(in->authorization);
    buf_done(&in->body);
    free(in);
    x->incoming = NULL;
}

/* The header's value in space; empty if it is absent or does not fit. */
static struct slice header(struct lws *wsi, enum lws_token_indexes token, char *space, size_t size) {
    space[0] = '\0';
    int n = lws_hdr_copy(wsi, space, (int)size, token);
    return (struct slice){space, n > 0 ? (size_t)n : 0};
}

/* lws hands the query out decoded and piece by piece. */
static struct slice join_query(struct lws *wsi, char *space, size_t size) {
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

static bool is_host_served(const struct server *s, struct lws *wsi) {
    char space[HEADER_MAX_BYTES];
    return !s->is_local_only || is_local_host(header(wsi, WSI_TOKEN_HOST, space, sizeof space));
}

static bool has_body(struct lws *wsi) {
    char length[2];
    return lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0 ||
           (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH) > 0 &&
            !slice_is(header(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, length, sizeof length), "0"));
}

static void handle_request(const struct server *s, struct server_exchange *x, struct slice path,
                           struct server_reply *reply) {
    char query[HEADER_MAX_BYTES], accept[HEADER_MAX_BYTES], authorization[AUTHORIZATION_MAX_BYTES];
    struct server_request request = {
        .exchange = x,
        .query = join_query(x->wsi, query, sizeof query),
        .accept = header(x->wsi, WSI_TOKEN_HTTP_ACCEPT, accept, sizeof accept),
        .authorization = header(x->wsi, WSI_TOKEN_HTTP_AUTHORIZATION, authorization, sizeof authorization)};
    if (!x->is_head && lws_hdr_total_length(x->wsi, WSI_TOKEN_GET_URI) <= 0) {
        reply->status = 405;
        buf_append_text(&reply->body, "only GET and HEAD\n");
    } else if (has_body(x->wsi)) {
        reply->status = 400;
        buf_append_text(&reply->body, "a GET has no body\n");
    } else if (!is_host_served(s, x->wsi)) {
        reply->status = 403;
        buf_append_text(&reply->body, "served to localhost only: open it by that name\n");
    } else
        answer(s, path, &request, reply);
}

/* ---- a request with a body: its headers first ---- */

/* A body that is not wanted is taken and dropped before the answer: one that is sent on into a reply would be read as
 * the next request. */
static int refuse_body(struct incoming *in, int status, const char *text) {
    in->refusal_status = status;
    in->refusal = text;
    in->told_bytes = 0;
    return 0;
}

/* Negative: the connection ends. */
static int expect_body(const struct server *s, struct server_exchange *x, const struct server_endpoint *endpoint) {
    char query[HEADER_MAX_BYTES], authorization[AUTHORIZATION_MAX_BYTES], length[32];
    struct slice told = header(x->wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, length, sizeof length);
    struct incoming *in = x->incoming = mem_new(struct incoming);
    struct shared *shared = s->shared;
    int64_t bytes = 0;
    bool has_length = slice_take_uint(&told, &bytes) && told.size_bytes == 0;
    in->endpoint = endpoint;
    in->is_empty = !has_length || bytes == 0;
    if (!has_length)
        return refuse_body(in, 411, "a body is wanted, and its Content-Length\n");
    if ((uint64_t)bytes > SERVER_BODIES_MAX_BYTES)
        return -1;
    if (!is_host_served(s, x->wsi))
        return refuse_body(in, 403, "served to localhost only: open it by that name\n");
    if (endpoint == NULL)
        return refuse_body(in, 404, "not found\n");
    if ((uint64_t)bytes > s->most_body_bytes)
        return refuse_body(in, 413, "the body is too large\n");
    if (shared->bodies_bytes + (size_t)bytes > SERVER_BODIES_MAX_BYTES)
        return refuse_body(in, 503, "too much is coming in at a time: come again\n");
    in->query = slice_dup(join_query(x->wsi, query, sizeof query));
    in->authorization = slice_dup(header(x->wsi, WSI_TOKEN_HTTP_AUTHORIZATION, authorization, sizeof authorization));
    in->told_bytes = (size_t)bytes;
    shared->bodies_bytes += in->told_bytes;
    buf_init(&in->body, in->told_bytes);
    return 0;
}

static int on_body_end(struct lws *wsi, struct server_exchange *x) {
    const struct server *s = server_of(wsi);
    struct incoming *in = x->incoming;
    struct server_reply reply = {.status = 200};
    if (in == NULL) /* an empty one, or more came behind it: told at each turn, until the answer is out */
        return x->ticket != NULL && ++x->ends_of_body > 1 ? -1 : 0;
    if (s == NULL)
        return -1;
    buf_init(&reply.body, REPLY_MAX_BYTES);
    if (in->refusal != NULL) {
        reply.status = in->refusal_status;
        buf_append_text(&reply.body, in->refusal);
    } else {
        const struct server_request request = {.exchange = x,
                                               .query = slice_of(in->query),
                                               .authorization = slice_of(in->authorization),
                                               .body = buf_slice(&in->body)};
        x->now = &reply;
        in->endpoint->handle(in->endpoint->context, &request, &reply);
        x->now = NULL;
    }
    incoming_drop(x);
    if (x->ticket == NULL)
        return start_reply(x, &reply);
    buf_done(&reply.body);
    return 0;
}

static int on_body(struct server_exchange *x, struct slice bytes) {
    struct incoming *in = x->incoming;
    return in == NULL || in->refusal != NULL ? 0 : buf_append_slice(&in->body, bytes) < 0 ? -1 : 0;
}

static int refuse_at_once(struct server_exchange *x, struct server_reply *reply) {
    x->ends = true;
    int failed = send_headers(x->wsi, reply, true);
    buf_done(&x->body);
    x->body = reply->body;
    if (failed == 0 && !x->is_head)
        send_chunk(x->wsi, x);
    return -1;
}

/* What a client sends along with a request, without waiting for the reply, needs care. lws (4.1.6; lws_http_action, as in
 * 4.4) looks for the body of such a request at the wrong place and waits for its end in a loop that nothing leaves: one
 * client would stop the whole process. And it knows of one reply at a time. So a body comes only with a connection's one
 * request, where bodies are wanted, and is never begun where they are not; and who asks again before the reply is out is
 * told by the connection's end to ask again (RFC 9112, section 9.3.2). */
static int on_request(struct lws *wsi, struct server_exchange *x, struct slice path) {
    const struct server *s = server_of(wsi);
    bool is_replying = x->ticket != NULL || x->sent_bytes < x->body.size_bytes;
    if (s == NULL || (is_replying && has_body(wsi)))
        return -1;
    if (is_replying) {
        x->ends = true;
        return 0;
    }
    x->wsi = wsi;
    x->ends = s->most_body_bytes > 0;
    incoming_drop(x);
    x->is_head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    if (s->most_body_bytes > 0 && lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) > 0) {
        int r = expect_body(s, x, find_endpoint(s, path));
        return r == 0 && x->incoming->is_empty ? on_body_end(wsi, x) : r;
    }
    struct server_reply reply = {.status = 200};
    buf_init(&reply.body, REPLY_MAX_BYTES);
    x->now = &reply;
    handle_request(s, x, path, &reply);
    x->now = NULL;
    if (has_body(wsi))
        return refuse_at_once(x, &reply);
    if (x->ticket == NULL)
        return start_reply(x, &reply);
    buf_done(&reply.body);
    return 0;
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
    if (x == NULL)
        return;
    x->ticket = NULL;
    if (x->now != NULL && reply != NULL) { /* it is later already: what the handler's reply held is dropped */
        buf_done(&x->now->body);
        *x->now = *reply;
        reply->body = (struct buf){0};
        return;
    }
    if (reply == NULL || start_reply(x, reply) < 0)
        lws_set_timeout(x->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

static void exchange_done(struct server_exchange *x) {
    buf_done(&x->body);
    incoming_drop(x);
    if (x->ticket != NULL)
        x->ticket->exchange = NULL;
    *x = (struct server_exchange){0};
}

/* Only a negative return closes here; 1 would leave a dead socket that spins. */
static int on_writeable(struct lws *wsi, struct server_exchange *x) {
    if (x->sent_bytes == x->body.size_bytes)
        return 0;
    /* The peer takes what it was sent. Without this lws ends a reply that is not out after 20 s, however well it goes.
     */
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, STALLED_S);
    for (int i = 0; i < CHUNKS_AT_ONCE && x->sent_bytes < x->body.size_bytes; i++) {
        if (send_chunk(wsi, x) < 0)
            return -1;
        if (lws_send_pipe_choked(wsi))
            break;
    }
    if (x->sent_bytes < x->body.size_bytes) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    bool ends = x->ends;
    exchange_done(x);
    return end_reply(wsi, ends);
}

/* To a WebSocket only: lws would speak HTTP/2 without TLS. What it hands over as the header's text may be gone, if it
 * refused that upgrade itself. */
static int confirm_upgrade(struct lws *wsi) {
    char upgrade[16];
    header(wsi, WSI_TOKEN_UPGRADE, upgrade, sizeof upgrade);
    return strcasecmp(upgrade, "websocket") == 0 ? 0 : -1;
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
    struct server_exchange *x = user;
    switch (reason) {
    case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS: /* of a vhost with TLS, once: user and in are others */
        server_tls_attach(lws_vhost_user(in), user);
        return 0;
    case LWS_CALLBACK_HTTP:
        return on_request(wsi, x, (struct slice){in, size});
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return on_writeable(wsi, x);
    case LWS_CALLBACK_HTTP_BODY: /* where nobody has business sending one it was answered with 405, and is dropped */
        return on_body(x, (struct slice){in, size});
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return on_body_end(wsi, x);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        if (x != NULL)
            exchange_done(x);
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm_upgrade(wsi);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return -1; /* a WebSocket that does not ask for the feed */
    case LWS_CALLBACK_WSI_DESTROY:
        shared_drop(lws_get_opaque_user_data(wsi));
        return 0;
    default:
        return 0;
    }
}

/* ---- the feed ---- */

/* A browser tells the page's origin; another site's page must not read ours. Programs send none. */
static bool is_own_origin(struct lws *wsi) {
    char origin_space[HEADER_MAX_BYTES], host_space[HEADER_MAX_BYTES];
    struct slice origin = header(wsi, WSI_TOKEN_ORIGIN, origin_space, sizeof origin_space);
    struct slice host = header(wsi, WSI_TOKEN_HOST, host_space, sizeof host_space);
    if (origin.size_bytes == 0)
        return true;
    return (slice_take_prefix(&origin, "http://") || slice_take_prefix(&origin, "https://")) &&
           slice_equal(origin, host);
}

static int check_peer(struct lws *wsi) {
    const struct server *s = server_of(wsi);
    char path[HEADER_MAX_BYTES];
    bool is_wanted =
        s != NULL && s->feed.path != NULL && slice_is(header(wsi, WSI_TOKEN_GET_URI, path, sizeof path), s->feed.path);
    return is_wanted && is_host_served(s, wsi) && is_own_origin(wsi) ? 0 : -1;
}

static int send_news(struct lws *wsi, struct peer *peer) {
    const struct server *s = server_of(wsi);
    CLEANUP_BUF struct buf message;
    if (s == NULL)
        return -1;
    buf_init(&message, LWS_PRE + MESSAGE_MAX_BYTES);
    static const char room[LWS_PRE];
    buf_append(&message, room, LWS_PRE);
    if (!s->feed.next(s->feed.context, &peer->cursor, &message))
        return 0;
    size_t size = message.size_bytes - LWS_PRE;
    if (message.truncated || lws_write(wsi, (unsigned char *)message.data + LWS_PRE, size, LWS_WRITE_TEXT) < (int)size)
        return -1;
    lws_callback_on_writable(wsi); /* until there is no more */
    return 0;
}

static int on_feed(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
    struct peer *peer = user;
    struct shared *shared = lws_get_opaque_user_data(wsi);
    (void)in;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return check_peer(wsi);
    case LWS_CALLBACK_ESTABLISHED:
        *peer = (struct peer){.wsi = wsi, .next = shared->peers};
        shared->peers = peer;
        lws_callback_on_writable(wsi);
        return 0;
    case LWS_CALLBACK_CLOSED:
        for (struct peer **p = &shared->peers; *p != NULL; p = &(*p)->next)
            if (*p == peer) {
                *p = peer->next;
                break;
            }
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_news(wsi, peer);
    case LWS_CALLBACK_RECEIVE:
        peer->received_bytes += size;
        return peer->received_bytes > RECEIVE_MAX_BYTES ? -1 : 0;
    default:
        return 0;
    }
}

void server_feed_stir(struct server *server) {
    for (struct peer *p = server != NULL ? server->shared->peers : NULL; p != NULL; p = p->next)
        lws_callback_on_writable(p->wsi);
}

/* The first one is told what happens to connections; both are the same for every server. */
static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_http, .per_session_data_size = sizeof(struct server_exchange)},
    {.name = "goodput", .callback = on_feed, .per_session_data_size = sizeof(struct peer)},
    {0}};

static void accept_ready(void *context, int fd, int events) {
    (void)events;
    struct server *s = context;
    int accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted < 0)
        return;
    struct lws *wsi = lws_adopt_socket_vhost(s->vhost, accepted); /* closes it if it refuses */
    if (wsi == NULL)
        return;
    s->shared->connections++;
    lws_set_opaque_user_data(wsi, s->shared);
}

static struct lws_vhost *make_vhost(struct server *s) {
    struct lws_context_creation_info info = {.port = CONTEXT_PORT_NO_LISTEN_SERVER,
                                             .protocols = protocols,
                                             .vhost_name = "server", /* lws keeps the pointer */
                                             .keepalive_timeout = 30,
                                             .server_string = "goodput-controller"};
    if (s->tls != NULL) {
        info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_CREATE_VHOST_SSL_CTX;
        info.alpn = "http/1.1";
        info.user = s->tls; /* on_http attaches it */
    }
    return lws_create_vhost(loop_lws_context(s->loop), &info);
}

struct server *server_new(struct loop *loop, const struct server_options *options, struct error **err) {
    const char *address = options->address;
    if (address == NULL || address[0] == '\0' || strcmp(address, "0") == 0)
        return NULL;
    struct server *s = mem_new(struct server);
    size_t count = (size_t)options->endpoint_count;
    *s = (struct server){.loop = loop,
                         .listen_fd = -1,
                         .endpoint_count = options->endpoint_count,
                         .most_body_bytes = options->most_body_bytes};
    s->shared = mem_new(struct shared);
    *s->shared = (struct shared){.server = s, .connections = 1};
    s->endpoints = mem_resize(NULL, count + 1, sizeof *s->endpoints);
    memcpy(s->endpoints, options->endpoints, count * sizeof *s->endpoints);
    if (options->feed != NULL)
        s->feed = *options->feed;
    s->is_local_only = options->is_for_browsers && server_address_is_loopback(address);
    if (options->certificate_pem.size_bytes > 0)
        s->tls = s->shared->tls = server_tls_new(options->certificate_pem, options->private_key_pem, err);
    bool is_refused = options->certificate_pem.size_bytes > 0 && s->tls == NULL;
    if (!is_refused)
        s->listen_fd = server_listen(address, &s->port, err);
    if (s->listen_fd < 0) {
        server_free(s);
        return NULL;
    }
    s->vhost = make_vhost(s);
    if (s->vhost == NULL) {
        error_set(err, ENOMEM, "cannot serve on %s: libwebsockets refused", address);
        server_free(s);
        return NULL;
    }
    s->watch = loop_fd_add(loop, s->listen_fd, LOOP_READ, accept_ready, s);
    return s;
}

void server_free(struct server *server) {
    if (server == NULL)
        return;
    loop_fd_remove(server->watch);
    if (server->listen_fd >= 0)
        close(server->listen_fd);
    server->shared->server = NULL;
    if (server->vhost != NULL)
        lws_vhost_destroy(server->vhost);
    shared_drop(server->shared);
    free(server->endpoints);
    free(server);
}

int server_set_certificate(struct server *server, struct slice certificate_pem, struct slice private_key_pem,
                           struct error **err) {
    return server_tls_replace(server->tls, certificate_pem, private_key_pem, err);
}

int server_port(const struct server *server) {
    return server->port;
}
