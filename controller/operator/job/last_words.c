#include "operator/job/last_words.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "operator/job/followed_words.h"
#include "operator/job/job.h"
#include "operator/store/failures.h"
#include "rootcause/log.h"

#include <string.h>

/* ---- which ---- */

/* Those that were tried least first. */
static struct failure *next_of(const struct incident *incident) {
    struct failure *best = NULL;
    for (int k = 0; k < incident->count; k++) {
        struct failure *f = incident->failures[k];
        if (f->words == WORDS_UNASKED && (best == NULL || f->tries < best->tries))
            best = f;
    }
    return best;
}

/* Only the last two runs of a container have a log. */
static bool is_there(const struct model_job *job, const struct failure *f, bool *is_previous) {
    const struct pod *p = map_get(&job->store->pods, slice_of(f->pod_uid));
    for (int i = 0; p != NULL && !p->is_deleted && i < p->container_count; i++) {
        if (strcmp(p->containers[i].name, f->container) != 0)
            continue;
        int now = container_now(&p->containers[i])->restart_count;
        *is_previous = now == f->restart_count + 1;
        return now == f->restart_count || *is_previous;
    }
    return false;
}

bool model_job_has_words(const struct model_job *job) {
    return job->target != NULL && job->target->incident_count > 0;
}

bool model_job_words_next(struct model_job *job, struct model_words *words) {
    struct target *t = job->target;
    for (int i = t != NULL ? t->incident_count - 1 : -1; i >= 0; i--) {
        struct failure *f;
        if (t->incidents[i].decided != NULL)
            continue;
        while ((f = next_of(&t->incidents[i])) != NULL) {
            bool is_previous = false, is_here = is_there(job, f, &is_previous);
            f->words = is_here ? WORDS_ASKED : WORDS_UNREAD;
            if (!is_here) {
                job_mark_dirty(job);
                continue;
            }
            *words =
                (struct model_words){job->namespace_, f->pod, f->pod_uid, f->container, f->restart_count, is_previous};
            return true;
        }
    }
    return false;
}

static struct failure *asked(const struct model_job *job, const char *pod_uid, const char *container,
                             int restart_count) {
    const struct target *t = job->target;
    for (int i = 0; t != NULL && i < t->incident_count; i++)
        for (int k = 0; k < t->incidents[i].count; k++) {
            struct failure *f = t->incidents[i].failures[k];
            if (f->words == WORDS_ASKED && f->restart_count == restart_count && strcmp(f->pod_uid, pod_uid) == 0 &&
                strcmp(f->container, container) == 0)
                return f;
        }
    return NULL;
}

/* ---- listening ---- */

static void on_record(void *is_step, const struct record *r) {
    *(bool *)is_step |= r->kind == RECORD_STEP_END || r->kind == RECORD_STEP_START;
}

/* A program that makes steps has survived what its log shows before them. */
static int64_t hear_log(struct rootcause_log *log, struct slice tail, bool is_cut) {
    struct slice line;
    int64_t number = 0;
    bool is_step = false;
    struct steplog *steps = steplog_new(STEPLOG_AUTO, NULL, on_record, &is_step);
    if (is_cut)
        slice_take_line(&tail, &line);
    while (slice_take_line(&tail, &line)) {
        steplog_stored_line(steps, line, 0);
        if (is_step)
            rootcause_log_progress(log);
        is_step = false;
        rootcause_log_line(log, line, ++number);
    }
    steplog_free(steps);
    return number;
}

static void hear_line(struct rootcause_log *log, int64_t at_ms, struct slice text, int64_t number) {
    char stamp[RFC3339_SIZE];
    CLEANUP_FREE char *line = mem_format("%s %.*s", rfc3339_format_ms(stamp, at_ms), SLICE_ARG(text));
    rootcause_log_line(log, slice_of(line), number);
}

/* The kubelet writes both when the container has ended. */
static void hear_end(struct rootcause_log *log, const struct failure *f, int64_t number) {
    struct slice rest = slice_of(f->message != NULL ? f->message : ""), line;
    while (slice_take_line(&rest, &line))
        hear_line(log, f->finished_ms, line, ++number);
    if (strcmp(f->reason, "OOMKilled") == 0)
        hear_line(log, f->finished_ms, SLICE(ROOT_CAUSE_STATUS_WORDS "OOMKilled"), ++number);
}

static void hear(struct jobs *jobs, struct failure *f, struct slice tail, bool is_cut) {
    f->log = jobs_new_words(jobs);
    hear_end(f->log, f, hear_log(f->log, tail, is_cut));
    rootcause_log_end(f->log);
}

void job_hear_status(struct jobs *jobs, struct failure *f) {
    if (f->log == NULL)
        hear(jobs, f, (struct slice){0}, false);
}

void model_job_words_read(struct model_job *job, const char *pod_uid, const char *container, int restart_count,
                          struct slice tail, bool is_cut) {
    struct failure *f = asked(job, pod_uid, container, restart_count);
    if (f == NULL)
        return;
    failure_drop_words(f);
    hear(job->jobs, f, tail, is_cut);
    f->words = WORDS_READ;
    job_mark_dirty(job);
}

void model_job_words_failed(struct model_job *job, const char *pod_uid, const char *container, int restart_count,
                            bool is_certain) {
    struct failure *f = asked(job, pod_uid, container, restart_count);
    if (f == NULL)
        return;
    f->words = ++f->tries >= LAST_WORDS_TRIES || is_certain ? WORDS_UNREAD : WORDS_UNASKED;
    job_mark_dirty(job);
}

/* The end of its log cannot be read, but what its follower gets still comes in. */
static bool is_followed_on(const struct model_job *job, const struct failure *f) {
    const struct log_process *p = f->words == WORDS_UNREAD ? followed_process_of(job, f) : NULL;
    return p != NULL && !p->has_ended;
}

bool job_words_are_pending(const struct model_job *job, const struct incident *incident) {
    if (!job->jobs->settings.reads_last_words || incident->decided != NULL)
        return false;
    for (int k = 0; k < incident->count; k++)
        if (incident->failures[k]->words < WORDS_READ || is_followed_on(job, incident->failures[k]))
            return true;
    return false;
}

bool job_any_words_are_pending(const struct model_job *job) {
    for (int i = 0; job->target != NULL && i < job->target->incident_count; i++)
        if (job_words_are_pending(job, &job->target->incidents[i]))
            return true;
    return false;
}
