/* server: the inbound side: small HTTP endpoints on libwebsockets, in the same loop. One endpoint, one function.
 * Besides, one feed over a WebSocket, for which nothing is queued: a peer that can take more is asked for by its
 * position.
 */
#ifndef IO_SERVER_H
#define IO_SERVER_H

#include "io/loop.h"
#include "io/server_request.h"

struct server;

#define SERVER_MAX_CONNECTIONS 48 /* of a listener, unless its options say otherwise */

struct server_endpoint {
    const char *path; /* exact */
    void (*handle)(void *context, const struct server_request *request, struct server_reply *reply);
    void *context;
};

/* The feed. next() writes the message for a peer that has all up to *cursor (0: nothing yet) and moves the cursor:
 * 1, 0 if there is nothing new, negative if the peer is to go. Messages are text of at most 1 MiB; the WebSocket
 * protocol is "goodput". Peers that send more than a few bytes are cut off, and so are pages of other origins. */
struct server_feed {
    const char *path;
    int (*next)(void *context, void *who, int64_t *cursor, struct buf *message);
    void *context;
    /* Who a new peer is, which next() gets; NULL: it is refused. The request has headers alone. NULL: all may read, and
     * who is NULL. */
    void *(*admit)(void *context, const struct server_request *request);
    void (*release)(void *who); /* also after the server was freed */
};

struct server_options {
    /* "127.0.0.1:8082", ":8081" (all interfaces), "[::1]:0" (a port of the kernel's choice). */
    const char *address;
    const struct server_endpoint *endpoints; /* copied */
    int endpoint_count;
    /* 0: the endpoints are for GET and HEAD; else for POST, with a body of at most this many bytes; Content-Length
     * is required. */
    size_t max_body_bytes;
    /* Before the body of a POST to an endpoint is read: may it be sent? Gets the endpoint's context and answers by
     * server_admit, now or in a later turn of the loop; the request has no body yet. NULL: all may. */
    void (*admit)(void *context, const struct server_request *request, size_t body_bytes, struct server_ticket *ticket);
    /* At most this many at once; 0: SERVER_MAX_CONNECTIONS. When they are all taken, one without a request makes
     * room: of the address that holds most, the one that has waited longest. */
    int max_connections;
    const struct server_feed *feed;                /* NULL: none; copied */
    struct slice certificate_pem, private_key_pem; /* empty: plain; the chain follows the certificate */
    bool is_for_browsers; /* on a loopback address only Host: localhost or an IP address is served (DNS rebinding) */
};

/* Address "0" or "" serves nothing and returns NULL without error. */
struct server *server_new(struct loop *loop, const struct server_options *options, struct error **err);
void server_free(struct server *server); /* tickets may outlive it */
int server_port(const struct server *server);
/* New connections are shown these; open ones continue. -EINVAL if the two do not fit: the old pair stays. */
int server_set_certificate(struct server *server, struct slice certificate_pem, struct slice private_key_pem,
                           struct error **err);
/* There may be something new in the feed. NULL-safe. */
void server_feed_wake(struct server *server);

#endif
