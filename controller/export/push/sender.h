/* sender: posts bodies to one URL, one after the other. It retries with growing waits after temporary errors (no
 * connection, no whole answer, 429, 5xx), until the body is delivered, refused or given up. A retry sends the same
 * bytes, so that a receiver can recognize a repeat. */
#ifndef EXPORT_PUSH_SENDER_H
#define EXPORT_PUSH_SENDER_H

#include "export/push/push.h"
#include "gcp/tokens.h"
#include "io/http.h"

enum { SENDER_TEXT = 768 };

/* DELIVERED: its points count as delivered, except those that the receiver dropped. */
enum sender_verdict { SENDER_DELIVERED, SENDER_RETRY, SENDER_REFUSED };

struct sender_reply {
    int status; /* never 0 */
    struct slice body;
    bool was_retried; /* an earlier try whose answer was lost may have delivered the body */
};

struct sender_handler {
    /* Judges an answer. text: the error for the log, empty if there is none. */
    enum sender_verdict (*judge)(void *judge_context, const struct sender_reply *reply, int64_t *dropped,
                                 char text[static SENDER_TEXT]);
    void *judge_context;
    /* The body is finished, and another may be posted (also within this call). */
    void (*finished)(void *context, bool is_delivered);
    void *context;
};

struct sender_options {
    const char *name;             /* "Cloud Monitoring", for the log; borrowed until sender_free */
    struct gcp_tokens *tokens;    /* NULL: no token is sent; else a 401 fetches a new one once */
    const char *ca_file;          /* NULL: the system's; borrowed until sender_free */
    int64_t first_us, give_up_us; /* wait before the second try; limit for all tries. 0: 1 s, 5 minutes */
};

struct sender;

/* Borrows all arguments; counts in *figures. */
struct sender *sender_new(struct loop *loop, struct http_client *http, const struct sender_options *options,
                          const struct sender_handler *handler, struct push_figures *figures);
void sender_free(struct sender *sender); /* NULL-safe; before the tokens */
/* Call only when no body is in progress. body is copied; headers (NULL-terminated, borrowed until finished) name its
 * type. points: the number of values in it. */
void sender_post(struct sender *sender, const char *url, const char *const *headers, struct slice body, int64_t points);

#endif
