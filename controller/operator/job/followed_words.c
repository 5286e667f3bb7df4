#include "operator/job/followed_words.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "operator/job/job.h"
#include "operator/job/log_pods.h"
#include "operator/store/failures.h"
#include "rootcause/log.h"

#include <stdio.h>
#include <string.h>

struct followed_words {
    struct followed_words *older, *newer; /* of all jobs */
    struct log_process *process;
    struct rootcause_log *log;
    int64_t number;     /* of lines so far */
    int64_t notable_ns; /* stamp of the newest line that names a failure */
    int64_t survived;   /* number of the newest line that a step followed */
};

/* ---- of all jobs ---- */

static void unlink_words(struct jobs *jobs, struct followed_words *w) {
    *(w->older != NULL ? &w->older->newer : &jobs->oldest_words) = w->newer;
    *(w->newer != NULL ? &w->newer->older : &jobs->newest_words) = w->older;
    jobs->words_count--;
}

void followed_words_drop(struct log_process *p) {
    if (p->words == NULL)
        return;
    unlink_words(p->job->jobs, p->words);
    rootcause_log_free(p->words->log);
    free(p->words);
    p->words = NULL;
}

static struct followed_words *add(struct log_process *p) {
    struct jobs *jobs = p->job->jobs;
    struct followed_words *w = mem_new(struct followed_words);
    if (jobs->words_count == FOLLOWED_MAX)
        followed_words_drop(jobs->oldest_words->process);
    w->process = p;
    w->log = jobs_new_words(jobs);
    w->older = jobs->newest_words;
    *(w->older != NULL ? &w->older->newer : &jobs->oldest_words) = w;
    jobs->newest_words = w;
    jobs->words_count++;
    return p->words = w;
}

/* ---- lines ---- */

/* Another error of storage may be of the data. */
static bool is_of_save(const struct finding *f) {
    return f->class_ == CLASS_CHECKPOINT_ERROR ||
           (f->class_ == CLASS_STORAGE_ERROR && strstr(f->frame, "save") != NULL);
}

static void note_survived(struct log_process *p) {
    rootcause_log_settle(p->words->log);
    const struct finding *f = rootcause_log_best(p->words->log);
    if (f == NULL || f->line <= p->words->survived)
        return;
    p->words->survived = f->line;
    if (!is_of_save(f))
        return;
    if (p->job->log.save_errors == NULL)
        p->job->log.save_errors = mem_new(struct save_errors);
    struct save_errors *e = p->job->log.save_errors;
    if (e->count == SAVE_ERRORS_MAX)
        memmove(&e->at_ms[0], &e->at_ms[1], (size_t)--e->count * sizeof e->at_ms[0]);
    e->at_ms[e->count++] = f->at_ns / 1000000;
}

static void note_step(struct log_process *p, int64_t stamp_ns) {
    note_survived(p);
    if (stamp_ns / 1000000 - p->words->notable_ns / 1000000 > FOLLOWED_SURVIVED_MS)
        followed_words_drop(p);
    else
        rootcause_log_progress(p->words->log);
}

static void keep(struct followed_words *w, int64_t stamp_ns, struct slice line) {
    char stamp[RFC3339_SIZE], text[RFC3339_SIZE + FOLLOWED_LINE_BYTES + 2];
    int n = snprintf(text, sizeof text, "%s ", rfc3339_format_ms(stamp, stamp_ns / 1000000));
    memcpy(text + n, line.data, line.size_bytes);
    rootcause_log_line(w->log, (struct slice){text, (size_t)n + line.size_bytes}, ++w->number);
}

void followed_words_line(struct log_process *p, int64_t stamp_ns, struct slice line, bool is_step) {
    struct jobs *jobs = p->job->jobs;
    if (!jobs->settings.reads_last_words || stamp_ns == INT64_MIN || line.size_bytes == 0)
        return;
    if (is_step) {
        if (p->words != NULL)
            note_step(p, stamp_ns);
        return;
    }
    if (line.size_bytes > FOLLOWED_LINE_BYTES)
        line.size_bytes = FOLLOWED_LINE_BYTES;
    bool is_notable = rootcause_line_is_notable(jobs_matcher(jobs), line);
    if (p->words == NULL && !is_notable)
        return;
    struct followed_words *w = p->words != NULL ? p->words : add(p);
    if (is_notable)
        w->notable_ns = stamp_ns;
    keep(w, stamp_ns, line);
}

void followed_words_visit(struct log_process *p, struct codec *c) {
    bool has_words = p->words != NULL;
    codec_bool(c, &has_words);
    if (!has_words)
        return;
    if (p->words == NULL)
        add(p);
    CODEC_INT(c, &p->words->number, 0, INT64_C(1) << 53);
    codec_i64(c, &p->words->notable_ns);
    codec_i64(c, &p->words->survived);
    rootcause_log_visit(p->words->log, c);
}

void save_errors_visit(struct save_errors **e, struct codec *c) {
    int count = (int)codec_count(c, *e != NULL ? (size_t)(*e)->count : 0, SAVE_ERRORS_MAX);
    if (count > 0 && *e == NULL)
        *e = mem_new(struct save_errors);
    for (int i = 0; i < count; i++)
        codec_time(c, &(*e)->at_ms[i]);
    if (*e != NULL)
        (*e)->count = count;
}

/* ---- what they show ---- */

struct log_process *followed_process_of(const struct model_job *job, const struct failure *f) {
    for (int i = job->log.process_count - 1; i >= 0; i--) {
        struct log_process *p = job->log.processes[i];
        if (p->pod != NULL && p->restart_count == f->restart_count && p->pod->id == f->pod_id &&
            strcmp(job_log_container(job, p->pod), f->container) == 0)
            return p;
    }
    return NULL;
}

bool followed_is_whole(const struct log_process *p) {
    return p->has_ended && p->lost == NULL;
}

struct rootcause_log *followed_words_now(struct log_process *p) {
    if (p->words == NULL)
        return NULL;
    rootcause_log_settle(p->words->log);
    return p->words->log;
}
