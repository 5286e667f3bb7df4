/* server_request: one request and its reply, as an endpoint of a server (server.h) has them: answered at once or later,
 * and admitted before its body is read. */
#ifndef IO_SERVER_REQUEST_H
#define IO_SERVER_REQUEST_H

#include "base/buf.h"

struct server_ticket;

struct server_request { /* slices are borrowed for the call; empty: the header was not sent, or is over 2 KiB
                           (authorization and cookie: 16 KiB) */
    struct slice query /* a=b&c=d, decoded */, accept, accept_encoding, authorization, cookie /* of a GET */;
    const char *peer;                 /* numeric address, "" if not known */
    struct slice body;                /* of a POST; accept and accept_encoding are empty then */
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
    const char *content_type, *content_encoding; /* content_encoding: NULL: none */
    struct buf body;
    struct server_hold hold;
};
/* A body that did not fit becomes a 500: half an answer is not an answer. */
void server_reply_whole(struct server_reply *reply);
#define SERVER_REPLY_MAX_BYTES ((size_t)64 << 20)

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

#endif
