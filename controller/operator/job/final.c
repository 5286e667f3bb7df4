/* Final numbers freeze: what another controller, or this one before it was started anew, had written of a target that
 * is over, log and all, is not computed again from what is left of it in the cluster (pods and Events are gone by
 * then). */
#include "base/mem.h"
#include "operator/job/job.h"

#include <string.h>

static const char *phase_of(struct slice text) {
    static const char *const phases[] = {"Completed", "Failed", "Deleted"};
    for (size_t i = 0; i < ARRAY_SIZE(phases); i++)
        if (slice_is(text, phases[i]))
            return phases[i];
    return "Completed";
}

static struct job_previous numbers_of(const struct object_numbers *n) {
    struct job_previous p = {.start_ms = n->start_ms,
                             .end_ms = n->end_ms,
                             .wall_ms = n->wall_ms,
                             .available_ms = n->available_ms,
                             .productive_ms = n->productive_ms};
    slice_copy(p.uid, sizeof p.uid, n->uid);
    return p;
}

_Static_assert(OBJECT_PREVIOUS == JOB_MAX_PREVIOUS, "all that a status lists is read");

void job_find_final(struct model_job *job, const struct object_jobgoodput *o) {
    if (job->was_evaluated || !o->is_finished || o->numbers.uid.size_bytes == 0)
        return;
    if (job->model->keeps_checkpoints && o->checkpoint.size_bytes > 0)
        return; /* the end of its log was not read yet */
    free(job->final_status);
    job->final_status = slice_dup(o->status);
    job->final_phase = phase_of(o->phase);
    job->final = numbers_of(&o->numbers);
}

/* What a status says of earlier targets is known of them: no checkpoint repeats it, and a final status has none. */
void job_find_previous(struct model_job *job, const struct object_jobgoodput *o) {
    job->previous_count = o->previous_count;
    for (int i = 0; i < o->previous_count; i++)
        job->previous[i] = numbers_of(&o->previous[i]);
}

void job_push_previous(struct model_job *job, const struct job_previous *result) {
    if (job->previous_count == JOB_MAX_PREVIOUS)
        job->previous_count--;
    memmove(&job->previous[1], &job->previous[0], (size_t)job->previous_count * sizeof job->previous[0]);
    job->previous_count++;
    job->previous[0] = *result;
}

void job_drop_final(struct model_job *job, const struct target *target) {
    if (job->final_status == NULL || target == NULL || strcmp(target->uid, job->final.uid) == 0)
        return;
    if (job->final.wall_ms != RECORD_NONE && job->final.available_ms != RECORD_NONE)
        job_push_previous(job, &job->final);
    free(job->final_status);
    job->final_status = NULL;
}

void job_write_final(struct model_job *job, struct buf *out, struct model_summary *summary) {
    buf_append_text(out, job->final_status);
    if (summary)
        *summary = (struct model_summary){.phase = job->final_phase, .is_final = true};
}
