/* The JobSet controller and the Job controller, level-triggered as the real ones. */
#include "base/mem.h"
#include "sim.h"

#include <stdio.h>
#include <string.h>

static int current(const struct sim_life *l, int group, int job_index) {
    for (int i = l->job_count - 1; i >= 0; i--)
        if (l->jobs[i].group == group && l->jobs[i].job_index == job_index)
            return i;
    return -1;
}

static bool is_old(const struct sim_life *l, const struct sim_job *j) {
    return j->attempt < l->attempt || j->job_attempt < l->job_restarts[j->group][j->job_index];
}

/* ---- the Job controller ---- */

static int new_pod(struct sim_life *l, int job, int index) {
    struct sim_job *j = &l->jobs[job];
    if (l->pod_count == l->pod_capacity) {
        l->pod_capacity = l->pod_capacity ? 2 * l->pod_capacity : 16;
        l->pods = mem_resize(l->pods, (size_t)l->pod_capacity, sizeof *l->pods);
    }
    struct sim_pod *p = &l->pods[l->pod_count];
    *p = (struct sim_pod){.group = j->group,
                          .job_index = j->job_index,
                          .index = index,
                          .job = job,
                          .node = -1,
                          .exists = true,
                          .created_ms = l->now_ms,
                          .bound_ms = NOT_YET,
                          .unschedulable_ms = NOT_YET,
                          .deletion_ms = NOT_YET,
                          .started_ms = NOT_YET,
                          .finished_ms = NOT_YET,
                          .ready_ms = NOT_YET,
                          .unready_ms = NOT_YET,
                          .disruption_ms = NOT_YET,
                          .last_finished_ms = NOT_YET,
                          .true_started_ms = NOT_YET};
    snprintf(p->name, sizeof p->name, "%s-%d-%05llu", j->name, index, (unsigned long long)l->next_name);
    snprintf(p->uid, sizeof p->uid, "pod-%llu-%llu", (unsigned long long)l->seed, (unsigned long long)l->next_name++);
    int slot = sim_slot(l, p);
    if (slot >= 0)
        l->newest[slot] = l->pod_count;
    return l->pod_count++;
}

static bool is_active(const struct sim_pod *p, int job) {
    return p->job == job && p->exists && !p->is_terminating && p->phase < 2;
}

/* Of a node that dies in the second in which its pod is asked to go, the stamps do not show which came first. */
static void delete_pod(struct sim_life *l, int pod) {
    const struct sim_pod *p = &l->pods[pod];
    if (!p->exists || p->is_terminating)
        return;
    l->truth.is_ambiguous |= p->is_bound && !p->has_finished && l->nodes[p->node].is_silent &&
                             l->nodes[p->node].renewed_ms / 1000 == l->now_ms / 1000;
    /* Nor of a container that failed in that second, which its kubelet has not reported yet. */
    l->truth.is_ambiguous |= p->has_finished && p->true_exit != 0 && p->finished_ms == NOT_YET &&
                             p->true_finished_ms / 1000 == l->now_ms / 1000;
    pod_delete(l, pod, 30);
}

/* In the second of the failure, the stamps do not show which deletion came first; where one is of a node with notice,
 * that matters. */
static void delete_pods(struct sim_life *l, int job) {
    bool is_same_second = l->now_ms / 1000 == l->truth.struck_ms / 1000 &&
                          (l->truth.struck == CAUSE_POD_DELETED || l->truth.struck == CAUSE_EVICTION);
    for (int i = 0; i < l->pod_count; i++) {
        const struct sim_pod *p = &l->pods[i];
        if (!is_active(p, job))
            continue;
        l->truth.is_ambiguous |=
            is_same_second && p->is_bound && node_cause(&l->nodes[p->node], CAUSE_POD_DELETED) != CAUSE_POD_DELETED;
        delete_pod(l, i);
    }
}

static int count_pods(const struct sim_life *l, int job) {
    int n = 0;
    for (int i = 0; i < l->pod_count; i++)
        n += l->pods[i].job == job && l->pods[i].exists;
    return n;
}

