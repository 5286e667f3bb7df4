/* log_work: limits the work of the patterns of a JobGoodput. */
#ifndef OPERATOR_JOB_LOG_WORK_H
#define OPERATOR_JOB_LOG_WORK_H

#include "operator/job/job.h"

#define JOB_LOG_WORK 100000000 /* of a job's patterns in a minute: units of steplog_take_work() */
/* The job has no work left: its log is not read until its patterns are changed, and not before the next minute. */
bool job_is_log_barred(const struct model_job *job);
void job_charge_log(struct model_job *job, struct steplog *parser); /* after each line */
void jobs_tick_log_work(struct jobs *jobs, int64_t now_ms);

#endif
