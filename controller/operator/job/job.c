#include "operator/job/job.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

void job_mark_dirty(struct model *m, struct model_job *job) {
    if (job->later) {
        job->is_dirty = true;
        job = job->later;
    }
    job->observed_ms = max_of(job->observed_ms, m->receipt_ms);
    if (job->is_dirty)
        return;
    job->is_dirty = true;
    MEM_GROW(m->dirty, m->dirty_count, m->dirty_capacity);
    m->dirty[m->dirty_count++] = job;
}

void job_notice(struct model_job *job, const struct model_notice *notice) {
    if (job->notice_count == JOB_MAX_NOTICES)
        return;
    job->notices = mem_resize(job->notices, (size_t)job->notice_count + 1, sizeof *job->notices);
    job->notices[job->notice_count] = *notice;
    job->notices[job->notice_count++].note = mem_strdup(notice->note);
}

void job_drop_notices(struct model_job *job) {
    for (int i = 0; i < job->notice_count; i++)
        mem_freep(&job->notices[i].note);
    free(job->notices);
    job->notices = NULL;
    job->notice_next = job->notice_count = 0;
}

const struct model_notice *model_job_next_notice(struct model_job *job) {
    if (job->notice_next < job->notice_count)
        return &job->notices[job->notice_next++];
    job_drop_notices(job);
    return NULL;
}
