/* stream: one request to the API server with our credentials, once, its body handed on as it comes: what calls,
 * watches, list pages and log follows are made of. Waits for a credential plugin where there is one. */
#ifndef KUBE_STREAM_H
#define KUBE_STREAM_H

#include "kube/client.h"

struct kube_stream;

struct kube_stream_options {
    const char *method;                /* NULL: GET */
    const char *path;                  /* with query */
    const char *content_type, *accept; /* NULL: application/json */
    struct slice body;                 /* copied */
    int64_t silence_us, total_us;      /* 0: none */
    bool is_lazy, is_bulk, is_busy;    /* as in io/http.h */
};

/* The handler as in io/http.h. A 401 also makes the credentials be read again. */
struct kube_stream *kube_stream_start(struct kube_client *client, const struct kube_stream_options *options,
                                      const struct http_handler *handler);
void kube_stream_hurry(struct kube_stream *stream);  /* as http_hurry */
void kube_stream_cancel(struct kube_stream *stream); /* no callback follows; NULL-safe */

/* The text for a person in a reply other than success: the Status's message, else "HTTP 503: <first line>". heap.
 * *ret_reason (may be NULL) gets the Status's reason ("Expired", "NotFound"; "" if none). */
char *kube_status_text(int status, struct slice body, char ret_reason[static 64]);

#endif
