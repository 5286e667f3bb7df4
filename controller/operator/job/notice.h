/* notice: what is worth a Kubernetes Event. */
#ifndef OPERATOR_JOB_NOTICE_H
#define OPERATOR_JOB_NOTICE_H

#include <stdint.h>

struct model_job;

/* What is worth a Kubernetes Event since the last call; NULL when there is no more. */
#define MODEL_NOTE_SIZE 1024 /* what the API takes */
struct model_notice {
    const char *type, *reason, *note; /* "Warning", "Interrupted", "NodeFailure ..." ; valid until the next call */
    char id[48];                      /* of the thing told, within the JobGoodput: told again, the Event is updated */
    int64_t first_ms, last_ms;        /* when it began, and when what is told of it ended */
};
const struct model_notice *model_job_next_notice(struct model_job *job);

#endif
