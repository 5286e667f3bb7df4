#include "operator/job/job.h"

#include "base/mem.h"

#include <stdlib.h>

void job_free_parts(struct model_job *job) {
    job_logs_done(job);
    ledger_free(job->ledger);
    job_free_patterns(job);
    free(job->processes);
    free(job->log_pods);
    free(job->pushed.items);
    free(job->unwatched.items);
    free(job->ready_line.items);
    job_slots_clear(&job->slots);
}

void job_free(struct model_job *job) {
    job_free_earlier(job);
    job_free_parts(job);
    job_drop_notices(job);
    free(job->namespace_);
    free(job->name);
    free(job->uid);
    free(job->final_status);
    free(job->target_name);
    free(job->log_path);
    free(job->log_project);
    free(job->log_logger);
    free(job->log_job_name);
    free(job);
}
