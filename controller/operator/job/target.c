/* Which target a JobGoodput measures. */
#include "operator/job/target.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ledger/checkpoint.h"
#include "operator/job/earlier.h"
#include "operator/job/final.h"
#include "operator/job/free.h"
#include "operator/job/logs.h"
#include "operator/store/kinds.h"

#include <stdio.h>
#include <string.h>

static bool is_older(const struct model_job *a, const struct model_job *b) {
    if (a->created_ms != b->created_ms)
        return a->created_ms < b->created_ms;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order < 0 : strcmp(a->uid, b->uid) < 0;
}

static void reset_past(struct model_job *job, bool with_ready) {
    for (int i = 0; i < job->target->past.count; i++) {
        job->target->past.items[i].is_in_ledger = false;
        job->target->past.items[i].is_in_ready_line &= !with_ready;
    }
}

void job_set_target(struct model_job *job, struct target *t) {
    if (job->target)
        job->target->job = NULL;
    job_logs_done(job);
    ledger_free(job->ledger);
    job->ledger = t ? ledger_new(&job->spec.options) : NULL;
    job->facts.pushed.count = 0;
    job->facts.ready_line.count = 0;
    job_slots_clear(&job->facts.slots);
    job->target = t;
    job->facts.shape_version = job->facts.jobs_version = 0;
    job->facts.interruptions = job->facts.evictions = 0;
    job->facts.needs_all_pods = true;
    job->log_pods.count = 0;
    job->log_pods.version = UINT64_MAX;
    free(job->notices.interruptions);
    job->notices.interruptions = NULL;
    job->publication.step_count = 0;
    job->observation.through_ms = job->facts.hold_end_ms = job->observation.end_ms = TIME_UNKNOWN;
    free(job->facts.hold);
    job->facts.hold = NULL;
    job->notices.has_end = job->publication.is_final = job->notices.has_first_step = false;
    if (t == NULL)
        return;
    t->job = job;
    for (size_t i = 0; i < t->pods.count; i++) {
        struct pod *p = t->pods.items[i];
        p->pushed.count = p->ready_counted = 0;
        p->loss_recorded = 0;
    }
    reset_past(job, true);
}

static void start_again(struct model_job *job) {
    struct target *t = job->target;
    struct job_notices published = job->notices;
    if (t != NULL)
        job->notices.interruptions = NULL;
    job_set_target(job, NULL);
    if (t == NULL)
        return;
    job_set_target(job, t);
    job->notices = published; /* published Events stay published */
}

void job_read_again(struct model_job *job) {
    start_again(job);
    if (job->target != NULL)
        job->spec.log_generation = job->spec.generation;
}

void job_count_otherwise(struct model_job *job) {
    CLEANUP_BUF struct buf saved;
    buf_init(&saved, 1 << 24);
    if (job->ledger == NULL)
        return;
    struct ledger *otherwise = NULL;
    if (ledger_save(job->ledger, LEDGER_SAVE_WITHOUT_OBJECTS, &saved) == 0)
        otherwise = ledger_load(buf_slice(&saved), &job->spec.options, NULL);
    if (otherwise == NULL) { /* too large to be saved: starts again from what the cluster shows */
        job_read_again(job);
        return;
    }
    ledger_free(job->ledger);
    job->ledger = otherwise;
    job->facts.pushed.count = 0;
    job->facts.shape_version = 0;
    job->facts.needs_all_pods = true;
    job->observation.through_ms = TIME_UNKNOWN;
    reset_past(job, false);
    for (size_t i = 0; i < job->target->pods.count; i++)
        job->target->pods.items[i]->pushed.count = job->target->pods.items[i]->loss_recorded = 0;
    job_add_processes(job);
}

/* Its target lost pods that it has counted. */
static void pods_were_moved(struct model_job *job) {
    bool has_read_them = false;
    for (int i = 0; i < job->log.process_count; i++) {
        const struct pod *p = job->log.processes[i]->pod;
        has_read_them |= p != NULL && p->target != job->target;
    }
    if (has_read_them) {
        start_again(job);
        return;
    }
    job_count_otherwise(job);
    job->facts.ready_line.count = 0;
    job->log_pods.count = 0;
    job->log_pods.version = UINT64_MAX;
    for (size_t i = 0; i < job->target->pods.count; i++)
        job->target->pods.items[i]->ready_counted = 0;
    reset_past(job, true);
}

/* ---- the JobGoodputs of a target: the oldest measures it ---- */

static struct slice aim_key(char out[static STORE_NAME_KEY], const struct model_job *job) {
    store_name_key(out, kind_row(job->spec.target_kind)->measured, job->namespace_, job->spec.target_name);
    return slice_of(out);
}

