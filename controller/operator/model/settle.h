/* settle: pods that a checkpoint has no room for leave what they did until then as numbers. Private to the checkpoint.
 */
#ifndef OPERATOR_MODEL_SETTLE_H
#define OPERATOR_MODEL_SETTLE_H

#include "operator/job/job.h"

/* ORDINARY: those that exist and of which nothing is to be said but that they hold their slots. */
enum settle_which { SETTLE_NONE, SETTLE_ORDINARY, SETTLE_ALL };

/* Sets is_left_out of all pods; those whose log is read stay. Returns how many stay. */
size_t job_leave_out_pods(struct model_job *job, enum settle_which which, int64_t until_ms);
/* Fills in the pasts and the settled slots of *out: those of the target, and what the pods that are left out did. */
void job_settle_pods(const struct model_job *job, int64_t until_ms, struct target *out);
void job_settled_done(struct target *out);

#endif
