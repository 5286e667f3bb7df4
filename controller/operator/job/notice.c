#include "operator/job/notice.h"

#include "base/mem.h"
#include "operator/job/job.h"

#define MAX_NOTICES 64

void job_notice(struct model_job *job, const struct model_notice *notice) {
    struct job_notices *n = &job->notices;
    if (n->count == MAX_NOTICES)
        return;
    n->items = mem_resize(n->items, (size_t)n->count + 1, sizeof *n->items);
    n->items[n->count] = *notice;
    n->items[n->count++].note = mem_strdup(notice->note);
}

void job_drop_notices(struct model_job *job) {
    struct job_notices *n = &job->notices;
    for (int i = 0; i < n->count; i++)
        mem_freep(&n->items[i].note);
    free(n->items);
    n->items = NULL;
    n->next = n->count = 0;
}

const struct model_notice *model_job_next_notice(struct model_job *job) {
    if (job->notices.next < job->notices.count)
        return &job->notices.items[job->notices.next++];
    job_drop_notices(job);
    return NULL;
}
