#include "io/server.h"

#include "base/mem.h"
#include "io/loop_lws.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libwebsockets.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The listening socket is ours, so that its address and its errors are said our way; lws gets the accepted ones. */

enum {
    REPLY_MAX_BYTES = 8 << 20,
    CHUNK_BYTES = 16384, /* per writeable callback: a large blocked reply must not spin */
    BACKLOG = 64,
};

struct server {
    struct loop *loop;
    struct lws_vhost *vhost;
    int listen_fd, port;
    struct loop_fd *watch;
    struct server_endpoint *endpoints;
    int endpoint_count;
    struct lws_protocols protocols[2];
};

/* Per connection, in lws's memory. */
struct exchange {
    struct buf body;
    size_t sent_bytes;
};

static const struct server_endpoint *find_endpoint(const struct server *s, struct slice path) {
    for (int i = 0; i < s->endpoint_count; i++)
        if (slice_is(path, s->endpoints[i].path))
            return &s->endpoints[i];
    return NULL;
}

static void answer(const struct server *s, struct slice path, struct slice query, struct server_reply *reply) {
    const struct server_endpoint *endpoint = find_endpoint(s, path);
    if (endpoint == NULL) {
        reply->status = 404;
        buf_append_text(&reply->body, "not found\n");
        return;
    }
    endpoint->handle(endpoint->context, query, reply);
}

static int send_headers(struct lws *wsi, const struct server_reply *reply) {
    unsigned char space[LWS_PRE + 1024];
    unsigned char *at = space + LWS_PRE, *start = at, *end = space + sizeof space - 1;
    const char *type = reply->content_type != NULL ? reply->content_type : "text/plain; charset=utf-8";
    if (lws_add_http_common_headers(wsi, (unsigned)reply->status, type, reply->body.size_bytes, &at, end) != 0 ||
        lws_finalize_write_http_header(wsi, start, &at, end) != 0)
        return -1;
    return 0;
}

static int on_request(struct lws *wsi, struct exchange *x, struct slice path) {
    const struct server *s = lws_vhost_user(lws_get_vhost(wsi));
    bool is_head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    char query[2048];
    int n = lws_hdr_copy(wsi, query, sizeof query, WSI_TOKEN_HTTP_URI_ARGS);
    struct server_reply reply = {.status = 200};
    buf_init(&reply.body, REPLY_MAX_BYTES);
    if (!is_head && lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0) {
        reply.status = 405;
        buf_append_text(&reply.body, "only GET and HEAD\n");
    } else
        answer(s, path, (struct slice){query, n > 0 ? (size_t)n : 0}, &reply);
    int failed = send_headers(wsi, &reply);
    buf_done(&x->body);
    x->body = reply.body;
    x->sent_bytes = is_head ? x->body.size_bytes : 0;
    if (failed != 0)
        return -1;
    if (x->sent_bytes == x->body.size_bytes)
        return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
    lws_callback_on_writable(wsi);
    return 0;
}

/* Only a negative return closes here; 1 would leave a dead socket that spins. */
static int on_writeable(struct lws *wsi, struct exchange *x) {
    unsigned char space[LWS_PRE + CHUNK_BYTES];
    size_t left = x->body.size_bytes - x->sent_bytes;
    if (left == 0)
        return 0;
    size_t n = left < CHUNK_BYTES ? left : CHUNK_BYTES;
    memcpy(space + LWS_PRE, x->body.data + x->sent_bytes, n);
    int sent = lws_write(wsi, space + LWS_PRE, n, n == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP);
    if (sent < (int)n)
        return -1;
    x->sent_bytes += n;
    if (n < left) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    buf_done(&x->body);
    *x = (struct exchange){0};
    return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
    struct exchange *x = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return on_request(wsi, x, (struct slice){in, size});
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return on_writeable(wsi, x);
    case LWS_CALLBACK_HTTP_BODY:
        return 0; /* nobody has business sending one here: it was answered with 405, and is dropped */
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        if (x != NULL) {
            buf_done(&x->body);
            *x = (struct exchange){0};
        }
        return 0;
    default:
        return 0;
    }
}

