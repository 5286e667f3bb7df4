#include "io/http_call.h"

#include "base/mem.h"

#include <errno.h>

struct http_call {
    struct http_request *request;
    struct buf body;
    http_call_done *done;
    void *context;
};

static void call_free(struct http_call *c) {
    buf_done(&c->body);
    free(c);
}

static int on_data(void *context, struct slice bytes) {
    struct http_call *c = context;
    return buf_append_slice(&c->body, bytes);
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    struct http_call *c = context;
    CLEANUP_ERROR struct error *too_large = NULL;
    if (c->body.truncated) {
        error_set(&too_large, EMSGSIZE, "the reply is larger than %zu bytes", c->body.maximum_bytes);
        err = too_large;
    }
    c->done(c->context, reply, buf_slice(&c->body), err);
    call_free(c);
}

struct http_call *http_call_start(struct http_client *http, const struct http_call_request *request,
                                  http_call_done *done, void *context) {
    struct http_call *c = mem_new(struct http_call);
    buf_init(&c->body, request->max_bytes);
    c->done = done;
    c->context = context;
    struct http_transport transport = {.ca_file = request->ca_file};
    struct http_options options = {.method = request->method,
                                   .url = request->url,
                                   .headers = request->headers,
                                   .body = request->body,
                                   .transport = &transport,
                                   .total_timeout_us = request->timeout_us};
    struct http_handler handler = {NULL, on_data, on_done, c};
    c->request = http_start(http, &options, &handler);
    return c;
}

void http_call_cancel(struct http_call *c) {
    if (c == NULL)
        return;
    http_cancel(c->request);
    call_free(c);
}
