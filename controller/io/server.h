/* server: the inbound side: small HTTP endpoints on libwebsockets, in the same loop. One endpoint, one function.
 * Besides, one feed over a WebSocket, for which nothing is queued: a peer that can take more is asked for by its
 * position.
 */
#ifndef IO_SERVER_H
#define IO_SERVER_H

#include "base/buf.h"
#include "io/loop.h"

struct server;
struct server_ticket;

#define SERVER_MAX_CONNECTIONS 48 /* of a listener, unless its options say otherwise */

struct server_request { /* slices are borrowed for the call; empty: the header was not sent, or is over 2 KiB
                           (authorization: 16 KiB) */
    struct slice query /* a=b&c=d, decoded */, accept, authorization;
    const char *peer;                 /* numeric address, "" if not known */
    struct slice body;                /* of a POST; accept is empty then */
    struct buf *owned_body;           /* the same: a handler may take it, and leave an all-zero one */
    void *admitted;                   /* what server_admit was given; the handler's from now on */
    struct server_exchange *exchange; /* for server_reply_later */
};

/* What a reply's body holds of a budget: released when the body is sent or dropped. */
struct server_hold {
    void (*release)(void *context); /* NULL: nothing */
    void *context;
};

/* Fills body and sets the status; content_type defaults to text/plain. Called once per request. */
struct server_reply {
    int status;
    const char *content_type;
    struct buf body;
    struct server_hold hold;
};
/* A body that did not fit becomes a 500: half an answer is not an answer. */
void server_reply_whole(struct server_reply *reply);
#define SERVER_REPLY_MAX_BYTES ((size_t)64 << 20)

struct server_endpoint {
    const char *path; /* exact */
    void (*handle)(void *context, const struct server_request *request, struct server_reply *reply);
    void *context;
};

/* In a handler: what it put into reply is dropped, server_answer gives the answer, in this turn of the loop or a
 * later one. */
struct server_ticket *server_reply_later(const struct server_request *request);
/* Ends the ticket and takes reply's body; if the peer went away meanwhile, nothing is sent. NULL reply: close. */
void server_answer(struct server_ticket *ticket, struct server_reply *reply);

/* Ends the ticket of an admit(). Status 200: the body is read, and the endpoint handles the request with `admitted`; if
 * the connection ends before, drop(admitted). Other statuses: the body is read and dropped, text is the answer. */
struct server_admission {
    int status;
    const char *text;
    void *admitted;
    void (*drop)(void *admitted);
};
void server_admit(struct server_ticket *ticket, const struct server_admission *admission);

/* The feed. next() writes the message for a peer that has all up to *cursor (0: nothing yet) and moves the cursor;
 * false if there is nothing new. Messages are text of at most 1 MiB; the
 * WebSocket protocol is "goodput". Peers that send more than a few bytes are cut
 * off, and so are pages of other origins. */
struct server_feed {
    const char *path;
    bool (*next)(void *context, int64_t *cursor, struct buf *message);
    void *context;
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
/* "127.0.0.1:8082", "localhost:0", "[::1]:0": reached from this machine only. */
bool server_address_is_loopback(const char *address);

#endif
