/* identity: the names of a JobGoodput's job for push exporters. */
#ifndef EXPORT_PUSH_IDENTITY_H
#define EXPORT_PUSH_IDENTITY_H

#include "base/slice.h"

struct push_identity { /* "": not known */
    char uid[64];      /* of the JobGoodput */
    char target[256], target_kind[64], target_uid[64];
    char run[256]; /* the recorder's name of the job: spec.stepLog.cloudLogging.jobName or push.jobName, else the target
                    */
    char accelerator[64];
};

/* False if it is not a JSON object. */
bool push_identity_read(struct slice object, struct push_identity *identity);

#endif
