/* Earlier targets of the same name. Each stream has its own pace, so what is observed of a target may come after its
 * successor: it keeps its ledger and its logs in a job of its own, which no JobGoodput shows, and its numbers in
 * status.previous follow. Late input is taken until ten minutes after its end (forget_after_ms), by the controller that
 * measured it; then, and for the next controller, the numbers stay. */
#include "base/mem.h"
#include "operator/job/job.h"

#include <string.h>

/* Takes what belongs to the target; names are borrowed from the job, which lives longer. */
static void split_off(struct model_job *job) {
    struct model_job *e = mem_new(struct model_job);
    *e = *job;
    e->later = job;
    e->target_name = e->log_path = e->log_project = e->log_logger = e->log_job_name = NULL;
    e->pattern_error = e->costly_pattern = e->final_status = NULL;
    for (int i = 0; i < OBJECT_REGEXES; i++)
        e->patterns[i] = job->patterns[i] ? mem_strdup(job->patterns[i]) : NULL;
    e->next_of_target = e->duplicate_of = NULL;
    e->notices = NULL;
    e->notice_count = e->notice_next = 0;
    e->user = NULL;
    e->is_dirty = true; /* its numbers are filled in by the next evaluation */
    for (int i = 0; i < e->process_count; i++)
        e->processes[i]->job = e;
    e->target->job = e;
    job->earlier = e;
    job->target = NULL;
    job->ledger = NULL;
    job->processes = NULL;
    job->process_count = job->process_capacity = 0;
    job->log_pods = NULL;
    job->log_pod_count = job->log_pod_capacity = 0;
    job->pushed = (struct pushed_list){0};
    job->unwatched = (struct spans){0};
    job->ready_line = (struct ready_line){0};
    job->slots = (struct job_slots){0};
    job->source_cursor = NULL;
    job->trace = (struct trace){.most_points = job->trace.most_points};
}

void job_free_one_earlier(struct model_job *e) {
    if (e->target)
        e->target->job = NULL;
    job_free_parts(e);
    free(e);
}

void job_free_earlier(struct model_job *job) {
    for (struct model_job *e = job->earlier, *next; e; e = next) {
        next = e->earlier;
        job_free_one_earlier(e);
    }
    job->earlier = NULL;
}

void job_keep_earlier(struct model_job *job) {
    const struct target *t = job->target;
    if (t->created_ms == TIME_UNKNOWN || job_is_managed_elsewhere(job))
        return;
    struct job_previous p = {.start_ms = t->created_ms, .end_ms = t->created_ms, .productive_ms = RECORD_NONE};
    slice_copy(p.uid, sizeof p.uid, slice_of(t->uid));
    job_push_previous(job, &p);
    split_off(job);
}
