/* who: which namespace a bearer of a token writes for: that of its ServiceAccount, as the API server says
 * (TokenReview), or that of the job whose own token it is (tokens.h), and then for that job alone. Verdicts are kept
 * for a minute (refusals for ten seconds), by the token's SHA-256; tokens are not kept and not logged.
 */
#ifndef RECORDER_WHO_H
#define RECORDER_WHO_H

#include "kube/client.h"
#include "recorder/tokens.h"

#define WHO_AUDIENCE "goodput-controller" /* of tokens that are good for nothing else */
#define WHO_NAME_SIZE 64

struct who;

struct who_asker { /* the caller's own */
    /* status 200: namespace_ is its namespace, user its name; else 401, 403, 429 or 503. Called once, perhaps within
     * who_ask. */
    void (*done)(void *context, int status, const char *namespace_, const char *user);
    void *context;
    char job[256];          /* with status 200: "", or the only job that it may write and read */
    struct who_asker *next; /* private, as are those below */
    struct who *who;
    struct kube_review *review;
    unsigned char token[32];
};

/* tokens: of jobs; taken over; NULL: there are none. */
struct who *who_new(struct kube_client *client, struct tokens *tokens);
void who_free(struct who *who); /* forgets who waits */
/* authorization: the header. */
/* peer: the numeric address that asks. Tokens that are not known cost the API server a TokenReview each, so that an
 * address may bring only a limited number (429). */
void who_ask(struct who *who, struct slice authorization, const char *peer, struct who_asker *asker);

#endif
