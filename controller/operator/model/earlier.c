/* The numbers of earlier targets: job/earlier.c. */
#include "ledger/evaluate.h"
#include "operator/facts/facts.h"
#include "operator/job/job.h"

#include <string.h>

static struct job_previous *previous_of(struct model_job *job, const char *uid) {
    for (int i = 0; i < job->previous_count; i++)
        if (strcmp(job->previous[i].uid, uid) == 0)
            return &job->previous[i];
    return NULL;
}

static struct job_previous result_of(struct model_job *job) {
    struct ledger_result result;
    const struct target *t = job->target;
    job_tell_facts(job);
    int64_t end_ms = t->end_ms != TIME_UNKNOWN ? job_end_ms(job) : t->created_ms;
    ledger_evaluate(job->ledger, end_ms, &result);
    struct job_previous p = {.start_ms = t->created_ms,
                             .end_ms = end_ms,
                             .wall_ms = result.wall_ms,
                             .available_ms = result.available_ms,
                             .productive_ms = result.has_steps ? result.productive_ms : RECORD_NONE};
    slice_copy(p.uid, sizeof p.uid, slice_of(t->uid));
    ledger_result_done(&result);
    return p;
}

void job_tell_earlier(struct model_job *job, int64_t known_ms) {
    for (struct model_job **at = &job->earlier, *e; (e = *at) != NULL;) {
        const struct target *t = e->target;
        struct job_previous *p = previous_of(job, t->uid);
        if (p && e->is_dirty)
            *p = result_of(e);
        e->is_dirty = false;
        if (p && !e->is_final && known_ms <= t->end_ms + job->model->forget_after_ms) {
            at = &e->earlier;
            continue;
        }
        *at = e->earlier;
        job_free_one_earlier(e);
    }
}
