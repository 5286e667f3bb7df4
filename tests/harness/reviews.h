/* reviews: an API server that knows TokenReview and SubjectAccessReview alone, on the test's own loop, and a client of
 * it. Its answers are the test's: also those that a real one does not give. */
#ifndef TESTS_KUBE_REVIEWS_H
#define TESTS_KUBE_REVIEWS_H

#include "base/buf.h"
#include "kube/client.h"
#include "rawserver.h"

struct review_answer {
    int status; /* 0: none until reviews_release */
    const char *body;
};

struct reviews {
    struct rawserver *server;
    struct kube_client *client;
    char *kubeconfig;                   /* path */
    struct review_answer token, access; /* from now on */
    const char *allowed;  /* accesses whose body has this text are allowed, others refused; NULL: access */
    int tokens, accesses; /* requests so far */
    struct buf last_token, last_access; /* their bodies */
    struct rawconn *held[64];
    int held_count;
};

void reviews_begin(struct reviews *r, struct loop *loop); /* knows no token */
void reviews_end(struct reviews *r);
/* The token is that of this user, JSON; borrowed until another answer. */
void reviews_know(struct reviews *r, const char *user);
void reviews_release(struct reviews *r); /* TokenReviews that are held get the present answer */

#endif