/* Of an index that the Job, since it shrank, has no more: counted nowhere. */
static bool is_one_too_many(const struct sim_life *l, const struct sim_pod *p) {
    return p->index >= l->shape.groups[p->group].pods;
}

static void count_results(struct sim_life *l, int job) {
    struct sim_job *j = &l->jobs[job];
    bool has_more = false;
    for (int i = 0; i < l->pod_count; i++) {
        struct sim_pod *p = &l->pods[i];
        bool is_done = p->phase == 2;
        bool has_failed = !is_done && (p->phase == 3 || p->is_terminating || !p->exists);
        if (p->job != job || p->was_counted || (!is_done && !has_failed))
            continue;
        p->was_counted = true;
        if (is_one_too_many(l, p))
            continue;
        if (is_done) {
            j->done[p->index] = true;
        } else if (!j->is_suspended && !j->was_suspended) {
            j->failures++;
            has_more = true;
            j->backoff_until_ms = l->now_ms + (j->failures > 1 ? 5000 * (j->failures - 1) : 1000);
        }
    }
    if (has_more)
        write_job(l, job, OBSERVED_PRESENT);
}

static bool is_complete(const struct sim_life *l, const struct sim_job *j) {
    for (int i = 0; i < l->shape.groups[j->group].pods; i++)
        if (!j->done[i])
            return false;
    return true;
}

/* A plain Job is the target itself. */
static void target_ends(struct sim_life *l, bool has_failed) {
    if (!l->shape.is_plain_job)
        return;
    l->is_finished = true;
    l->has_failed = has_failed;
    truth_finish(l);
}

static void job_ends(struct sim_life *l, int job) {
    struct sim_job *j = &l->jobs[job];
    if (j->is_failing && !j->is_failed) {
        int left = 0;
        delete_pods(l, job);
        for (int i = 0; i < l->pod_count; i++)
            left += l->pods[i].job == job && l->pods[i].exists && l->pods[i].phase < 2;
        if (left == 0) {
            j->is_failed = true;
            j->failed_ms = l->now_ms;
            target_ends(l, true);
            write_job(l, job, OBSERVED_PRESENT);
            jobset_touch(l);
        }
    } else if (!j->is_complete && is_complete(l, j)) {
        j->is_complete = true;
        j->complete_ms = l->now_ms;
        target_ends(l, false);
        write_job(l, job, OBSERVED_PRESENT);
        jobset_touch(l);
    }
}

/* The Job controller tries again after 1, 2, 4, ... 60 s. True if no pod can be made now. */
static bool is_refused(struct sim_life *l, int job) {
    struct sim_job *j = &l->jobs[job];
    if (!l->shape.has_quota_trouble || l->shape.groups[j->group].chips == 0)
        return false;
    if (l->now_ms > l->quota_free_ms + 60000 && sim_chance(l, 25)) {
        sim_print_story(l, "the quota is used up");
        l->quota_free_ms = l->now_ms + sim_pick(l, 500, 90000);
    }
    if (l->now_ms >= l->quota_free_ms) {
        j->is_refused = false;
        return false;
    }
    if (!j->is_refused) {
        j->refused_ms = l->now_ms;
        j->refusals = 0;
    }
    j->is_refused = true;
    j->refusals++;
    write_refusal(l, job);
    sim_at(l, j->refusals > 6 ? 60000 : 1000 << (j->refusals - 1), job_touch, job);
    return true;
}

/* Required pods that are missing, because they are refused. */
bool jobset_is_refused(const struct sim_life *l) {
    for (int i = 0; i < l->job_count; i++) {
        const struct sim_job *j = &l->jobs[i];
        if (j->is_refused && j->exists && !j->is_deleting && !j->is_failing && !j->is_suspended && !j->is_complete)
            return true;
    }
    return false;
}

