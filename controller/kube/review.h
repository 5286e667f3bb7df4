/* review: asks the API server who bears a token (TokenReview), and what they may do (SubjectAccessReview). Nothing is
 * remembered here. */
#ifndef KUBE_REVIEW_H
#define KUBE_REVIEW_H

#include "base/buf.h"
#include "kube/client.h"

/* user: the review's "user" as raw JSON, empty unless it is somebody; err: the API server could not be asked. */
typedef void kube_review_done(void *context, struct slice user, const struct error *err);
struct kube_review;

/* audience: whom the token must be meant for; NULL: the API server itself. */
struct kube_review *kube_review_token(struct kube_client *client, struct slice token, const char *audience,
                                      kube_review_done *done, void *context);
void kube_review_cancel(struct kube_review *review); /* no callback follows; NULL-safe */

/* The status of any review's reply. */
struct kube_review_verdict {
    bool is_authenticated, is_allowed;
    struct slice user; /* raw JSON */
};
bool kube_review_read(struct slice reply, struct kube_review_verdict *verdict);

/* Get a path, or list a resource. */
struct kube_access {
    const char *path;                          /* NULL: of a resource */
    const char *group, *resource, *namespace_; /* namespace NULL: of all namespaces, or of none */
};
/* Asks whether user, the raw JSON of a TokenReview, may; kube_review_read() reads the reply. */
struct kube_call *kube_review_access(struct kube_client *client, struct slice user, const struct kube_access *access,
                                     kube_done *done, void *context);

#define KUBE_REVIEW_US INT64_C(10000000)

#endif
