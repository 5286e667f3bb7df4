/* What the files of the server see of a request: its headers, its body and its reply. */
#ifndef IO_SERVER_REQUEST_INTERNAL_H
#define IO_SERVER_REQUEST_INTERNAL_H

#include "io/server_connections.h"

enum {
    HEADER_MAX_BYTES = 2048,
    AUTHORIZATION_MAX_BYTES = 16384,
    PEER_SIZE = 48, /* of a numeric address */
    SERVER_CHUNK_BYTES = 16384,
};

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
/* A request with a body; negative: the connection ends. */
int server_body_expect(const struct server *s, struct server_exchange *x, const struct server_endpoint *endpoint);
int server_body_part(struct lws *wsi, struct server_exchange *x, struct slice bytes);
int server_body_end(struct lws *wsi, struct server_exchange *x);

#endif
