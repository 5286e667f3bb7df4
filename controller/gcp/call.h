/* call: one HTTP request to a Google endpoint whose reply is small enough to be collected. */
#ifndef GCP_CALL_H
#define GCP_CALL_H

#include "base/buf.h"
#include "base/error.h"
#include "io/http.h"

struct gcp_call;

struct gcp_request {
    const char *method, *url;
    const char *const *headers; /* NULL-terminated */
    struct slice body;
    size_t max_bytes;   /* of the reply */
    int64_t timeout_us; /* of the whole */
};

/* status 0: there was no reply; err: what failed, -EMSGSIZE if the reply is too large. Then the call is freed. */
typedef void gcp_call_done(void *context, int status, int64_t retry_after_us, struct slice body,
                           const struct error *err);
struct gcp_call *gcp_call_start(struct http_client *http, const struct gcp_request *request, gcp_call_done *done,
                                void *context);
void gcp_call_cancel(struct gcp_call *call); /* no callback follows; NULL-safe */

#endif