static void job_fills(struct sim_life *l, int job) {
    struct sim_job *j = &l->jobs[job];
    if (l->now_ms < j->backoff_until_ms) {
        sim_at(l, j->backoff_until_ms - l->now_ms, job_touch, job);
        return;
    }
    for (int i = 0; i < l->pod_count; i++) /* too many, since the Job is smaller */
        if (is_active(&l->pods[i], job) && l->pods[i].index >= l->shape.groups[j->group].pods)
            delete_pod(l, i);
    for (int index = 0; index < l->shape.groups[j->group].pods; index++) {
        bool has_one = j->done[index];
        for (int i = 0; i < l->pod_count && !has_one; i++)
            has_one = l->pods[i].index == index && is_active(&l->pods[i], job);
        if (!has_one && is_refused(l, job))
            return;
        if (!has_one)
            pod_created(l, new_pod(l, job, index));
        j = &l->jobs[job];
    }
}

static void job_sync(struct sim_life *l, int job) {
    struct sim_job *j = &l->jobs[job];
    j->is_queued = false;
    if (!j->exists)
        return;
    count_results(l, job);
    if (j->is_deleting || !l->exists) {
        for (int i = 0; i < l->pod_count; i++)
            if (l->pods[i].job == job)
                delete_pod(l, i);
        if (count_pods(l, job) == 0) {
            j->exists = false;
            write_job(l, job, OBSERVED_DELETED);
            jobset_touch(l);
        }
        return;
    }
    if (j->is_complete || j->is_failed)
        return;
    if (j->wants_suspend != j->is_suspended) {
        j->is_suspended = j->wants_suspend;
        j->was_suspended = true;
        l->is_suspended_by_person &= j->wants_suspend || !l->shape.is_plain_job;
        j->suspended_ms = l->now_ms;
        j->is_refused = false;
        write_job(l, job, OBSERVED_PRESENT);
    }
    if (j->is_suspended) {
        delete_pods(l, job);
        jobset_touch(l);
        return;
    }
    if (!j->is_failing && j->failures > l->shape.backoff_limit) {
        j->is_failing = true;
        j->failing_ms = l->now_ms;
        write_job(l, job, OBSERVED_PRESENT);
    }
    if (j->is_failing || is_complete(l, j)) {
        job_ends(l, job);
        return;
    }
    j->was_suspended = false;
    job_fills(l, job);
}

void job_touch(struct sim_life *l, int job) {
    if (l->jobs[job].is_queued)
        return;
    l->jobs[job].is_queued = true;
    sim_at(l, sim_pick(l, 20, 1200), job_sync, job);
}

/* ---- the JobSet controller ---- */

static void new_job(struct sim_life *l, int group, int job_index) {
    if (l->job_count == l->job_capacity) {
        l->job_capacity = l->job_capacity ? 2 * l->job_capacity : 16;
        l->jobs = mem_resize(l->jobs, (size_t)l->job_capacity, sizeof *l->jobs);
    }
    int job = l->job_count++;
    struct sim_job *j = &l->jobs[job];
    *j = (struct sim_job){.group = group,
                          .job_index = job_index,
                          .attempt = l->attempt,
                          .job_attempt = l->job_restarts[group][job_index],
                          .exists = true,
                          .wants_suspend = l->is_suspended,
                          .created_ms = l->now_ms,
                          .deletion_ms = NOT_YET,
                          .suspended_ms = NOT_YET,
                          .failing_ms = NOT_YET,
                          .failed_ms = NOT_YET,
                          .complete_ms = NOT_YET};
    if (l->shape.is_plain_job)
        snprintf(j->name, sizeof j->name, "js");
    else
        snprintf(j->name, sizeof j->name, "js-%s-%d", l->shape.groups[group].name, job_index);
    snprintf(j->uid, sizeof j->uid, "job-%llu-%llu", (unsigned long long)l->seed, (unsigned long long)l->next_name++);
    write_job(l, job, OBSERVED_PRESENT);
    job_touch(l, job);
}

static bool group_is_ready(const struct sim_life *l, int group) {
    for (int k = 0; k < l->shape.groups[group].replicas; k++) {
        int job = current(l, group, k), ready = 0;
        if (job < 0 || is_old(l, &l->jobs[job]))
            return false;
        for (int i = 0; i < l->pod_count; i++)
            ready += l->pods[i].job == job && l->pods[i].exists && !l->pods[i].is_terminating &&
                     ((l->pods[i].ready_ms != NOT_YET && l->pods[i].unready_ms == NOT_YET) || l->pods[i].phase == 2);
        if (ready < l->shape.groups[group].pods)
            return false;
    }
    return true;
}

