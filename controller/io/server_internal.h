/* What server.c and server_feed.c share. */
#ifndef IO_SERVER_INTERNAL_H
#define IO_SERVER_INTERNAL_H

#include "io/server.h"

#include <libwebsockets.h>

enum { HEADER_MAX_BYTES = 2048 };

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

const struct server *server_of_connection(struct lws *wsi); /* NULL: gone */
/* The header's value in space; empty if it is absent or does not fit. */
struct slice server_header(struct lws *wsi, enum lws_token_indexes token, char *space, size_t size);
bool server_is_host_served(const struct server *s, struct lws *wsi);

/* server_feed.c: connections of the WebSocket protocol. */
struct peer { /* of the feed */
    struct lws *wsi;
    struct peer *next;
    int64_t cursor;
    size_t received_bytes;
};
int server_on_feed(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);

#endif
