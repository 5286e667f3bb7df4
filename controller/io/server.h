/* server: the inbound side: small HTTP endpoints on libwebsockets, in the same loop. One endpoint, one function. */
#ifndef IO_SERVER_H
#define IO_SERVER_H

#include "base/buf.h"
#include "io/loop.h"

struct server;

/* Fills body and sets the status; content_type defaults to text/plain. Called once per GET (or HEAD) request. */
struct server_reply {
    int status;
    const char *content_type;
    struct buf body;
};
struct server_endpoint {
    const char *path; /* exact */
    void (*handle)(void *context, struct slice query, struct server_reply *reply);
    void *context;
};

/* address: "127.0.0.1:8082", ":8081" (all interfaces), "[::1]:0" (a port of the kernel's choice). "0" or "" serves
 * nothing and returns NULL without error. Endpoints are copied. */
struct server *server_new(struct loop *loop, const char *address, const struct server_endpoint *endpoints, int count,
                          struct error **err);
void server_free(struct server *server);
int server_port(const struct server *server);

#endif
