/* jobgoodput: observes JobGoodputs: each becomes a job, which then looks for its target. */
#ifndef OPERATOR_MODEL_JOBGOODPUT_H
#define OPERATOR_MODEL_JOBGOODPUT_H

#include "base/slice.h"
#include "operator/objects/resource.h"

struct jobs;

int observe_jobgoodput(struct jobs *jobs, enum observed what, struct slice namespace_, struct slice name,
                       struct slice json, int64_t received_ms);

#endif
