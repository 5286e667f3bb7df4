/* Limits the work of a JobGoodput's patterns: a pattern comes from one tenant, and all tenants share the controller.
 * Work is counted in steplog's units, not in time, so that a replayed recording gives the same status. It is counted by
 * the JobGoodput's name, so that neither a new spec nor a JobGoodput that is created again gets more. */
#include "operator/job/log_work.h"
#include "base/mem.h"

#include <stdio.h>

#define MINUTE_MS 60000

static struct slice key_of(char out[static 520], const struct model_job *job) {
    snprintf(out, 520, "%s/%s", job->namespace_, job->name);
    return slice_of(out);
}

/* The units spent in this minute; NULL: none. */
static int64_t *spent(const struct model_job *job) {
    char key[520];
    return map_get(&job->model->log_work, key_of(key, job));
}

bool job_is_log_barred(const struct model_job *job) {
    if (job->log.costly_pattern != NULL)
        return true;
    if (job->model->log_work.count == 0)
        return false;
    const int64_t *units = spent(job);
    return units != NULL && *units >= JOB_LOG_WORK;
}

void job_charge_log(struct model_job *job, struct steplog *parser) {
    char key[520];
    int64_t work = steplog_take_work(parser);
    if (work == 0)
        return;
    int64_t *units = spent(job);
    if (units == NULL) {
        units = mem_new(int64_t);
        map_put(&job->model->log_work, key_of(key, job), units);
    }
    *units += work;
    job->log.work += work;
    if (*units < JOB_LOG_WORK || job->log.costly_pattern != NULL)
        return;
    job->log.costly_pattern = mem_strdup(steplog_costly_pattern(parser));
    job->log.generation++; /* the reader of the log stops */
    job_mark_dirty(job->model, job);
}

/* Jobs whose patterns changed since may continue. */
void job_log_work_tick(struct model *m, int64_t now_ms) {
    if (now_ms / MINUTE_MS == m->log_work_minute)
        return;
    m->log_work_minute = now_ms / MINUTE_MS;
    for (size_t i = 0; i < m->log_work.count; i++) {
        const struct map_entry *entry = &m->log_work.entries[i];
        struct model_job *job = map_get(&m->jobs, (struct slice){entry->key, entry->key_size});
        if (job != NULL && *(int64_t *)entry->value >= JOB_LOG_WORK && job->log.costly_pattern == NULL)
            job_mark_dirty(m, job);
    }
    map_done(&m->log_work);
    map_init(&m->log_work, free);
}
