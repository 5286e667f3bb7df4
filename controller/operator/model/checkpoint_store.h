/* checkpoint_store: the part of a checkpoint that is a target, with its pods, Jobs and Workloads. One function writes
 * and reads it. Private to the checkpoint. */
#ifndef OPERATOR_CHECKPOINT_STORE_H
#define OPERATOR_CHECKPOINT_STORE_H

#include "base/codec.h"
#include "operator/job/job.h"

/* How much a checkpoint contains, from most to least: all; of ordinary pods that exist only sums; the same, without
 * Jobs that exist; of all pods only sums; nothing of pods, so that all time until then is Unobserved. */
enum checkpoint_extent { EXTENT_ALL, EXTENT_ORDINARY, EXTENT_FEW_JOBS, EXTENT_NUMBERS, EXTENT_BARE };

struct visitor {
    struct codec *codec;
    struct store *store;
    const struct model_job *job; /* writing */
    enum checkpoint_extent extent;
    int64_t written_ms;
    struct target *numbers; /* writing: the sums: its pasts, and its settled slots */
};

void visit_name(struct visitor *v, const char **name); /* a name that the store interns */
void visit_target(struct visitor *v, struct target *t);

#endif
