/* identity: what of a JobGoodput names the job to the outside. */
#ifndef EXPORT_PUSH_IDENTITY_H
#define EXPORT_PUSH_IDENTITY_H

#include "base/slice.h"

struct push_identity { /* "": not told */
    char uid[64];      /* of the JobGoodput */
    char target[256], target_kind[64], target_uid[64];
    char run[256]; /* as its recorder calls it: spec.stepLog.cloudLogging.jobName or push.jobName, else the target */
    char accelerator[64];
};

/* False: it is no JSON object. */
bool push_identity_read(struct slice object, struct push_identity *identity);

#endif
