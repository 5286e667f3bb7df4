/* server_connections: those of a listener: how many there may be, how long each may take, and which one makes room for
 * another. So sockets that are held open or fed slowly keep nobody out, and no listener takes another's share of what
 * libwebsockets may hold (io/loop.c). */
#ifndef IO_SERVER_CONNECTIONS_H
#define IO_SERVER_CONNECTIONS_H

#include "io/server.h"

#include <libwebsockets.h>
#include <netinet/in.h>

struct server {
    struct loop *loop;
    struct lws_vhost *vhost;
    int listen_fd, port;
    struct loop_fd *watch;
    struct server_endpoint *endpoints;
    int endpoint_count;
    size_t max_body_bytes;
    int max_connections;
    void (*admit)(void *context, const struct server_request *request, size_t body_bytes, struct server_ticket *ticket);
    struct server_feed feed; /* path NULL: none */
    bool is_local_only;      /* other Host headers are refused */
    struct server_tls *tls;  /* NULL: plain; borrowed from shared */
    struct shared *shared;
};

/* What a connection knows its server by. lws moves connections between its vhosts by their Host headers when several
 * of them have separate sockets, so a connection's vhost says nothing; and it may outlive the server. */
struct shared {
    struct server *server;  /* NULL: freed */
    struct server_tls *tls; /* a handshake may be under way when the server goes */
    struct peer *peers;
    struct connection *oldest, *newest;
    struct loop_timer *sweep; /* NULL: the server is deleted */
    int connections;          /* and one for the server */
};
struct shared *shared_new(struct server *server);
void shared_end(struct shared *shared); /* the server is deleted; its connections may outlive it */

enum connection_state { CONNECTION_WAITS, CONNECTION_RECEIVES, CONNECTION_REPLIES, CONNECTION_FEED };

/* From the accept of a socket to its end; what lws keeps for us as the connection's opaque data. */
struct connection {
    struct shared *shared;
    struct lws *wsi;
    struct connection *older, *newer;
    int64_t since_us; /* in this state */
    enum connection_state state;
    struct in6_addr peer;
    bool is_admitted; /* who sends the body is known */
    void *who;        /* reads the feed; released with the connection */
    void (*release)(void *who);
    bool is_dying;
};
void connections_accept(void *server, int fd, int events);
void connection_enter(struct connection *c, enum connection_state state); /* NULL-safe */
void connection_end(struct lws *wsi);
int connections_of_feed(const struct shared *shared);

#endif
