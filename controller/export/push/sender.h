/* sender: posts one body at a time to one place, and again with growing waits while what it says of itself is passing
 * (no connection, no whole answer, 429, 5xx), until it is taken, refused or given up. A body that is posted again is
 * the same to the byte, so that a receiver can tell that it has it. */
#ifndef EXPORT_PUSH_SENDER_H
#define EXPORT_PUSH_SENDER_H

#include "export/push/push.h"
#include "gcp/tokens.h"
#include "io/http.h"

enum { SENDER_TEXT = 768 };

/* DELIVERED: its points are counted, but those that the receiver said it dropped. */
enum sender_verdict { SENDER_DELIVERED, SENDER_RETRY, SENDER_REFUSED };

struct sender_reply {
    int status; /* never 0 */
    struct slice body;
    bool was_retried; /* the body may have been taken already by an earlier try whose answer was lost */
};

struct sender_handler {
    /* What an answer means. text: what to tell people, if anything went wrong; left empty if not. */
    enum sender_verdict (*judge)(void *judge_context, const struct sender_reply *reply, int64_t *dropped,
                                 char text[static SENDER_TEXT]);
    void *judge_context;
    /* The body is done with, and another may be posted (within this call too). */
    void (*finished)(void *context, bool is_delivered);
    void *context;
};

struct sender_options {
    const char *name;             /* "Cloud Monitoring", for the log; borrowed for ever */
    struct gcp_tokens *tokens;    /* NULL: no token is sent; else 401 asks for a new one once */
    const char *ca_file;          /* NULL: the system's; borrowed for ever */
    int64_t first_us, give_up_us; /* wait before the second try; a body is tried for so long. 0: 1 s, 5 minutes */
};

struct sender;

/* Borrows all; counts into *figures. */
struct sender *sender_new(struct loop *loop, struct http_client *http, const struct sender_options *options,
                          const struct sender_handler *handler, struct push_figures *figures);
void sender_free(struct sender *sender); /* NULL-safe; before the tokens */
/* While it is not busy. body is copied; headers (NULL-terminated, borrowed until finished) name its type. points: how
 * many values are in it. */
void sender_post(struct sender *sender, const char *url, const char *const *headers, struct slice body, int64_t points);

#endif
