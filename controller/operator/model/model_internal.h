/* model_internal: what joins the store and the jobs. Private to model/: store/ and job/ know only their own part. */
#ifndef OPERATOR_MODEL_INTERNAL_H
#define OPERATOR_MODEL_INTERNAL_H

#include "operator/job/jobs.h"
#include "operator/store/store.h"

struct model {
    struct node_signals *node_signals;
    struct store store;
    struct jobs jobs;
    struct model_job *deleted; /* deleted, and returned by model_next_dirty(), which frees it when it is called again */
};

#endif
