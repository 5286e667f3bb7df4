#include "operator/job/job.h"

#include "base/mem.h"
#include "base/minmax.h"

void job_mark_dirty(struct model_job *job) {
    if (job->links.later) {
        job->is_dirty = true;
        job = job->links.later;
    }
    job->observation.newest_ms = max_of(job->observation.newest_ms, job->jobs->receipt_ms);
    if (job->is_dirty)
        return;
    job->is_dirty = true;
    struct jobs *jobs = job->jobs;
    MEM_GROW(jobs->dirty, jobs->dirty_count, jobs->dirty_capacity);
    jobs->dirty[jobs->dirty_count++] = job;
}

struct model_job *job_of_pod(struct model_job *job, const struct pod *p) {
    struct model_job *of = p->target->job;
    return of && (of == job || of->links.later == job) ? of : NULL;
}
