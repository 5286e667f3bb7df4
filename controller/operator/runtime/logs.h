/* logs: keeps a follower on each pod log that the model wants, a bounded number at once (beyond it they take
 * turns, and each resumes by sinceTime where it stopped), and hands the lines to the model. A follower lives while its
 * container instance runs and until all of its log is read. */
#ifndef OPERATOR_RUNTIME_LOGS_H
#define OPERATOR_RUNTIME_LOGS_H

#include "kube/client.h"
#include "operator/model/model.h"
#include "operator/runtime/log_share.h"

struct runtime_logs;   /* of the whole process */
struct runtime_follow; /* a list per job; NULL is the empty one */

/* on_change: the model got a line. */
struct runtime_logs *runtime_logs_new(struct kube_client *client, int64_t max_follows, loop_callback *on_change,
                                      void *context);
void runtime_logs_free(struct runtime_logs *logs); /* after every job's runtime_logs_drop */

/* Starts, steers and ends the followers of a job by what the model says of it now. share: of its namespace, borrowed
 * until runtime_logs_drop. */
void runtime_logs_observe(struct runtime_logs *logs, struct model_job *job, struct log_share *share,
                          struct runtime_follow **list);
void runtime_logs_drop(struct runtime_logs *logs, struct runtime_follow **list);
int64_t runtime_logs_count(const struct runtime_logs *logs); /* followed now */

#endif