static void accept_ready(void *context, int fd, int events) {
    (void)events;
    struct server *s = context;
    int accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted >= 0)
        lws_adopt_socket_vhost(s->vhost, accepted); /* closes it if it refuses */
}

/* "host:port" into its halves; the host of "[::1]:0" without brackets. */
static bool split_address(const char *address, char *host, size_t host_size, const char **port) {
    struct slice s = slice_of(address), h;
    if (slice_take_char(&s, '[')) {
        if (!slice_take_until(&s, ']', &h) || !slice_take_char(&s, ':'))
            return false;
    } else if (!slice_take_until(&s, ':', &h))
        return false;
    *port = s.data;
    int64_t number;
    return slice_take_uint(&s, &number) && s.size_bytes == 0 && number <= 65535 && slice_copy(host, host_size, h);
}

static int listen_on(struct server *s, const char *address, struct error **err) {
    char host[256];
    const char *port;
    if (!split_address(address, host, sizeof host, &port))
        return error_set(err, EINVAL, "\"%s\" is not an address; write HOST:PORT, :PORT or [IPV6]:PORT", address);
    struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const char *name = host[0] == '\0' ? NULL : strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
    int r = getaddrinfo(name, port, &hints, &found);
    if (r != 0)
        return error_set(err, EINVAL, "\"%s\" is not an address: %s (host names are not looked up)", address,
                         gai_strerror(r));
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    bool is_bound = fd >= 0 && bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0;
    int code = errno;
    freeaddrinfo(found);
    s->listen_fd = fd;
    return is_bound ? 0 : error_set(err, code, "cannot listen on %s: %s", address, strerror(code));
}

static void read_port(struct server *s) {
    struct sockaddr_storage bound = {0};
    socklen_t size = sizeof bound;
    getsockname(s->listen_fd, (struct sockaddr *)&bound, &size);
    s->port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                                : ((struct sockaddr_in *)&bound)->sin_port);
}

struct server *server_new(struct loop *loop, const char *address, const struct server_endpoint *endpoints, int count,
                          struct error **err) {
    if (address == NULL || address[0] == '\0' || strcmp(address, "0") == 0)
        return NULL;
    struct server *s = mem_new(struct server);
    *s = (struct server){.loop = loop, .listen_fd = -1, .endpoint_count = count};
    s->endpoints = mem_resize(NULL, (size_t)count + 1, sizeof *endpoints);
    memcpy(s->endpoints, endpoints, (size_t)count * sizeof *endpoints);
    s->protocols[0] =
        (struct lws_protocols){.name = "http", .callback = on_http, .per_session_data_size = sizeof(struct exchange)};
    struct lws_context_creation_info info = {.port = CONTEXT_PORT_NO_LISTEN_SERVER,
                                             .protocols = s->protocols,
                                             .vhost_name = "server", /* lws keeps the pointer */
                                             .user = s,
                                             .keepalive_timeout = 30,
                                             .server_string = "goodput-controller"};
    if (listen_on(s, address, err) < 0) {
        server_free(s);
        return NULL;
    }
    s->vhost = lws_create_vhost(loop_lws_context(loop), &info);
    if (s->vhost == NULL) {
        error_set(err, ENOMEM, "cannot serve on %s: libwebsockets refused", address);
        server_free(s);
        return NULL;
    }
    read_port(s);
    s->watch = loop_fd_add(loop, s->listen_fd, LOOP_READ, accept_ready, s);
    return s;
}

void server_free(struct server *server) {
    if (server == NULL)
        return;
    loop_fd_remove(server->watch);
    if (server->listen_fd >= 0)
        close(server->listen_fd);
    if (server->vhost != NULL)
        lws_vhost_destroy(server->vhost);
    free(server->endpoints);
    free(server);
}

int server_port(const struct server *server) {
    return server->port;
}
