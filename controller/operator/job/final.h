/* final: the status of a target that ended before this controller started is kept as it is. */
#ifndef OPERATOR_JOB_FINAL_H
#define OPERATOR_JOB_FINAL_H

#include "operator/job/job.h"

void job_find_final(struct model_job *job, const struct object_jobgoodput *o);
void job_find_previous(struct model_job *job, const struct object_jobgoodput *o);
void job_drop_final(struct model_job *job, const struct target *target); /* if it is of another target */
void job_write_final(struct model_job *job, struct buf *out, struct model_summary *summary);
void job_push_previous(struct model_job *job, const struct job_previous *result);

#endif
