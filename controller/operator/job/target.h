/* target: which target a JobGoodput measures. */
#ifndef OPERATOR_JOB_TARGET_H
#define OPERATOR_JOB_TARGET_H

#include "operator/job/job.h"

/* What the store touched: new targets find their jobs, and jobs are marked. */
void jobs_take_touched(struct jobs *jobs);
/* Puts it among the JobGoodputs of that target, or takes it away; what that means for the others is found out. */
void job_aim(struct model_job *job, enum target_kind kind, struct slice target_name);
void job_take_aim_off(struct model_job *job);
void job_find_target(struct model_job *job); /* also tells duplicates apart; its own and those of younger ones */
void job_set_target(struct model_job *job, struct target *t);
/* The spec names another log: a new ledger, and all that can be read of it is read again. */
void job_read_again(struct model_job *job);
/* The spec counts otherwise (windows, ideal step, required replicated jobs): the ledger keeps its records. */
void job_count_otherwise(struct model_job *job);

#endif
