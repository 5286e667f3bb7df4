/* feed: where watched objects go: to the model and to those that keep JobGoodputs and JobSets; while the replica waits
 * for the lease to its standby, from where all of them follow at the takeover. */
#ifndef OPERATOR_RUNTIME_FEED_H
#define OPERATOR_RUNTIME_FEED_H

#include "kube/reflector.h"
#include "operator/runtime/watches.h"

struct feed;

struct feed *feed_new(struct kube_client *client, struct model *model, bool is_standby,
                      const struct runtime_watches_handler *handler);
void feed_free(struct feed *feed);

/* As model_knows_pod; a standby keeps whole objects. */
bool feed_knows_pod(const struct feed *feed, struct slice uid);
int feed_object(struct feed *feed, enum resource resource, const struct kube_event *event); /* -EINVAL: malformed */
/* The resource was listed whole, at this version; "": it is not served. */
void feed_listed(struct feed *feed, enum resource resource, const char *version);

bool feed_is_standby(const struct feed *feed);
void feed_lead(struct feed *feed);

#endif