bool jobset_is_ready(const struct sim_life *l) {
    for (int g = 0; g < l->shape.group_count; g++)
        if (!group_is_ready(l, g))
            return false;
    return true;
}

static bool group_is_complete(const struct sim_life *l, int group) {
    for (int k = 0; k < l->shape.groups[group].replicas; k++) {
        int job = current(l, group, k);
        if (job < 0 || is_old(l, &l->jobs[job]) || !l->jobs[job].is_complete)
            return false;
    }
    return true;
}

static bool waits_for_others(const struct sim_life *l, int group) {
    return group > 0 &&
           (l->shape.has_initializer || l->shape.is_started_in_order || (l->shape.has_dependency && group == 1));
}

/* dependsOn: the first is Ready, or Complete; InOrder: all before it are Ready. */
static bool may_start(const struct sim_life *l, int group) {
    if (!waits_for_others(l, group))
        return true;
    if (l->shape.has_initializer)
        return group_is_complete(l, 0);
    for (int g = l->shape.is_started_in_order ? group - 1 : 0; g >= 0; g--)
        if (!group_is_ready(l, g))
            return false;
    return true;
}

/* With a startup policy Jobs of a suspended JobSet are made at once, suspended, and resumed in order. */
static bool may_create(const struct sim_life *l, int group) {
    return (l->shape.is_started_in_order && l->is_suspended) || may_start(l, group);
}

static bool has_old_jobs(const struct sim_life *l, int group) {
    for (int i = 0; i < l->job_count; i++)
        if (l->jobs[i].exists && is_old(l, &l->jobs[i]) && (group < 0 || l->jobs[i].group == group))
            return true;
    return false;
}

/* None of its Jobs of this attempt was made yet, or resumed, though those that it depends on were: they are not ready.
 */
static bool is_held_back(const struct sim_life *l, int group) {
    bool has_started = l->attempt == 0, is_made = false;
    if (!waits_for_others(l, group) || has_old_jobs(l, group))
        return false;
    for (int i = 0; i < l->job_count; i++) {
        const struct sim_job *j = &l->jobs[i];
        has_started |= j->attempt == l->attempt;
        is_made |= j->attempt == l->attempt && j->group == group;
    }
    for (int k = 0; k < l->shape.groups[group].replicas; k++) {
        int job = current(l, group, k);
        const struct sim_job *j = job >= 0 ? &l->jobs[job] : NULL;
        bool is_current = j && !is_old(l, j) && j->exists;
        if (is_current && !j->wants_suspend && !j->is_suspended)
            return false;
        if (is_current)
            is_made = false; /* and suspended */
        else if (j && j->exists)
            return false;
    }
    return has_started && !is_made;
}

bool jobset_waits_for_dependency(const struct sim_life *l) {
    bool is_off = l->is_suspended || (l->is_stopped && !l->shape.is_started_in_order); /* as its condition says */
    if (is_off || l->is_finished)
        return false;
    for (int g = 0; g < l->shape.group_count; g++)
        if (sim_is_required(l, g) && is_held_back(l, g))
            return true;
    return false;
}

static void set(struct sim_life *l, struct sim_condition *c, bool is_true, const char *reason) {
    if (!c->is_set || c->is_true != is_true)
        c->at_ms = l->now_ms;
    c->is_set = true;
    c->is_true = is_true;
    c->reason = reason;
}

static void end(struct sim_life *l, bool has_failed, const char *reason) {
    l->is_finished = true;
    l->has_failed = has_failed;
    set(l, has_failed ? &l->failed : &l->completed, true, reason);
    if (l->restarting.is_true)
        set(l, &l->restarting, false, has_failed ? "JobSetFailed" : "JobSetCompleted");
    truth_finish(l);
    write_jobset(l, OBSERVED_PRESENT);
    workload_finish(l);
}

