/* target: which target a JobGoodput measures. */
#ifndef OPERATOR_JOB_TARGET_H
#define OPERATOR_JOB_TARGET_H

#include "operator/job/job.h"

/* Marks the jobs of the targets that changed in the store, and gives new targets their jobs. */
void jobs_take_touched(struct jobs *jobs);
/* Adds the job to the JobGoodputs that name that target, or removes it; the others follow. */
void job_aim(struct model_job *job, enum target_kind kind, struct slice target_name);
void job_take_aim_off(struct model_job *job);
void job_find_target(struct model_job *job); /* also which JobGoodputs are duplicates: itself, and younger ones */
void job_set_target(struct model_job *job, struct target *t);
/* The spec names another log: starts a new ledger, and reads all of the log again. */
void job_read_again(struct model_job *job);
/* The spec counts otherwise (windows, ideal step, required replicated jobs): the ledger keeps its records. */
void job_count_otherwise(struct model_job *job);

#endif
