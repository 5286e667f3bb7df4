/* positions: how far a leader had read each watch when it wrote a checkpoint: the resourceVersion of the last change
 * per resource, as text behind the checkpoint ("<checkpoint>;jobs=4711,pods=4713"). A standby replays the changes after
 * them, each exactly once. (KEP-5504: resourceVersions of one resource may be compared as numbers.) */
#ifndef OPERATOR_RUNTIME_POSITIONS_H
#define OPERATOR_RUNTIME_POSITIONS_H

#include "operator/model/model.h"

struct positions {
    int64_t version[RESOURCE_COUNT]; /* 0: not watched, or not known */
};

/* The resources that have a position: a job is made of their objects. */
bool positions_has(enum resource resource);

/* A resourceVersion as a number; 0 if it is not a number, or beyond int64_t. */
int64_t positions_version(struct slice resource_version);

/* Puts them behind the checkpoint with which `status` ends, as model_job_add_checkpoint() leaves it. */
void positions_append(const struct positions *positions, struct buf *status);

/* Those behind the checkpoint; false if there are none. Unknown resources are left out. */
bool positions_read(struct slice checkpoint, struct positions *positions);

#endif