void jobset_end(struct sim_life *l, bool has_failed) {
    end(l, has_failed,
        has_failed ? l->shape.max_restarts > 0 ? "ReachedMaxRestarts" : "FailedJobs" : "AllJobsCompleted");
}

static void restart(struct sim_life *l, int failed_job) {
    struct sim_job *j = &l->jobs[failed_job];
    bool has_rule = l->shape.rule != NO_RULE && (l->shape.rule_group < 0 || l->shape.rule_group == j->group);
    enum rule rule = has_rule ? l->shape.rule : l->shape.strategy == RESTART_JOB ? RESTART_ONE_JOB : RESTART_JOBSET;
    bool counts = rule != RESTART_JOBSET_AND_IGNORE && rule != RESTART_ONE_JOB_AND_IGNORE;
    if (rule == FAIL_JOBSET) {
        end(l, true, "FailJobSetFailurePolicyAction");
        return;
    }
    if (counts && l->restarts >= l->shape.max_restarts) {
        jobset_end(l, true);
        return;
    }
    l->restarts += counts;
    if (rule == RESTART_ONE_JOB || rule == RESTART_ONE_JOB_AND_IGNORE) {
        sim_print_story(l, "one Job is restarted");
        l->job_restarts[j->group][j->job_index]++;
    } else {
        sim_print_story(l, "the JobSet is restarted");
        l->attempt++;
        l->is_restarting = true;
        if (!l->restarting.is_true) /* a second restart while it is True keeps the old time */
            set(l, &l->restarting, true, has_rule ? "FailurePolicy_rule0" : "DefaultFailurePolicy");
    }
    write_jobset(l, OBSERVED_PRESENT);
    truth_opens(l);
    jobset_touch(l);
}

static void make_jobs(struct sim_life *l) {
    for (int i = 0; i < l->job_count; i++)
        if (l->jobs[i].exists && is_old(l, &l->jobs[i]) && !l->jobs[i].is_deleting) {
            l->jobs[i].is_deleting = true;
            l->jobs[i].deletion_ms = l->now_ms;
            write_job(l, i, OBSERVED_PRESENT);
            job_touch(l, i);
        }
    if (l->shape.strategy == BLOCKING_RECREATE && has_old_jobs(l, -1))
        return;
    for (int g = 0; g < l->shape.group_count; g++)
        for (int k = 0; k < l->shape.groups[g].replicas; k++) {
            int job = current(l, g, k);
            if ((job < 0 || !l->jobs[job].exists) && may_create(l, g))
                new_job(l, g, k);
        }
}

static void sync_suspension(struct sim_life *l) {
    bool wants = l->is_suspended;
    for (int i = 0; i < l->job_count; i++)
        if (l->jobs[i].exists && l->jobs[i].wants_suspend != wants && (wants || may_start(l, l->jobs[i].group))) {
            l->jobs[i].wants_suspend = wants;
            write_job(l, i, OBSERVED_PRESENT);
            job_touch(l, i);
        }
    l->is_stopped = wants;
    l->is_suspended_by_person &= wants;
    if (wants == l->suspended.is_true && (wants || l->suspended.is_set))
        return;
    if (!wants && (!l->suspended.is_set || (l->shape.is_started_in_order && !jobset_is_ready(l))))
        return; /* in order: it says so once all have started */
    set(l, &l->suspended, wants, wants ? "SuspendedJobs" : "ResumeJobs");
    if (wants && l->restarting.is_true)
        set(l, &l->restarting, false, "JobSetSuspended");
    write_jobset(l, OBSERVED_PRESENT);
}

/* True as often as one of its replicated jobs is not ready, and not only at first (jobset startup_policy.go). */
static void log_startup(struct sim_life *l) {
    bool is_ready = jobset_is_ready(l), was_ready = l->started.is_true;
    if (!l->shape.is_started_in_order || l->is_suspended || (l->starting.is_set && is_ready == was_ready))
        return;
    set(l, &l->starting, !is_ready, "StartupPolicyInProgress");
    set(l, &l->started, is_ready, "StartupPolicyCompleted");
    write_jobset(l, OBSERVED_PRESENT);
}

