/* logs: the step log of a job that is read from its pods. */
#ifndef OPERATOR_JOB_LOGS_H
#define OPERATOR_JOB_LOGS_H

#include "base/buf.h"
#include "base/slice.h"
#include "steplog/steplog.h"

#include <stdbool.h>

struct model_job;
struct log_process;
struct object_jobgoodput;
struct pod;

/* The container instances whose logs are to be read, in order: one for each pod of the log's slot ever observed. */
struct model_log {
    const char *namespace_, *pod, *pod_uid, *container;
    int restart_count; /* the instance now */
    bool is_running, has_started;
    int64_t finished_ms; /* TIME_UNKNOWN */
    bool pod_exists;
    int64_t read_through_ns; /* how far an earlier controller read the first instance that it did not read to the end */
    int first_unread;        /* restart count of that instance */
};
/* When this number changes, what was read is discarded, and all logs are to be read again from their start. */
uint64_t model_job_log_generation(const struct model_job *job);
int model_job_log_count(const struct model_job *job);
void model_job_log_get(const struct model_job *job, int index, struct model_log *log);

/* Steps and saves that this controller read in the log, as trace.h writes them: a few KiB at most. */
void model_job_trace(const struct model_job *job, struct buf *json);

/* A line of that instance; its stamp in ns, INT64_MIN: none. */
void model_job_log_line(struct model_job *job, const char *pod_uid, int restart_count, int64_t stamp_ns,
                        struct slice line);
void model_job_log_end(struct model_job *job, const char *pod_uid, int restart_count, const char *lost);
void model_job_log_trouble(struct model_job *job, const char *pod_uid, const char *text); /* NULL: over */
int64_t model_job_log_work(const struct model_job *job); /* of its patterns so far: steplog_take_work() */

/* ---- within the model ---- */

void job_set_patterns(struct model_job *job, const struct object_jobgoodput *o);
void job_free_patterns(struct model_job *job);
void job_logs_done(struct model_job *job);
/* Two formats that are equally likely to count the job's steps (steplog_rivals_find). No score is published then. */
/* What makes the times in the logs less certain, over all of them. */
struct job_log_faults {
    int64_t steps, burst_steps; /* steplog_counts */
    struct forward forward;
    int64_t set_back_ms; /* at most */
    const char *pod;     /* whose clock was set back, or else forward; "" if it is not known; borrowed */
};
struct job_log_faults job_log_faults(const struct model_job *job);
bool job_log_rivals(const struct model_job *job, enum steplog_format ret[static 2]);
struct log_process *job_log_process(struct model_job *job, struct pod *p, int restart_count);
void job_log_stored_line(struct model_job *job, struct log_process *p, int64_t stored_ms, struct slice line);
void job_log_process_end(struct model_job *job, struct log_process *p, const char *lost);
void job_add_processes(struct model_job *job);

#endif
