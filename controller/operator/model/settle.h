/* settle: of pods that a checkpoint has no room for it keeps sums over what they did until then. A pod that still
 * exists is listed again, and counts from then on (store_settle_pod). Private to the checkpoint. */
#ifndef OPERATOR_MODEL_SETTLE_H
#define OPERATOR_MODEL_SETTLE_H

#include "operator/job/job.h"

/* ORDINARY: pods that exist and hold their slots, and that no other fact concerns. */
enum settle_which { SETTLE_NONE, SETTLE_ORDINARY, SETTLE_ALL };

/* Sets is_left_out of all pods; those whose log is read stay. Returns the number that stays. */
size_t job_leave_out_pods(struct model_job *job, enum settle_which which, int64_t until_ms);
/* Fills in the pasts and the settled slots of *out: those of the target, plus what the pods that are left out did. */
void job_settle_pods(const struct model_job *job, int64_t until_ms, struct target *out);
void job_settled_done(struct target *out);

#endif