/* What successPolicy asks for. */
static bool is_successful(const struct sim_life *l) {
    bool is_all = true, is_any = false;
    for (int g = 0; g < l->shape.group_count; g++)
        for (int k = 0; k < l->shape.groups[g].replicas; k++) {
            int job = current(l, g, k);
            bool is_complete = job >= 0 && l->jobs[job].exists && l->jobs[job].is_complete && !is_old(l, &l->jobs[job]);
            if (l->shape.success != ALL_JOBS && !sim_is_trainer(l, g))
                continue;
            is_all &= is_complete;
            is_any |= is_complete;
        }
    return l->shape.success == ANY_TRAINER ? is_any : is_all;
}

/* A person changes parallelism and completions of the first trainer (elastic Indexed Job; gate ElasticJobSet). */
static void resize(struct sim_life *l, int arg) {
    (void)arg;
    int g = l->shape.has_initializer, old = l->shape.groups[g].pods;
    if (!l->exists || l->is_finished || l->is_suspended)
        return;
    int pods = (int)sim_pick(l, 1, l->shape.groups[g].stride);
    if (pods == old || !l->truth.was_up)
        return;
    sim_print_story(l, pods > old ? "it grows" : "it shrinks");
    l->shape.groups[g].pods = pods;
    if (pods > old && sim_is_required(l, g))
        truth_grows(l);
    if (pods < old)
        l->truth.shrunk_ms = l->now_ms;
    if (!l->shape.is_plain_job)
        write_jobset(l, OBSERVED_PRESENT);
    for (int i = 0; i < l->job_count; i++)
        if (l->jobs[i].exists && l->jobs[i].group == g) {
            write_job(l, i, OBSERVED_PRESENT);
            job_touch(l, i);
        }
}

void jobset_resize_plan(struct sim_life *l) {
    for (int i = 0; i < 3 && l->shape.is_elastic; i++)
        sim_at(l, sim_pick(l, 30000, 600000), resize, 0);
}

static void plain_job_sync(struct sim_life *l) {
    struct sim_job *j = &l->jobs[0];
    if (j->wants_suspend != l->is_suspended) {
        j->wants_suspend = l->is_suspended;
        write_job(l, 0, OBSERVED_PRESENT);
        if (l->is_suspended && !l->shape.has_kueue) {
            l->is_suspended_by_person = true;
            truth_opens(l);
        }
        sim_at(l, sim_pick(l, 20, 200), job_sync, 0);
    }
}

static void jobset_sync(struct sim_life *l, int arg) {
    (void)arg;
    l->is_queued = false;
    if (l->is_finished)
        workload_finish(l);
    if (!l->exists || l->is_finished || l->shape.is_managed_elsewhere)
        return;
    if (l->is_suspended)
        workload_stopped(l);
    if (l->shape.is_plain_job) {
        plain_job_sync(l);
        return;
    }
    sync_suspension(l);
    for (int i = 0; i < l->job_count; i++)
        if (l->jobs[i].exists && l->jobs[i].is_failed && !is_old(l, &l->jobs[i])) {
            restart(l, i);
            return;
        }
    make_jobs(l);
    log_startup(l);
    if (is_successful(l)) {
        jobset_end(l, false);
    } else if (l->restarting.is_true && jobset_is_ready(l)) {
        set(l, &l->restarting, false, "JobsReady");
        write_jobset(l, OBSERVED_PRESENT);
    }
}

void jobset_touch(struct sim_life *l) {
    if (l->is_queued || !l->exists)
        return;
    l->is_queued = true;
    sim_at(l, sim_pick(l, 20, 500), jobset_sync, 0);
}

void jobset_create(struct sim_life *l) {
    l->exists = true;
    l->is_suspended = l->shape.has_kueue;
    if (l->shape.is_plain_job)
        new_job(l, 0, 0);
    else
        write_jobset(l, OBSERVED_PRESENT);
    jobset_touch(l);
    if (l->shape.has_kueue)
        workload_create(l);
}