static struct model_job *oldest_of(struct jobs *jobs, enum target_kind kind, const char *namespace_, const char *name) {
    char key[STORE_NAME_KEY];
    store_name_key(key, kind_row(kind)->measured, namespace_, name);
    return map_get(&jobs->by_target, slice_of(key));
}

/* Takes the target from the JobGoodput that measures it. */
static void release_target(struct target *t) {
    struct model_job *e = t->job, **at;
    if (e == NULL || e->links.later == NULL) {
        if (e)
            job_set_target(e, NULL);
        return;
    }
    for (at = &e->links.later->links.earlier; *at != e;)
        at = &(*at)->links.earlier;
    *at = e->links.earlier;
    job_free(e);
}

/* A JobSet that only bears the name of the TrainJob is none of its. Of one from a checkpoint that was not observed yet
 * it is known already. */
static bool is_named_by(const struct target *t, const struct model_job *job) {
    return job->spec.target_kind != TARGET_TRAINJOB || t->is_restored ||
           (t->trainjob != NULL && strcmp(t->trainjob->name, job->spec.target_name) == 0);
}

static void find_own_target(struct model_job *job) {
    struct jobs *jobs = job->jobs;
    struct model_job *oldest = oldest_of(jobs, job->spec.target_kind, job->namespace_, job->spec.target_name);
    struct target *t = NULL;
    jobs->jobs_looked_at++;
    job->links.duplicate_of = oldest == job ? NULL : oldest;
    if (oldest == job)
        t = store_target_by_name(job->store, kind_row(job->spec.target_kind)->measured, job->namespace_,
                                 job->spec.target_name);
    if (t != NULL && !is_named_by(t, job))
        t = NULL;
    if (t == job->target)
        return;
    if (t)
        release_target(t);
    if (job->target && t && job->final.status == NULL)
        job_keep_earlier(job);
    job_drop_final(job, t);
    job_set_target(job, t);
    job_mark_dirty(job);
}

static void find_targets_from(struct model_job *first) {
    for (struct model_job *job = first; job; job = job->links.next_of_target) {
        find_own_target(job);
        job_mark_dirty(job);
    }
}

void job_take_aim_off(struct model_job *job) {
    char key[STORE_NAME_KEY];
    struct jobs *jobs = job->jobs;
    struct model_job *oldest = map_get(&jobs->by_target, aim_key(key, job)), **at = &oldest;
    while (*at != job) {
        jobs->jobs_looked_at++;
        at = &(*at)->links.next_of_target;
    }
    bool was_oldest = oldest == job;
    *at = job->links.next_of_target;
    job->links.next_of_target = NULL;
    if (!was_oldest)
        return;
    if (oldest)
        map_put(&jobs->by_target, aim_key(key, job), oldest);
    else
        map_remove(&jobs->by_target, aim_key(key, job));
    find_targets_from(oldest);
}

void job_aim(struct model_job *job, enum target_kind kind, struct slice target_name) {
    char key[STORE_NAME_KEY];
    struct jobs *jobs = job->jobs;
    if (job->spec.target_name && (job->spec.target_kind != kind || !slice_is(target_name, job->spec.target_name)))
        job_take_aim_off(job);
    else if (job->spec.target_name)
        return;
    job->spec.target_kind = kind;
    free(job->spec.target_name);
    job->spec.target_name = slice_dup(target_name);
    struct model_job *oldest = map_get(&jobs->by_target, aim_key(key, job)), **at = &oldest;
    for (; *at && is_older(*at, job); at = &(*at)->links.next_of_target)
        jobs->jobs_looked_at++;
    job->links.next_of_target = *at;
    *at = job;
    map_put(&jobs->by_target, aim_key(key, job), oldest);
}

void job_find_target(struct model_job *job) {
    struct jobs *jobs = job->jobs;
    if (oldest_of(jobs, job->spec.target_kind, job->namespace_, job->spec.target_name) == job)
        find_targets_from(job->links.next_of_target);
    find_own_target(job);
}

static void target_appeared(struct jobs *jobs, struct target *t) {
    struct model_job *oldest = oldest_of(jobs, t->kind, t->namespace_, t->name);
    if (oldest)
        find_own_target(oldest);
}

void jobs_take_touched(struct jobs *jobs) {
    struct store *store = jobs->store;
    for (size_t i = 0; i < store->touched_count; i++) {
        struct target *t = store->touched[i];
        bool is_named = t->is_named;
        bool has_lost_pods = t->has_lost_pods && t->job != NULL;
        t->is_touched = t->is_named = t->has_lost_pods = false;
        if (has_lost_pods)
            pods_were_moved(t->job);
        if (is_named)
            target_appeared(jobs, t);
        if (t->job)
            job_mark_dirty(t->job);
    }
    store->touched_count = 0;
}
