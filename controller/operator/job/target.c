/* Which target a JobGoodput measures, which slots of it are required, and which log is read. */
#include "base/buf.h"
#include "base/mem.h"
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
        job_release_target(t);
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

bool job_is_managed_elsewhere(const struct model_job *job) {
    const char *by = job->target ? job->target->managed_by : "";
    return by[0] && strcmp(by, "jobset.sigs.k8s.io/jobset-controller") != 0 &&
           strcmp(by, "kubernetes.io/job-controller") != 0;
}

bool target_is_queued_by_kueue(const struct target *t) {
    return t->queue[0] || t->workloads;
}

/* ---- the log's place ---- */

static const struct replicated_job *by_name(const struct target *t, const char *name) {
    for (int i = 0; i < t->job_count; i++)
        if (strcmp(t->jobs[i].name, name) == 0)
            return &t->jobs[i];
    return NULL;
}

const struct replicated_job *job_log_replicated_job(const struct model_job *job) {
    const struct target *t = job->target;
    if (t == NULL || t->job_count == 0)
        return NULL;
    if (job->log_job[0])
        return by_name(t, job->log_job);
    if (t->coordinator)
        return by_name(t, t->coordinator);
    for (int i = 0; i < t->job_count; i++)
        if (t->jobs[i].chips > 0)
            return &t->jobs[i];
    return &t->jobs[0];
}

/* Megatron and NeMo log on the last rank. */
static bool is_last_rank(const struct model_job *job) {
    return strcmp(job->format, "Megatron") == 0 || strcmp(job->format, "NeMo") == 0;
}

static bool is_log_pod(const struct model_job *job, const struct replicated_job *r, const struct pod *p) {
    const struct target *t = job->target;
    bool is_coordinator = t->coordinator && !job->log_job[0];
    int64_t job_index = is_coordinator ? t->coordinator_job_index : is_last_rank(job) ? r->replicas - 1 : 0;
    int64_t pod_index = is_coordinator ? t->coordinator_pod_index : is_last_rank(job) ? r->pods - 1 : 0;
    if (job->log_job_index >= 0)
        job_index = job->log_job_index;
    if (job->log_completion_index >= 0)
        pod_index = job->log_completion_index;
    int64_t index = p->completion_index >= 0 ? p->completion_index : p->slot_index;
    return strcmp(p->replicated_job, r->name) == 0 && p->job_index == job_index && index == pod_index;
}

static int compare_pods(const void *a, const void *b) {
    const struct pod *x = *(struct pod *const *)a, *y = *(struct pod *const *)b;
    if (x->created_ms != y->created_ms)
        return x->created_ms < y->created_ms ? -1 : 1;
    return strcmp(pod_uid(x), pod_uid(y));
}

void job_find_log_pods(struct model_job *job) {
    struct target *t = job->target;
    uint64_t version = t ? t->pods_version * 1000003 + t->shape_version : 0;
    if (version == job->log_pods_version)
        return;
    bool has_only_more = t && job->log_pods_version != UINT64_MAX && job->log_pods_shape == t->shape_version &&
                         t->unindexed_pods == 0; /* pods that were looked at stay where they are */
    if (!has_only_more) {
        job->log_pods_seen = 0;
        job->log_pod_count = 0;
    }
    job->log_pods_version = version;
    job->log_pods_shape = t ? t->shape_version : 0;
    const struct replicated_job *r = job_log_replicated_job(job);
    if (r == NULL || model_job_source_kind(job) == MODEL_SOURCE_NONE)
        return;
    for (size_t i = job->log_pods_seen; i < t->pod_count; i++) {
        job->model->pods_looked_at++;
        if (!is_log_pod(job, r, t->pods[i]))
            continue;
        STORE_GROW(job->log_pods, job->log_pod_count, job->log_pod_capacity);
        job->log_pods[job->log_pod_count++] = t->pods[i];
    }
    job->log_pods_seen = t->pod_count;
    if (job->log_pod_count > 1)
        qsort(job->log_pods, (size_t)job->log_pod_count, sizeof *job->log_pods, compare_pods);
}

const char *job_log_container(const struct model_job *job, const struct pod *p) {
    const char *first = p->container_count > 0 ? p->containers[0].name : "", *chips = NULL;
    bool has_default = false;
    for (int i = 0; i < p->container_count; i++) {
        if (job->container[0] && strcmp(p->containers[i].name, job->container) == 0)
            return p->containers[i].name;
        has_default |= strcmp(p->containers[i].name, p->default_container) == 0;
        if (chips == NULL && p->containers[i].chips > 0)
            chips = p->containers[i].name;
    }
    if (job->container[0])
        return "";
    return has_default ? p->default_container : chips ? chips : first;
}

/* ---- required slots ---- */

bool job_requires(const struct model_job *job, int index) {
    const struct target *t = job->target;
    const struct replicated_job *r = &t->jobs[index];
    bool has_chips = false;
    for (int i = 0; i < job->required_count; i++)
        if (strcmp(job->required[i], r->name) == 0)
            return true;
    if (job->required_count > 0)
        return false;
    for (int i = 0; i < t->job_count; i++)
        has_chips |= t->jobs[i].chips > 0;
    return !has_chips || r->chips > 0 || (job->options.has_log && r == job_log_replicated_job(job));
}

int64_t job_slot(const struct model_job *job, const struct pod *p) {
    const struct target *t = job->target;
    int64_t base = 0;
    for (int i = 0; i < t->job_count; i++) {
        const struct replicated_job *r = &t->jobs[i];
        if (!job_requires(job, i))
            continue;
        if (strcmp(r->name, p->replicated_job) == 0) {
            int64_t index = p->completion_index >= 0 ? p->completion_index : p->slot_index;
            if (p->job_index >= r->replicas || index >= r->stride)
                return -1;
            return base + p->job_index * r->stride + index;
        }
        base += r->replicas * r->stride;
    }
    return -1;
}

int64_t job_pods_at(const struct replicated_job *r, int64_t at_ms) {
    int64_t slots = 0;
    for (int i = 0; i < r->size_count && (i == 0 || r->sizes[i].at_ms <= at_ms); i++)
        slots = r->sizes[i].slots;
    return slots;
}

#define MAX_SLOTS 10000000

size_t job_slot_count(const struct model_job *job) {
    int64_t slots = 0;
    for (int i = 0; i < job->target->job_count; i++)
        slots += job_requires(job, i) ? job->target->jobs[i].replicas * job->target->jobs[i].stride : 0;
    return slots > 0 && slots < MAX_SLOTS ? (size_t)slots : 0;
}
