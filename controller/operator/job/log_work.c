/* Limits the work of a JobGoodput's patterns: a pattern comes from one tenant, and all tenants share the controller.
 * Work is counted in steplog's units, not in time, so that a replayed recording gives the same status. It is counted by
 * the JobGoodput's name, so that neither a new spec nor a JobGoodput that is created again gets more. */
#include "operator/job/log_work.h"
#include "base/mem.h"

#define MINUTE_MS 60000

/* The units spent in this minute; NULL: none. */
static int64_t *spent(const struct model_job *job) {
    char key[JOBS_NAME_KEY];
    return map_get(&job->jobs->log_work, jobs_name_key(key, job->namespace_, job->name));
}

bool job_is_log_barred(const struct model_job *job) {
    if (job->log.costly_pattern != NULL)
        return true;
    if (job->jobs->log_work.count == 0)
        return false;
    const int64_t *units = spent(job);
    return units != NULL && *units >= JOB_LOG_WORK;
}

void job_charge_log(struct model_job *job, struct steplog *parser) {
    char key[JOBS_NAME_KEY];
    int64_t work = steplog_take_work(parser);
    if (work == 0)
        return;
    int64_t *units = spent(job);
    if (units == NULL) {
        units = mem_new(int64_t);
        map_put(&job->jobs->log_work, jobs_name_key(key, job->namespace_, job->name), units);
    }
    *units += work;
    job->log.work += work;
    if (*units < JOB_LOG_WORK || job->log.costly_pattern != NULL)
        return;
    job->log.costly_pattern = mem_strdup(steplog_costly_pattern(parser));
    job->log.generation++; /* the reader of the log stops */
    job_mark_dirty(job);
}

/* Jobs whose patterns changed since may continue. */
void jobs_tick_log_work(struct jobs *jobs, int64_t now_ms) {
    if (now_ms / MINUTE_MS == jobs->log_work_minute)
        return;
    jobs->log_work_minute = now_ms / MINUTE_MS;
    for (size_t i = 0; i < jobs->log_work.count; i++) {
        const int64_t *units = map_at(&jobs->log_work, i);
        struct model_job *job = map_get(&jobs->by_name, map_key_at(&jobs->log_work, i));
        if (job != NULL && *units >= JOB_LOG_WORK && job->log.costly_pattern == NULL)
            job_mark_dirty(job);
    }
    map_done(&jobs->log_work);
    map_init(&jobs->log_work, free);
}
