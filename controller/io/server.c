#include "io/server.h"

#include "base/mem.h"
#include "io/server_feed.h"
#include "io/server_listen.h"
#include "io/server_request_internal.h"
#include "io/server_tls.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The server opens the listening socket, so that it can report the address and errors; lws gets the accepted ones. */

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
    if (s->max_body_bytes > 0) {
        reply->status = 405;
        buf_append_text(&reply->body, "only POST\n");
        return;
    }
    endpoint->handle(endpoint->context, request, reply);
    server_reply_whole(reply);
}

static bool has_body(struct lws *wsi) {
    char length[2];
    return lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0 ||
           (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH) > 0 &&
            !slice_is(server_header(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, length, sizeof length), "0"));
}

static void handle_request(const struct server *s, struct server_exchange *x, struct slice path,
                           struct server_reply *reply) {
    char query[HEADER_MAX_BYTES], accept[HEADER_MAX_BYTES], encoding[HEADER_MAX_BYTES],
        authorization[AUTHORIZATION_MAX_BYTES];
    char cookie[AUTHORIZATION_MAX_BYTES];
    char peer[PEER_SIZE];
    struct server_request request = {
        .exchange = x,
        .peer = server_peer(x->wsi, peer),
        .query = server_query(x->wsi, query, sizeof query),
        .accept = server_header(x->wsi, WSI_TOKEN_HTTP_ACCEPT, accept, sizeof accept),
        .accept_encoding = server_header(x->wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING, encoding, sizeof encoding),
        .authorization = server_header(x->wsi, WSI_TOKEN_HTTP_AUTHORIZATION, authorization, sizeof authorization),
        .cookie = server_header(x->wsi, WSI_TOKEN_HTTP_COOKIE, cookie, sizeof cookie)};
    if (!x->is_head && lws_hdr_total_length(x->wsi, WSI_TOKEN_GET_URI) <= 0) {
        reply->status = 405;
        buf_append_text(&reply->body, "only GET and HEAD\n");
    } else if (has_body(x->wsi)) {
        reply->status = 400;
        buf_append_text(&reply->body, "a GET has no body\n");
    } else if (!server_is_host_served(s, x->wsi)) {
        reply->status = 403;
        buf_append_text(&reply->body, "served to localhost only: open it by that name\n");
    } else
        answer(s, path, &request, reply);
}

/* A client may send its next request before the reply (RFC 9112, section 9.3.2). lws reads it at once: 4.1 finds its
 * body at the wrong place and waits for the end in a loop that never ends, 4.3 closes the connection in the middle of
 * the reply. So nothing is read while a reply is due, a connection carries one request with a body, and a body where
 * none is allowed ends the connection before lws looks for it. */
static int on_request(struct lws *wsi, struct server_exchange *x, struct slice path) {
    const struct server *s = server_of_connection(wsi);
    if (s == NULL || x->is_replying)
        return -1;
    x->is_replying = true;
    x->wsi = wsi;
    x->ends = s->max_body_bytes > 0;
    server_incoming_free(x);
    x->is_head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    if (s->max_body_bytes > 0 && lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) > 0) {
        int r = server_body_expect(s, x, find_endpoint(s, path));
        return r == 0 && x->incoming->is_empty ? server_body_end(wsi, x) : r;
    }
    if (lws_rx_flow_control(wsi, 0) < 0)
        return -1;
    connection_enter(lws_get_opaque_user_data(wsi), CONNECTION_REPLIES);
    struct server_reply reply = {.status = 200};
    buf_init(&reply.body, SERVER_REPLY_MAX_BYTES);
    x->now = &reply;
    handle_request(s, x, path, &reply);
    x->now = NULL;
    if (has_body(wsi))
        return server_refuse_at_once(x, &reply);
    if (x->ticket == NULL)
        return server_start_reply(x, &reply);
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0); /* lws gives a handler 5 s; ours is in server_connections.c */
    buf_done(&reply.body);
    return 0;
}

/* To a WebSocket only: lws would speak HTTP/2 without TLS. The header's text that it hands over may be freed, if it
 * refused that upgrade itself. */
static int confirm_upgrade(struct lws *wsi) {
    char upgrade[16];
    server_header(wsi, WSI_TOKEN_UPGRADE, upgrade, sizeof upgrade);
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
        return x != NULL && x->is_over ? -1 : 0; /* 1 would leave a dead socket that spins */
    case LWS_CALLBACK_HTTP_BODY:
        return server_body_part(wsi, x, (struct slice){in, size});
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return server_body_end(wsi, x);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        if (x != NULL)
            server_exchange_done(x);
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm_upgrade(wsi);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return -1; /* a WebSocket that does not ask for the feed */
    case LWS_CALLBACK_WSI_DESTROY:
        connection_end(wsi);
        return 0;
    default:
        return 0;
    }
}

/* The first one gets the events of connections; both are the same for every server. */
static const struct lws_protocols protocols[] = {
    {.name = "http",
     .callback = on_http,
     .per_session_data_size = sizeof(struct server_exchange),
     .tx_packet_size = SERVER_CHUNK_BYTES},
    {.name = "goodput", .callback = server_on_feed, .per_session_data_size = sizeof(struct peer)},
    {0}};

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
                         .max_body_bytes = options->max_body_bytes,
                         .admit = options->admit,
                         .max_connections =
                             options->max_connections > 0 ? options->max_connections : SERVER_MAX_CONNECTIONS};
    s->shared = shared_new(s);
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
    s->watch = loop_fd_add(loop, s->listen_fd, LOOP_READ, connections_accept, s);
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
    shared_end(server->shared);
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

void server_feed_wake(struct server *server) {
    for (struct peer *p = server != NULL ? server->shared->peers : NULL; p != NULL; p = p->next)
        lws_callback_on_writable(p->wsi);
}
