/* Step logs outside pod logs: files, log services. Their lines do not name a container. A line belongs to the run of
 * the log's container (log_pods.c) that was running when it was written. So the times, the node and the exit of that
 * run and the lines are of one process, as with a pod's own log. */
#include "operator/job/source.h"
#include "base/mem.h"
#include "operator/job/job.h"
#include "operator/job/log_pods.h"
#include "operator/job/log_work.h"
#include "operator/job/logs.h"
#include "operator/job/required.h"
#include "operator/store/pod.h"

#include <stdio.h>
#include <string.h>

/* A container's times are whole seconds, and lines are stamped by another clock. */
#define SLACK_MS 2000
/* A line outside all known runs may belong to one that is not observed yet; after this time it does not. */
#define UNREPORTED_MS 30000
/* Time in which the last lines of a run that ended are stored. */
#define STORED_AFTER_MS 10000

enum model_source_kind model_source_kind_of(struct slice name) {
    static const char *const names[] = {[MODEL_SOURCE_POD_LOG] = "PodLog",
                                        [MODEL_SOURCE_FILE] = "File",
                                        [MODEL_SOURCE_CLOUD_LOGGING] = "CloudLogging",
                                        [MODEL_SOURCE_PUSH] = "Push"};
    for (int kind = MODEL_SOURCE_POD_LOG; kind <= MODEL_SOURCE_PUSH; kind++)
        if (slice_is(name, names[kind]))
            return (enum model_source_kind)kind;
    return MODEL_SOURCE_NONE;
}

enum model_source_kind model_job_source_kind(const struct model_job *job) {
    return job->spec.log.kind;
}

bool model_job_source(const struct model_job *job, struct model_source *source) {
    if (!job_has_source(job) || job->ledger == NULL || job->target == NULL || !job->target->is_seen ||
        job_is_managed_elsewhere(job) || job->spec.log.pattern_error != NULL || job_is_log_barred(job))
        return false;
    *source =
        (struct model_source){.kind = job->spec.log.kind,
                              .path = job->spec.log.path,
                              .project = job->spec.log.project,
                              .logger = job->spec.log.logger,
                              .job_name = job->spec.log.job_name[0] ? job->spec.log.job_name : job->spec.target_name,
                              .created_ms = job->target->created_ms,
                              .cursor = slice_of(job->log.cursor)};
    return true;
}

/* ---- which run a line belongs to ---- */

struct run { /* of the log's container */
    struct pod *pod;
    int restart_count;
    int64_t started_ms, finished_ms; /* TIME_OPEN */
};

static int64_t finished_ms(const struct pod *p, const struct instance *i) {
    int64_t ms = instance_finished_ms(i);
    if (ms == TIME_UNKNOWN && p->is_deleted)
        ms = p->removed_ms;
    return ms == TIME_UNKNOWN ? TIME_OPEN : ms;
}

/* The last run that started up to at_ms, and the first one that started later; pod NULL: there is none. */
static void find_runs(struct model_job *job, int64_t at_ms, struct run *before, struct run *after) {
    *before = *after = (struct run){.started_ms = TIME_UNKNOWN};
    job_find_log_pods(job);
    for (int i = 0; i < job->log_pods.count; i++) {
        struct pod *p = job->log_pods.items[i];
        const char *name = job_log_container(job, p);
        for (int c = 0; c < p->container_count; c++) {
            if (strcmp(p->containers[c].name, name) != 0)
                continue;
            for (int k = 0; k < p->containers[c].count; k++) {
                const struct instance *x = &p->containers[c].instances[k];
                struct run run = {p, x->restart_count, x->started_ms, finished_ms(p, x)};
                if (run.started_ms == TIME_UNKNOWN)
                    continue;
                if (run.started_ms <= at_ms && run.started_ms >= before->started_ms)
                    *before = run;
                if (run.started_ms > at_ms && (after->pod == NULL || run.started_ms < after->started_ms))
                    *after = run;
            }
        }
    }
}

