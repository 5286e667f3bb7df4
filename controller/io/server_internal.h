/* What the files of the server share. server.c: listeners and endpoints. server_connections.c: how many connections
 * there may be. server_body.c: requests with a body. server_feed.c: the WebSocket. server_exchange.c, for all of
 * them: a request's headers and its reply. */
#ifndef IO_SERVER_INTERNAL_H
#define IO_SERVER_INTERNAL_H

#include "io/server.h"

#include <libwebsockets.h>
#include <netinet/in.h>

enum {
    HEADER_MAX_BYTES = 2048,
    AUTHORIZATION_MAX_BYTES = 16384,
    PEER_SIZE = 48, /* of a numeric address */
    SERVER_CHUNK_BYTES = 16384,
};

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
    bool is_dying;
};
void connections_accept(void *server, int fd, int events);
void connection_enter(struct connection *c, enum connection_state state); /* NULL-safe */
void connection_end(struct lws *wsi);
int connections_of_feed(const struct shared *shared);

/* Per connection, in lws's memory. */
struct server_exchange {
    struct lws *wsi;
    struct buf body;
    size_t sent_bytes;
    bool is_head;
    bool ends;                /* the connection, with this reply */
    bool is_replying;         /* from the request until its reply is sent */
    bool is_over;             /* lws closes the connection at its next callback */
    struct loop_fd *writable; /* while the socket takes no more of the reply */
    struct server_ticket *ticket, *admission;
    struct server_hold hold;   /* of the body */
    struct server_reply *now;  /* while its handler runs */
    struct incoming *incoming; /* a POST whose body is not here yet */
};

struct incoming {                           /* lws frees headers before the body comes */
    const struct server_endpoint *endpoint; /* valid only while the server is not freed */
    char *query, *authorization;
    struct buf body;
    size_t left_bytes; /* of its Content-Length: not received yet */
    int refusal_status;
    char *refusal; /* NULL: accepted */
    void *admitted;
    void (*drop)(void *admitted);
    bool is_asking, is_waiting; /* for server_admit: within admit(), and after it */
    bool is_empty, is_complete;
};

struct server_ticket {
    struct server_exchange *exchange; /* NULL: the peer went away */
};

/* server_exchange.c */
const struct server *server_of_connection(struct lws *wsi); /* NULL: freed */
/* The header's value in space; empty if it is absent or does not fit. */
struct slice server_header(struct lws *wsi, enum lws_token_indexes token, char *space, size_t size);
bool server_is_host_served(const struct server *s, struct lws *wsi);
struct slice server_query(struct lws *wsi, char *space, size_t size); /* decoded: a=b&c=d */
const char *server_peer(struct lws *wsi, char space[static PEER_SIZE]);
int server_start_reply(struct server_exchange *x, struct server_reply *reply);
int server_refuse_at_once(struct server_exchange *x, struct server_reply *reply); /* negative: the connection ends */
void server_incoming_free(struct server_exchange *x);
void server_exchange_done(struct server_exchange *x);

/* server_body.c; negative: the connection ends */
int server_body_expect(const struct server *s, struct server_exchange *x, const struct server_endpoint *endpoint);
int server_body_part(struct lws *wsi, struct server_exchange *x, struct slice bytes);
int server_body_end(struct lws *wsi, struct server_exchange *x);

/* server_feed.c: connections of the WebSocket protocol. */
struct peer { /* of the feed */
    struct lws *wsi;
    struct peer *next;
    int64_t cursor;
    size_t received_bytes;
};
int server_on_feed(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);

#endif
