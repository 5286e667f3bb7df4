/* Which target a JobGoodput measures, which slots of it are required, and which log is read. */
#include "base/buf.h"
#include "base/mem.h"
#include "ledger/checkpoint.h"
#include "operator/job/job.h"

#include <stdio.h>
#include <string.h>

static bool is_older(const struct model_job *a, const struct model_job *b) {
    if (a->created_ms != b->created_ms)
        return a->created_ms < b->created_ms;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order < 0 : strcmp(a->uid, b->uid) < 0;
}

static void tell_past_anew(struct model_job *job, bool with_ready) {
    for (int i = 0; i < job->target->past_count; i++) {
        job->target->pasts[i].is_told = false;
        job->target->pasts[i].is_ready_told &= !with_ready;
    }
}

void job_set_target(struct model_job *job, struct target *t) {
    if (job->target)
        job->target->job = NULL;
    job_logs_done(job);
    ledger_free(job->ledger);
    job->ledger = t ? ledger_new(&job->options) : NULL;
    job->pushed.count = 0;
    job->ready_line.count = 0;
    job_slots_clear(&job->slots);
    job->target = t;
    job->shape_version = job->jobs_version = 0;
    job->counted = job->counted_evictions = 0;
    job->needs_all_pods = true;
    job->log_pod_count = 0;
    job->log_pods_version = UINT64_MAX;
    memset(job->told, 0, sizeof job->told);
    job->told_steps = 0;
    job->told_through_ms = job->holds_over_ms = job->end_learned_ms = TIME_UNKNOWN;
    job->hold_now.kind = BUCKET_COUNT;
    job->told_end = job->is_final = job->told_first_step = false;
    if (t == NULL)
        return;
    t->job = job;
    for (size_t i = 0; i < t->pod_count; i++) {
        struct pod *p = t->pods[i];
        p->pushed.count = p->ready_told = 0;
        p->loss_told = 0;
    }
    tell_past_anew(job, true);
}

void job_begin_anew(struct model_job *job) {
    struct target *t = job->target;
    struct model_job before = *job;
    job_set_target(job, NULL);
    if (t == NULL)
        return;
    job_set_target(job, t);
    job->log_changed_in = job->generation;
    memcpy(job->told, before.told, sizeof job->told); /* what was told stays told */
    job->told_end = before.told_end;
    job->told_first_step = before.told_first_step;
}

void job_count_otherwise(struct model_job *job) {
    CLEANUP_BUF struct buf saved;
    buf_init(&saved, 1 << 24);
    if (job->ledger == NULL)
        return;
    struct ledger *otherwise = NULL;
    if (ledger_save(job->ledger, LEDGER_SAVE_WITHOUT_OBJECTS, &saved) == 0)
        otherwise = ledger_load(buf_slice(&saved), &job->options, NULL);
    if (otherwise == NULL) { /* keeps more than fits: from what the cluster still shows */
        job_begin_anew(job);
        return;
    }
    ledger_free(job->ledger);
    job->ledger = otherwise;
    job->pushed.count = 0;
    job->shape_version = 0;
    job->needs_all_pods = true;
    job->told_through_ms = TIME_UNKNOWN;
    tell_past_anew(job, false);
    for (size_t i = 0; i < job->target->pod_count; i++)
        job->target->pods[i]->pushed.count = job->target->pods[i]->loss_told = 0;
    job_tell_processes(job);
}

/* ---- the JobGoodputs of a target: the oldest measures it ---- */

static struct slice aim_key(char out[static STORE_NAME_KEY], const struct model_job *job) {
    store_name_key(out, job->target_kind, job->namespace_, job->target_name);
    return slice_of(out);
}

static struct model_job *oldest_of(struct model *m, enum target_kind kind, const char *namespace_, const char *name) {
    char key[STORE_NAME_KEY];
    store_name_key(key, kind, namespace_, name);
    return map_get(&m->by_target, slice_of(key));
}

/* No JobGoodput measures it any more. */
static void release_target(struct target *t) {
    struct model_job *e = t->job, **at;
    if (e == NULL || e->later == NULL) {
        if (e)
            job_set_target(e, NULL);
        return;
    }
    for (at = &e->later->earlier; *at != e;)
        at = &(*at)->earlier;
    *at = e->earlier;
    job_free_one_earlier(e);
}

static void find_own_target(struct model_job *job) {
    struct model *m = job->model;
    struct model_job *oldest = oldest_of(m, job->target_kind, job->namespace_, job->target_name);
    struct target *t = NULL;
    m->jobs_looked_at++;
    job->duplicate_of = oldest == job ? NULL : oldest;
    if (oldest == job)
        t = store_target_by_name(m, job->target_kind, job->namespace_, job->target_name);
    if (t == job->target)
        return;
    if (t)
        release_target(t);
    if (job->target && t && job->final_status == NULL)
        job_keep_earlier(job);
    job_drop_final(job, t);
    job_set_target(job, t);
    job_mark_dirty(m, job);
}

static void find_targets_from(struct model_job *first) {
    for (struct model_job *job = first; job; job = job->next_of_target) {
        find_own_target(job);
        job_mark_dirty(job->model, job);
    }
}

void job_take_aim_off(struct model_job *job) {
    char key[STORE_NAME_KEY];
    struct model *m = job->model;
    struct model_job *oldest = map_get(&m->by_target, aim_key(key, job)), **at = &oldest;
    while (*at != job) {
        m->jobs_looked_at++;
        at = &(*at)->next_of_target;
    }
    bool was_oldest = oldest == job;
    *at = job->next_of_target;
    job->next_of_target = NULL;
    if (!was_oldest)
        return;
    if (oldest)
        map_put(&m->by_target, aim_key(key, job), oldest);
    else
        map_remove(&m->by_target, aim_key(key, job));
    find_targets_from(oldest);
}

void job_aim(struct model_job *job, enum target_kind kind, struct slice target_name) {
    char key[STORE_NAME_KEY];
    struct model *m = job->model;
    if (job->target_name && (job->target_kind != kind || !slice_is(target_name, job->target_name)))
        job_take_aim_off(job);
    else if (job->target_name)
        return;
    job->target_kind = kind;
    free(job->target_name);
    job->target_name = slice_dup(target_name);
    struct model_job *oldest = map_get(&m->by_target, aim_key(key, job)), **at = &oldest;
    for (; *at && is_older(*at, job); at = &(*at)->next_of_target)
        m->jobs_looked_at++;
    job->next_of_target = *at;
    *at = job;
    map_put(&m->by_target, aim_key(key, job), oldest);
}

void job_find_target(struct model_job *job) {
    struct model *m = job->model;
    if (oldest_of(m, job->target_kind, job->namespace_, job->target_name) == job)
        find_targets_from(job->next_of_target);
    find_own_target(job);
}

static void target_appeared(struct model *m, struct target *t) {
    struct model_job *oldest = oldest_of(m, t->kind, t->namespace_, t->name);
    if (oldest)
        find_own_target(oldest);
}

void job_take_touched(struct model *m) {
    for (size_t i = 0; i < m->touched_count; i++) {
        struct target *t = m->touched[i];
        bool is_named = t->is_named;
        t->is_touched = t->is_named = false;
        if (is_named)
            target_appeared(m, t);
        if (t->job)
            job_mark_dirty(m, t->job);
    }
    m->touched_count = 0;
}

/* ---- the log's place ---- */

/* ---- required slots ---- */
