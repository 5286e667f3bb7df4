/* Final numbers never change: once a controller wrote the final status of an ended target, with its whole log, a later
 * one does not compute it again from the rest of the objects in the cluster (pods and Events are deleted by that
 * time). */
#include "operator/job/final.h"
#include "base/mem.h"

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
    if (job->publication.is_own || !o->is_finished || o->numbers.uid.size_bytes == 0)
        return;
    if (job->jobs->settings.keeps_checkpoints && o->checkpoint.size_bytes > 0)
        return; /* its log was not read to the end */
    free(job->final.status);
    job->final.status = slice_dup(o->status);
    job->final.phase = phase_of(o->phase);
    job->final.numbers = numbers_of(&o->numbers);
}

static void make_room(struct job_publication *p) {
    if (p->previous == NULL)
        p->previous = mem_alloc(JOB_MAX_PREVIOUS * sizeof *p->previous);
}

/* Reads the earlier targets of a status: no checkpoint repeats them, and a final status has none. */
void job_find_previous(struct model_job *job, const struct object_jobgoodput *o) {
    job->publication.previous_count = o->previous_count;
    if (o->previous_count > 0)
        make_room(&job->publication);
    for (int i = 0; i < o->previous_count; i++)
        job->publication.previous[i] = numbers_of(&o->previous[i]);
}

void job_push_previous(struct model_job *job, const struct job_previous *result) {
    struct job_publication *p = &job->publication;
    make_room(p);
    if (p->previous_count == JOB_MAX_PREVIOUS)
        p->previous_count--;
    memmove(&p->previous[1], &p->previous[0], (size_t)p->previous_count * sizeof p->previous[0]);
    p->previous_count++;
    p->previous[0] = *result;
}

void job_drop_final(struct model_job *job, const struct target *target) {
    if (job->final.status == NULL || target == NULL || strcmp(target->uid, job->final.numbers.uid) == 0)
        return;
    if (job->final.numbers.wall_ms != RECORD_NONE && job->final.numbers.available_ms != RECORD_NONE)
        job_push_previous(job, &job->final.numbers);
    free(job->final.status);
    job->final.status = NULL;
}

void job_write_final(struct model_job *job, struct buf *out, struct model_summary *summary) {
    buf_append_text(out, job->final.status);
    if (summary)
        *summary = (struct model_summary){.phase = job->final.phase, .is_final = true};
}