/* All pods of that time were observed. */
static bool are_pods_known(const struct model_job *job, int64_t at_ms) {
    int64_t known_ms = job->store->watermark_ms[RESOURCE_POD];
    return job->target->end.at_ms != TIME_UNKNOWN || (known_ms != TIME_UNKNOWN && known_ms > at_ms + UNREPORTED_MS);
}

/* A run whose pod no longer exists: it ended before this controller started, or before the first known run. */
static struct log_process *process_without_pod(struct model_job *job) {
    return job_log_process(job, NULL, 0);
}

bool model_job_source_line(struct model_job *job, int64_t stamp_ms, struct slice line) {
    struct run before, after;
    struct log_process *p;
    if (job->ledger == NULL || job->target == NULL || !job_has_source(job) || job_is_log_barred(job))
        return true;
    if (stamp_ms < job->target->created_ms) {
        job->log.early_lines++;
        return true;
    }
    find_runs(job, stamp_ms, &before, &after);
    bool is_inside =
        before.pod != NULL && (before.finished_ms == TIME_OPEN || stamp_ms <= before.finished_ms + SLACK_MS);
    if (is_inside)
        p = job_log_process(job, before.pod, before.restart_count);
    else if (after.pod != NULL && after.started_ms - stamp_ms <= SLACK_MS)
        p = job_log_process(job, after.pod, after.restart_count);
    else if (after.pod == NULL && !are_pods_known(job, stamp_ms))
        return false;
    else if (before.pod != NULL) /* it continued, whatever its container shows */
        p = job_log_process(job, before.pod, before.restart_count);
    else
        p = process_without_pod(job);
    job_log_stored_line(job, p, stamp_ms, line);
    return true;
}

bool model_job_source_is_over(struct model_job *job, int64_t written_ms, int64_t now_ms) {
    struct run before, after;
    if (job->ledger == NULL || job->target == NULL || !job_has_source(job))
        return false;
    if (job->target->end.at_ms != TIME_UNKNOWN && job->target->end.at_ms + STORED_AFTER_MS <= now_ms)
        return true;
    find_runs(job, written_ms, &before, &after);
    return before.pod != NULL && before.finished_ms != TIME_OPEN && before.finished_ms + STORED_AFTER_MS <= now_ms &&
           written_ms + STORED_AFTER_MS <= now_ms; /* a late clock may have stamped a line of the next run */
}

void model_job_source_cursor(struct model_job *job, struct slice cursor) {
    free(job->log.cursor);
    job->log.cursor = slice_dup(cursor);
}

void model_job_source_trouble(struct model_job *job, const char *text) {
    job_set_text(&job->log.trouble, JOB_TROUBLE_BYTES, text);
    job_mark_dirty(job);
}

/* Runs that ended up to through_ms are read to the end; so are all when the target ended. */
void model_job_source_read(struct model_job *job, int64_t through_ms) {
    if (job->ledger == NULL || job->target == NULL || !job_has_source(job))
        return;
    bool is_over = job->target->end.at_ms != TIME_UNKNOWN && job->target->end.at_ms + STORED_AFTER_MS <= through_ms;
    job_find_log_pods(job);
    for (int i = 0; i < job->log_pods.count; i++) {
        struct pod *p = job->log_pods.items[i];
        const char *name = job_log_container(job, p);
        for (int c = 0; c < p->container_count; c++) {
            const struct instance *x = container_now(&p->containers[c]);
            int64_t end_ms = finished_ms(p, x);
            bool is_read = end_ms != TIME_OPEN && end_ms + STORED_AFTER_MS <= through_ms;
            if (strcmp(p->containers[c].name, name) == 0 && x->started_ms != TIME_UNKNOWN && (is_over || is_read))
                job_log_process_end(job, job_log_process(job, p, x->restart_count), NULL);
        }
    }
    for (int i = 0; i < job->log.process_count && is_over; i++)
        job_log_process_end(job, job->log.processes[i], NULL);
}
