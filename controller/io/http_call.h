/* http_call: one HTTP request whose reply is small enough to be collected. */
#ifndef IO_HTTP_CALL_H
#define IO_HTTP_CALL_H

#include "base/buf.h"
#include "base/error.h"
#include "io/http.h"

struct http_call;

struct http_call_request {
    const char *method, *url;
    const char *const *headers; /* NULL-terminated */
    struct slice body;
    const char *ca_file; /* NULL: the system's */
    size_t max_bytes;    /* of the reply */
    int64_t timeout_us;  /* of the whole */
};

/* err: what failed, -EMSGSIZE if the reply is too large; else reply and body are whole. Then the call is freed. */
typedef void http_call_done(void *context, const struct http_reply *reply, struct slice body, const struct error *err);
struct http_call *http_call_start(struct http_client *http, const struct http_call_request *request,
                                  http_call_done *done, void *context);
void http_call_cancel(struct http_call *call); /* no callback follows; NULL-safe */

#endif
