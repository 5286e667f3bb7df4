#include "operator/job/job.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <assert.h>
#include <stdlib.h>

void job_set_text(char **text, size_t size_bytes, const char *value) {
    char cut[JOB_TROUBLE_BYTES];
    assert(size_bytes <= sizeof cut);
    slice_copy(cut, size_bytes, slice_of(value));
    free(*text);
    *text = cut[0] != '\0' ? mem_strdup(cut) : NULL;
}

struct job_interruption_notice *job_interruption_notices(struct model_job *job) {
    if (job->notices.interruptions == NULL)
        job->notices.interruptions = mem_alloc(JOB_MAX_INTERRUPTION_NOTICES * sizeof *job->notices.interruptions);
    return job->notices.interruptions;
}

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
