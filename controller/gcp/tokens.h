/* tokens: an access token for Google's APIs, asked for when it is needed, kept until shortly before it runs out. Its
 * file is read at each request: it may be renewed. */
#ifndef GCP_TOKENS_H
#define GCP_TOKENS_H

#include "base/error.h"
#include "io/http.h"

struct gcp_tokens;

/* credentials_file: NULL: as gcp_credentials_path finds it. */
struct gcp_tokens *gcp_tokens_new(struct loop *loop, struct http_client *http, const char *credentials_file);
void gcp_tokens_free(struct gcp_tokens *tokens); /* after all who wait were forgotten */

struct gcp_token_waiter {                                                    /* the caller's own */
    void (*done)(void *context, const char *token, const struct error *err); /* token: borrowed for the call */
    void *context;
    struct gcp_token_waiter *next; /* private */
};
/* done is called once, perhaps within this call. */
void gcp_tokens_get(struct gcp_tokens *tokens, struct gcp_token_waiter *waiter);
void gcp_tokens_forget(struct gcp_tokens *tokens, struct gcp_token_waiter *waiter); /* if it still waits */
void gcp_tokens_refused(struct gcp_tokens *tokens);                                 /* 401: the next one is a new one */

#endif
