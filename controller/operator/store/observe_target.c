/* JobSets, other kinds that are read alike, and Jobs, into the store. A Job of a JobSet is part of that target. Any
 * other Job is a target itself. */
#include "operator/store/observe_target.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/objects/jobset.h"
#include "operator/store/adopt.h"
#include "operator/store/claims.h"
#include "operator/store/forget.h"
#include "operator/store/kind_rayjob.h"
#include "operator/store/kinds.h"
#include "operator/store/unwatched.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define OBEYED_MS 10000 /* the JobSet or Job controller does what the spec says within that */

static int64_t within(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

/* Pods of one job: KEP-262; min(parallelism, completions), parallelism 1 by default. */
static int64_t pods_of(const struct object_replicated_job *o) {
    int64_t pods = o->parallelism < 0 ? 1 : o->parallelism;
    if (o->completions >= 0 && o->completions < pods)
        pods = o->completions;
    return within(pods, 0, 1000000);
}

static void apply_shape(struct store *store, struct target *t, const struct object_replicated_job *jobs, int count,
                        int64_t at_ms) {
    bool is_new = false;
    if (t->spec.jobs == NULL || t->spec.job_count != count) {
        for (int i = count; i < t->spec.job_count; i++)
            free(t->spec.jobs[i].sizes);
        t->spec.jobs = mem_resize(t->spec.jobs, (size_t)count + 1, sizeof *t->spec.jobs);
        for (int i = t->spec.job_count; i < count; i++)
            memset(&t->spec.jobs[i], 0, sizeof t->spec.jobs[i]);
        t->spec.job_count = count;
        t->pods.shape_version++;
        is_new = true;
    }
    for (int i = 0; i < count; i++) {
        const struct object_replicated_job *o = &jobs[i];
        struct replicated_job *r = &t->spec.jobs[i];
        r->name = store_intern(store, o->name);
        r->replicas = within(o->replicas, 0, 1000000);
        r->pods = pods_of(o);
        int64_t chips = o->chips + r->claimed_chips;
        t->pods.shape_version += r->chips != chips; /* may decide what is required */
        is_new |= r->chips != chips;
        t->pods.shape_version += r->has_node_chips != o->has_node_chips;
        r->has_node_chips = o->has_node_chips;
        r->chips = chips;
        store_read_claim_templates(store, t, r, o->claims);
        r->has_dependency = o->has_dependency;
        t->pods.shape_version += r->prints_log != o->prints_log || r->is_helper != o->is_helper;
        r->prints_log = o->prints_log;
        r->is_helper = o->is_helper;
        int64_t slots = r->replicas * r->pods;
        if (r->size_count > 0 && r->sizes[r->size_count - 1].slots == slots)
            continue;
        if (r->pods > r->stride || r->size_count > 0)
            t->pods.shape_version++;
        r->stride = r->pods > r->stride ? r->pods : r->stride;
        if (r->size_count == STORE_MAX_TRANSITIONS)
            r->size_count--;
        STORE_GROW(r->sizes, r->size_count, r->size_capacity);
        r->sizes[r->size_count] = (struct required){r->size_count == 0 ? t->created_ms : at_ms, slots};
        r->size_count++;
    }
    for (size_t i = 0; is_new && i < t->pods.count; i++) /* they came first */
        store_add_claimed(store, t->pods.items[i]);
}

/* What a RayJob makes may be scaled: its own spec shows only the first size. */
static void keep_sizes(const struct target *t, struct object_jobset *o) {
    for (int i = 0; i < o->job_count && kind_row(t->kind)->part == RESOURCE_RAYCLUSTER && t->kube_jobs; i++)
        for (int k = 0; k < t->spec.job_count; k++)
            if (slice_is(o->jobs[i].name, t->spec.jobs[k].name))
                o->jobs[i].parallelism = t->spec.jobs[k].pods;
}

void store_apply_shape(struct store *store, struct target *t, const struct object_jobset *shape, int64_t at_ms) {
    apply_shape(store, t, shape->jobs, shape->job_count, at_ms);
}

/* With a startup policy the condition stays True until all Jobs are resumed and have started (jobset
 * resumeJobsIfNecessary): the spec then shows when the suspension ended, and when another began meanwhile. */
static bool is_outdated(const struct history *h, const struct transition *observed) {
    const struct transition *last = history_last(h);
    if (last && last->is_true == observed->is_true)
        last = h->count > 1 ? last - 1 : NULL;
    for (int i = 0; i + 1 < h->count; i++) /* within one second: taken already */
        if (h->items[i].is_true == observed->is_true && h->items[i].at_ms == observed->at_ms && !h->items[i].is_derived)
            return true;
    return last && observed->at_ms < last->at_ms;
}

/* The controller had obeyed the last suspension before, or it was known to a predecessor: this is another one. */
static bool is_suspended_again(const struct target *t, const struct transition *last, int64_t at_ms) {
    int64_t known_ms = t->suspended_ms != TIME_UNKNOWN     ? t->suspended_ms
                       : t->watch.known_ms != TIME_UNKNOWN ? t->watch.known_ms + OBEYED_MS
                                                           : TIME_UNKNOWN;
    return known_ms != TIME_UNKNOWN && last->is_true && known_ms >= last->at_ms && at_ms > known_ms;
}

/* What the spec wants and what the condition says; the condition's time is the better one. */
static void apply_suspend(struct store *store, struct target *t, bool is_suspended, const struct object_conditions *all,
                          bool is_first, int64_t received_ms) {
    const struct object_condition *c = object_condition_find(all, "Suspended");
    struct history *h = &t->suspended;
    bool is_as_made = is_first && h->count == 0 && !is_suspended && !(c && slice_is(c->status, "True"));
    if (c && c->at_ms != TIME_UNKNOWN && !is_as_made) {
        struct transition observed = {c->at_ms, slice_is(c->status, "True"), false, store_intern(store, c->reason),
                                      NULL};
        const struct transition *last = history_last(h);
        bool is_again = observed.is_true && last && is_suspended_again(t, last, observed.at_ms);
        if (!is_again && last && last->is_true == observed.is_true && last->is_derived &&
            last->at_ms < observed.at_ms) { /* the controller obeyed some time after */
            observed.at_ms = last->at_ms;
            observed.is_derived = true;
        }
        bool is_obeyed =
            observed.is_true && !is_again && last && last->is_true && !last->is_derived; /* known already */
        if (is_again)
            h->items[h->count - 1].is_derived = false; /* it is over */
        if (observed.is_true)
            t->suspended_ms = c->at_ms;
        if (!is_obeyed && !is_outdated(h, &observed))
            history_add(h, observed);
    }
    if (history_is_true(h) == is_suspended)
        return;
    bool is_from_start = is_first && h->count == 0;
    int64_t at_ms = is_from_start ? t->created_ms : received_ms;
    history_add(h, (struct transition){at_ms, is_suspended, !is_from_start, "", NULL});
}

static void apply_end(struct store *store, struct target *t, const struct object_conditions *all, const char *type,
                      enum ledger_outcome outcome, int64_t received_ms) {
    const struct object_condition *c = object_condition_find(all, type);
    if (c == NULL || !slice_is(c->status, "True") || t->end.at_ms != TIME_UNKNOWN)
        return;
    t->end.at_ms = c->at_ms != TIME_UNKNOWN ? c->at_ms : received_ms;
    t->end.outcome = outcome;
    t->end.reason = store_intern(store, c->reason);
    store_text(&t->end.message, c->message);
}

/* Of a kind whose fields report it. */
static void apply_outcome(struct store *store, struct target *t, const struct object_jobset *o, int64_t received_ms) {
    if (!o->has_ended || t->end.at_ms != TIME_UNKNOWN)
        return;
    t->end.at_ms = o->end_ms != TIME_UNKNOWN ? o->end_ms : received_ms;
    t->end.outcome = o->has_failed ? OUTCOME_FAILED : OUTCOME_SUCCEEDED;
    t->end.reason = store_intern(store, o->reason);
    store_text(&t->end.message, o->message);
}

static void touch_pods(struct store *store, struct target *t) {
    for (size_t i = 0; i < t->pods.count; i++)
        store_touch_pod(store, t->pods.items[i]);
}

static void target_removed(struct store *store, struct target *t, const struct object_meta *meta, int64_t received_ms) {
    if (t->end.is_deleted)
        return;
    t->end.is_deleted = true;
    t->end.removed_ms = received_ms;
    if (meta && meta->deletion_ms != TIME_UNKNOWN && meta->deletion_ms < received_ms)
        t->end.removed_ms = meta->deletion_ms;
    if (t->end.at_ms == TIME_UNKNOWN) {
        t->end.at_ms = t->end.removed_ms;
        t->end.outcome = OUTCOME_DELETED;
        t->end.reason = "Deleted";
    }
    touch_pods(store, t);
    store_touch_target(store, t);
    store_trim(store);
}

/* A list, or another object of its name, shows that it was deleted by by_ms at the latest. */
static void target_replaced(struct store *store, struct target *t, int64_t by_ms) {
    t->end.has_vanished |= !t->end.is_deleted;
    target_removed(store, t, NULL, by_ms);
}

void store_target_named(struct store *store, struct target *t) {
    char key[STORE_NAME_KEY];
    store_name_key(key, t->kind, t->namespace_, t->name);
    struct target *newest = map_get(&store->names, slice_of(key));
    if (newest && newest->created_ms <= t->created_ms)
        target_replaced(store, newest, t->created_ms);
    if (newest == NULL || newest->created_ms <= t->created_ms) {
        t->next_named = newest;
        map_put(&store->names, slice_of(key), t);
    } else {
        t->next_named = newest->next_named;
        newest->next_named = t;
    }
    t->is_named = true;
    store_touch_target(store, t);
}

/* First sight of the object itself. */
static bool target_seen(struct store *store, struct target *t, const struct object_meta *meta, int64_t received_ms) {
    if (t->is_seen)
        return false;
    t->is_seen = true;
    t->created_ms = meta->created_ms != TIME_UNKNOWN ? meta->created_ms : received_ms;
    for (int i = 0; i < t->spec.job_count; i++) /* what it makes was observed before */
        if (t->spec.jobs[i].size_count > 0)
            t->spec.jobs[i].sizes[0].at_ms = t->created_ms;
    free(t->name);
    free(t->namespace_);
    t->name = slice_dup(meta->name);
    t->namespace_ = slice_dup(meta->namespace_);
    store_target_named(store, t);
    return true;
}

/* Kueue's Workload belongs to the TrainJob, and may have been observed before the JobSet that the TrainJob makes. */
static void find_trainjob(struct store *store, struct target *t, const struct object_meta *meta) {
    if (t->kind != TARGET_JOBSET || t->trainjob != NULL || !slice_is(meta->owner_kind, kind_name(TARGET_TRAINJOB)))
        return;
    struct target *trainjob = store_target(store, TARGET_TRAINJOB, meta->owner_uid, meta->namespace_, meta->owner_name);
    if (trainjob == NULL)
        return;
    t->trainjob = trainjob;
    if (trainjob->run != NULL)
        trainjob->run->trainjob = NULL;
    trainjob->run = t;
    store_adopt_workloads(trainjob, t);
}

static struct object_before before(const struct target *t) {
    return (struct object_before){t->written_ms, max_of(t->watch.known_ms, 0)};
}

static void restart_add(struct target *t, const char *what, int64_t number, int64_t at_ms, bool is_derived,
                        struct slice message) {
    if (t->restarts.item_count == STORE_MAX_TRANSITIONS) {
        free(t->restarts.items[0].message);
        memmove(&t->restarts.items[0], &t->restarts.items[1],
                (size_t)(t->restarts.item_count - 1) * sizeof *t->restarts.items);
        t->restarts.item_count--;
        t->is_cut = true;
    }
    STORE_GROW(t->restarts.items, t->restarts.item_count, t->restarts.item_capacity);
    struct restart *r = &t->restarts.items[t->restarts.item_count++];
    *r = (struct restart){at_ms, number, what, NULL, is_derived};
    store_text(&r->message, message);
}

/* A counter that moved since the last observation, when changed_ms was the latest it can have. */
static void apply_counter(struct target *t, const char *what, int64_t *known, int64_t value,
                          const struct object_condition *c, int64_t changed_ms) {
    bool has_time = c && slice_is(c->status, "True") && c->at_ms != TIME_UNKNOWN;
    for (int i = 0; i < t->restarts.item_count && has_time; i++)
        has_time = t->restarts.items[i].at_ms < c->at_ms;
    if (value > max_of(*known, 0))
        restart_add(t, what, value, has_time ? c->at_ms : changed_ms, !has_time,
                    has_time ? c->message : (struct slice){0});
    *known = value;
}

/* Moves when something happened to the target that may explain what happened to its pods. */
static int turning_points(const struct target *t) {
    return t->restarts.item_count + t->suspended.count + (t->end.at_ms != TIME_UNKNOWN) + (t->end.is_deleted ? 1 : 0);
}

static void apply_spec(struct store *store, struct target *t, const struct object_jobset *o) {
    t->spec.queue = store_intern(store, o->meta.queue);
    t->spec.managed_by = store_intern(store, o->managed_by);
    t->spec.is_started_in_order = o->is_started_in_order;
    t->spec.left_out = o->left_out;
    t->spec.coordinator = o->coordinator_job.size_bytes > 0 ? store_intern(store, o->coordinator_job) : NULL;
    t->spec.coordinator_job_index = o->coordinator_job_index;
    t->spec.coordinator_pod_index = o->coordinator_pod_index;
}

static void apply_restarts(struct target *t, const struct object_jobset *o, int64_t changed_ms) {
    struct object_condition by_field = {.status = SLICE("True"), .at_ms = o->restarted_ms, .message = o->message};
    const struct object_condition *c =
        t->kind == TARGET_JOBSET ? object_condition_find(&o->conditions, "RestartingJobSet") : &by_field;
    apply_counter(t, "restarts", &t->restarts.count, o->restarts, c, changed_ms);
    t->restarts.executions = max_of(t->restarts.executions, o->execution_attempts);
    apply_counter(t, "jobRestarts", &t->restarts.job_restarts, o->job_restarts, NULL, changed_ms);
}

static void run_vanished(struct store *store, enum target_kind kind, struct slice namespace_, struct slice uid,
                         int64_t received_ms) {
    struct target *removed = store_find_target(store, kind, namespace_, uid);
    if (removed)
        target_replaced(store, removed, received_ms);
}

int observe_run(struct store *store, enum target_kind kind, enum observed what, struct slice namespace_,
                struct slice uid, struct slice json, int64_t received_ms) {
    struct object_jobset o;
    if (what == OBSERVED_VANISHED) {
        run_vanished(store, kind, namespace_, uid, received_ms);
        return 0;
    }
    int err = kind_row(kind)->parse(json, &o);
    if (err < 0)
        return err;
    struct target *t = store_target(store, kind, o.meta.uid, o.meta.namespace_, o.meta.name);
    if (t == NULL)
        return -EINVAL;
    t->is_restored = false;
    bool is_first = target_seen(store, t, &o.meta, received_ms);
    find_trainjob(store, t, &o.meta);
    if (kind_row(kind)->is_named_by_pods && what == OBSERVED_PRESENT && t->end.at_ms == TIME_UNKNOWN)
        store_adopt_waiting(store, t);
    int changes = turning_points(t);
    int64_t changed_ms = object_changed_ms(&o.meta, before(t), received_ms);
    t->written_ms = o.meta.written_ms;
    apply_spec(store, t, &o);
    keep_sizes(t, &o);
    apply_shape(store, t, o.jobs, o.job_count, changed_ms);
    apply_suspend(store, t, o.is_suspended, &o.conditions, is_first, changed_ms);
    apply_restarts(t, &o, changed_ms);
    apply_end(store, t, &o.conditions, "Completed", OUTCOME_SUCCEEDED, received_ms);
    apply_end(store, t, &o.conditions, "Failed", OUTCOME_FAILED, received_ms);
    apply_outcome(store, t, &o, received_ms);
    store_touch_target(store, t);
    if (turning_points(t) != changes)
        touch_pods(store, t);
    if (what == OBSERVED_DELETED)
        target_removed(store, t, &o.meta, received_ms);
    return 0;
}

/* What the pods of a Job have to know of it: its suspension, its failure, its deletion, its completed indexes. */
static bool apply_kube_job(struct store *store, struct kube_job *j, const struct object_job *o) {
    bool changed = false;
    const struct object_condition *c = object_condition_find(&o->conditions, "Suspended");
    if (c && c->at_ms != TIME_UNKNOWN)
        changed |=
            history_add(&j->suspended, (struct transition){c->at_ms, slice_is(c->status, "True"), false, "", NULL});
    static const char *const failing[] = {"FailureTarget", "Failed"};
    for (int i = 0; i < 2; i++) {
        c = object_condition_find(&o->conditions, failing[i]);
        if (c == NULL || !slice_is(c->status, "True") || c->at_ms == TIME_UNKNOWN)
            continue;
        if (j->failing_ms == TIME_UNKNOWN || c->at_ms < j->failing_ms) {
            j->failing_ms = c->at_ms;
            j->failing_reason = store_intern(store, c->reason);
            changed = true;
        }
    }
    if (o->meta.deletion_ms != TIME_UNKNOWN && j->deletion_ms == TIME_UNKNOWN) {
        j->deletion_ms = o->meta.deletion_ms - o->meta.grace_seconds * 1000;
        changed = true;
    }
    if (!slice_is(o->completed_indexes, j->completed_indexes ? j->completed_indexes : "")) {
        free(j->completed_indexes);
        j->completed_indexes = slice_dup(o->completed_indexes);
        changed = true;
    }
    j->target->jobs_version += j->created_ms != o->meta.created_ms;
    j->created_ms = o->meta.created_ms;
    j->attempt = o->meta.restart_attempt;
    j->job_index = max_of(o->meta.job_index, 0);
    return changed;
}

static void apply_job_target(struct store *store, struct target *t, const struct object_job *o, int64_t received_ms) {
    bool is_first = target_seen(store, t, &o->meta, received_ms);
    t->spec.queue = store_intern(store, o->meta.queue);
    t->spec.managed_by = store_intern(store, o->managed_by);
    int64_t changed_ms = object_changed_ms(&o->meta, before(t), received_ms);
    t->written_ms = o->meta.written_ms;
    apply_shape(store, t, &o->job, 1, changed_ms);
    apply_suspend(store, t, o->is_suspended, &o->conditions, is_first, changed_ms);
    /* Its success policy is met (KEP-3998): the controller deletes the other pods, and says Complete once they ended.
     */
    const struct object_condition *met = object_condition_find(&o->conditions, "SuccessCriteriaMet");
    if (met != NULL && slice_is(met->reason, "SuccessPolicy"))
        apply_end(store, t, &o->conditions, "SuccessCriteriaMet", OUTCOME_SUCCEEDED, received_ms);
    apply_end(store, t, &o->conditions, "Complete", OUTCOME_SUCCEEDED, received_ms);
    apply_end(store, t, &o->conditions, "Failed", OUTCOME_FAILED, received_ms);
}

void store_job_removed(struct store *store, struct kube_job *j, const struct object_meta *meta, int64_t received_ms) {
    if (j->removed_ms == TIME_UNKNOWN)
        j->removed_ms = received_ms;
    if (j->deletion_ms == TIME_UNKNOWN) {
        j->deletion_ms = received_ms;
        for (struct pod *p = j->pods; p; p = p->next_in_job)
            store_touch_pod(store, p);
    }
    if (j->target->kind == TARGET_JOB && meta == NULL)
        target_replaced(store, j->target, received_ms);
    else if (j->target->kind == TARGET_JOB)
        target_removed(store, j->target, meta, received_ms);
}

/* NULL if none made the Job. JobSet before 0.9 labels nothing with its UID, which only the Job's owner has then. */
static struct target *jobset_of_job(struct store *store, const struct object_meta *job) {
    if (slice_equal(job->jobset_uid, job->uid) || slice_equal(job->owner_uid, job->uid))
        return NULL;
    bool is_its_owner = job->owner_uid.size_bytes == 0 ||
                        (slice_is(job->owner_kind, "JobSet") && slice_equal(job->owner_uid, job->jobset_uid));
    if (job->jobset_uid.size_bytes > 0 && is_its_owner)
        return store_target(store, TARGET_JOBSET, job->jobset_uid, job->namespace_, job->jobset_name);
    struct target *itself, *t = store_owner_of_job(store, job, TARGET_JOBSET, "JobSet", &itself);
    if (t != NULL)
        store_adopt(store, itself, t);
    return t;
}

int observe_job(struct store *store, enum observed what, struct slice namespace_, struct slice uid, struct slice json,
                int64_t received_ms) {
    struct object_job o;
    if (what == OBSERVED_VANISHED) {
        struct kube_job *removed = store_find_job(store, namespace_, uid);
        if (removed)
            store_job_removed(store, removed, NULL, received_ms);
        return 0;
    }
    int err = object_job_parse(json, &o);
    if (err < 0)
        return err;
    struct kube_job *submitter = rayjob_submitter(store, &o.meta);
    if (submitter != NULL && what == OBSERVED_DELETED)
        store_job_removed(store, submitter, &o.meta, received_ms);
    if (submitter != NULL)
        return 0;
    struct target *jobset = jobset_of_job(store, &o.meta);
    bool is_part = jobset != NULL;
    struct target *t = is_part ? jobset : store_target(store, TARGET_JOB, o.meta.uid, o.meta.namespace_, o.meta.name);
    if (t == NULL || o.meta.uid.size_bytes == 0)
        return -EINVAL;
    struct kube_job *j = store_kube_job(store, t, o.meta.uid);
    store_adopt_job(store, j, t);
    bool was_watched = j->name != NULL ? !j->is_restored : o.meta.created_ms + STORE_SECOND_MS >= store->watching_ms;
    j->is_restored = false;
    if (!is_part)
        t->is_restored = false;
    bool is_first = j->name == NULL;
    if (is_first)
        j->name = slice_dup(o.meta.name);
    j->replicated_job = store_intern(store, o.meta.replicated_job);
    if (!is_part)
        apply_job_target(store, t, &o, received_ms);
    bool changed = apply_kube_job(store, j, &o);
    store_count_failed(store, j, o.failed_pods, was_watched, received_ms);
    if (changed)
        for (struct pod *p = j->pods; p; p = p->next_in_job)
            store_touch_pod(store, p);
    store_touch_target(store, t);
    if (what == OBSERVED_DELETED)
        store_job_removed(store, j, &o.meta, received_ms);
    return 0;
}
