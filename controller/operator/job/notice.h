/* notice: the Kubernetes Events of a job. */
#ifndef OPERATOR_JOB_NOTICE_H
#define OPERATOR_JOB_NOTICE_H

#include <stdint.h>

struct model_job;

/* The next Kubernetes Event to publish; NULL if there is none. */
#define MODEL_NOTE_SIZE 1024 /* what the API takes */
struct model_notice {
    const char *type, *reason, *note; /* "Warning", "Interrupted", "NodeFailure ..." ; valid until the next call */
    char id[48];                      /* identifies the subject within the JobGoodput: the same ID updates the Event */
    int64_t first_ms, last_ms;        /* when the subject started and ended */
};
const struct model_notice *model_job_next_notice(struct model_job *job);
void job_notice(struct model_job *job, const struct model_notice *notice); /* the note is copied */
void job_drop_notices(struct model_job *job);

#endif
