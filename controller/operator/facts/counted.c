/* Interruptions that only counters report: their number is known, their time is not. Each counter adds the difference
 * between its value and the interruptions that are known one by one. */
#include "operator/facts/counted.h"
#include "base/map.h"
#include "base/minmax.h"

#include <stdio.h>
#include <string.h>

static bool is_same_place(const struct kube_job *a, const struct kube_job *b) {
    return a->job_index == b->job_index && strcmp(a->replicated_job, b->replicated_job) == 0;
}

bool fact_is_restarted_alone(const struct kube_job *one) {
    for (const struct kube_job *j = one->target->kube_jobs; j; j = j->next_in_target)
        if (j != one && j->attempt == one->attempt && j->created_ms != TIME_UNKNOWN && is_same_place(j, one))
            return one->created_ms != TIME_UNKNOWN;
    return false;
}

static bool is_unwatched(const struct model_job *job, int64_t at_ms) {
    for (int i = 0; i < job->facts.unwatched.count; i++)
        if (at_ms > job->facts.unwatched.items[i].from_ms && at_ms <= job->facts.unwatched.items[i].to_ms)
            return true;
    return false;
}

/* The JobSet controller creates the Jobs of the new attempt right after the restart: their creation gives the time even
 * if the restart was not observed. */
int64_t fact_restarted_ms(const struct model_job *job, const struct restart *r) {
    const struct target *t = job->target;
    int64_t at_ms = r->is_derived && is_unwatched(job, r->at_ms) ? TIME_OPEN : r->at_ms;
    for (const struct kube_job *j = t->kube_jobs; r->is_derived && j && strcmp(r->what, "restarts") == 0;
         j = j->next_in_target)
        if (j->attempt == r->number && j->created_ms != TIME_UNKNOWN)
            at_ms = min_of(at_ms, j->created_ms);
    return at_ms;
}

bool fact_is_restart_known(const struct model_job *job, const struct restart *r) {
    int64_t at_ms = fact_restarted_ms(job, r);
    return at_ms != TIME_OPEN && (!is_unwatched(job, at_ms) || job->target->pods.first_created_ms < at_ms);
}

bool fact_is_restart_watched(const struct model_job *job, const struct restart *r) {
    return !is_unwatched(job, fact_restarted_ms(job, r));
}

/* Number of Jobs that were replaced by another Job of the same replicated job, index and attempt. */
static int64_t restarted_alone(const struct target *t) {
    struct map places;
    int64_t count = 0;
    map_init(&places, NULL);
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target) {
        char key[300];
        if (j->created_ms == TIME_UNKNOWN)
            continue;
        snprintf(key, sizeof key, "%lld/%lld/%.253s", (long long)j->attempt, (long long)j->job_index,
                 j->replicated_job);
        if (map_get(&places, slice_of(key)))
            count++;
        else
            map_put(&places, slice_of(key), (void *)j);
    }
    map_done(&places);
    return count;
}

static int64_t restarts(struct model_job *job) {
    const struct target *t = job->target;
    int64_t more = max_of(t->restarts.count, 0), jobs = max_of(t->restarts.job_restarts, 0) - t->forgotten_restarted;
    if (jobs > 0 && job->facts.jobs_version != t->jobs_version) {
        job->facts.jobs_restarted = restarted_alone(t);
        job->facts.jobs_version = t->jobs_version;
    }
    for (int i = 0; i < t->restarts.item_count; i++)
        if (strcmp(t->restarts.items[i].what, "restarts") == 0)
            more -= fact_is_restart_known(job, &t->restarts.items[i]);
    return max_of(more, 0) + (jobs > 0 ? max_of(jobs - job->facts.jobs_restarted, 0) : 0);
}

/* Failures of one Job: all of its pods may have failed in one interruption. */
static int64_t failures(const struct target *t, const struct kube_job *j) {
    int64_t more = min_of(j->failed_pods - j->lost_pods, j->failed_unwatched), pods = 1;
    for (int i = 0; i < t->spec.job_count; i++)
        if (t->kind == TARGET_JOB || strcmp(t->spec.jobs[i].name, j->replicated_job) == 0)
            pods = max_of(t->spec.jobs[i].pods, 1);
    return more > 0 && !t->is_partial && j->failing_ms == TIME_UNKNOWN ? (more + pods - 1) / pods : 0;
}

static int64_t evictions(const struct workload *w) {
    int64_t more = w->evictions;
    for (int i = 0; i < w->evicted.count; i++)
        more -= w->evicted.items[i].is_true;
    return max_of(more, 0);
}

/* JobSet counts each restart and each resumption after the first (KEP-1282, keps/1282-execution-attempts): what its
 * restarts and the suspensions that were observed leave are suspensions that were not. A suspension from the start
 * interrupts nothing. */
static int64_t suspensions(const struct target *t) {
    int64_t more = t->restarts.executions - max_of(t->restarts.count, 0);
    if (t->restarts.executions < 0 || t->is_cut)
        return 0;
    for (int i = 0; i < t->suspended.count; i++)
        more -= t->suspended.items[i].is_true && t->suspended.items[i].at_ms >= t->created_ms + STORE_SOON_MS;
    return max_of(more, 0);
}

void fact_count(struct model_job *job) {
    const struct target *t = job->target;
    job->facts.interruptions = restarts(job);
    job->facts.evictions = 0;
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        job->facts.interruptions += failures(t, j);
    for (const struct workload *w = t->workloads; w; w = w->next_in_target)
        job->facts.evictions += evictions(w);
    job->facts.interruptions += max_of(suspensions(t) - job->facts.evictions, 0);
}
