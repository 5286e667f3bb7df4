/* viewers: who reads the shared page, and whose JobGoodputs they see: the bearer of a token that the API server knows
 * (TokenReview) sees those of the namespaces where that user may list them, and the FleetGoodputs if the user may list
 * these (SubjectAccessReview). The token is in the Authorization header, or in the cookie goodput-token, which the
 * page's sign-in sets. What was found out holds for a while (export/verdicts.h); a
 * feed that is open ends after ten minutes, and its page asks again. */
#ifndef EXPORT_VIEWERS_H
#define EXPORT_VIEWERS_H

#include "export/fleet.h"
#include "io/server.h"
#include "kube/client.h"

struct viewers;
struct viewer;

struct viewers *viewers_new(struct kube_client *client, const struct fleet *fleet);
void viewers_free(struct viewers *viewers); /* after the server; viewers that are held may outlive it */

enum viewer_answer { VIEWER_KNOWN, VIEWER_UNKNOWN /* shows no token, or a bad one */, VIEWER_ASKED, VIEWER_BUSY };
/* Who sent the request. VIEWER_KNOWN: *ret is held for the caller. VIEWER_ASKED: the API server is asked, and a later
 * request will know; or viewers_await(), at once, for this one. */
enum viewer_answer viewers_find(struct viewers *viewers, const struct server_request *request, struct viewer **ret);
/* done gets what was found out, in a later turn of the loop. */
typedef void viewer_done(void *context, enum viewer_answer answer, struct viewer *viewer /* borrowed; NULL: none */);
void viewers_await(struct viewers *viewers, const struct server_request *request, viewer_done *done, void *context);

/* NULL is whoever reaches a page that is on loopback: sees all. */
bool viewer_sees(const struct viewer *viewer, const char *namespace_);
bool viewer_sees_fleets(const struct viewer *viewer);
bool viewer_is_over(const struct viewer *viewer, int64_t now_us); /* for a feed */
void viewer_release(void *viewer);

#endif
