/* The Job controller reports refused pods in FailedCreate Events of the Job, and retries at least once a minute. */
#include "operator/facts/refusal.h"
#include "base/minmax.h"
#include "operator/facts/causes.h"

#include <string.h>

/* The Job has a pod for each index: the refusal has ended, even if no creation was observed. */
static bool is_complete(const struct model_job *job, const struct kube_job *j, int64_t *last_ms) {
    const struct target *t = job->target;
    int64_t required = 0, present = 0;
    *last_ms = TIME_UNKNOWN;
    for (int i = 0; i < t->spec.job_count; i++)
        if (t->kind == TARGET_JOB || strcmp(t->spec.jobs[i].name, j->replicated_job) == 0)
            required = t->spec.jobs[i].pods;
    for (const struct pod *p = j->pods; p; p = p->next_in_job) {
        present += !p->is_deleted && p->deletion_ms == TIME_UNKNOWN;
        *last_ms = max_of(*last_ms, p->created_ms);
    }
    return present >= required;
}

/* A refusal ends with the first pod that is created after it: the Job creates all missing pods at once. */
static int64_t refused_until_ms(const struct model_job *job, const struct kube_job *j, const struct refusal *r) {
    int64_t until_ms = j->deletion_ms == TIME_UNKNOWN ? TIME_OPEN : j->deletion_ms, made_ms;
    if (j->failing_ms != TIME_UNKNOWN)
        until_ms = min_of(until_ms, max_of(j->failing_ms, r->from_ms));
    for (int i = 0; i < j->suspended.count; i++)
        if (j->suspended.items[i].is_true && j->suspended.items[i].at_ms >= r->last_ms)
            until_ms = min_of(until_ms, j->suspended.items[i].at_ms);
    for (const struct pod *p = j->pods; p; p = p->next_in_job)
        if (p->created_ms > r->last_ms)
            until_ms = min_of(until_ms, p->created_ms);
    if (until_ms == TIME_OPEN && is_complete(job, j, &made_ms)) /* created within the second of the last refusal */
        until_ms = max_of(made_ms, r->from_ms);
    return until_ms;
}

void fact_add_refusals(struct model_job *job, struct sink *sink) {
    const struct target *t = job->target;
    const struct map *refusals = &job->store->refusals;
    for (const struct kube_job *j = t->kube_jobs; j && refusals->count > 0; j = j->next_in_target) {
        const struct refusals *all = map_get(refusals, slice_of(j->uid));
        for (int i = 0; all && j->name && i < all->count; i++) {
            const struct refusal *r = &all->items[i];
            struct cause_facts f = {.object = "Job",
                                    .shows = "FailedCreate",
                                    .reason = r->is_quota ? "Quota" : "",
                                    .name = j->name,
                                    .message = all->message};
            struct ledger_hold hold = {.key = sink_key(f.shows, j->uid, r->from_ms),
                                       .from_ms = r->from_ms,
                                       .to_ms = refused_until_ms(job, j, r),
                                       .basis = BASIS_OBSERVED};
            if (cause_fill_hold(&f, &hold))
                sink_hold_pieces(&j->suspended, hold, sink);
        }
    }
}

static bool is_job_of(const struct target *t, const struct kube_job *j, const char *replicated_job, int64_t job_index) {
    return t->kind == TARGET_JOB || (strcmp(j->replicated_job, replicated_job) == 0 && j->job_index == job_index);
}

const char *fact_refusal_now(const struct model_job *job, const char *replicated_job, int64_t job_index) {
    const struct target *t = job->target;
    for (const struct kube_job *j = t->kube_jobs; j && job->store->refusals.count > 0; j = j->next_in_target) {
        bool is_its = is_job_of(t, j, replicated_job, job_index);
        const struct refusals *all = is_its ? map_get(&job->store->refusals, slice_of(j->uid)) : NULL;
        if (all && all->count > 0 && refused_until_ms(job, j, &all->items[all->count - 1]) == TIME_OPEN)
            return all->message;
    }
    return NULL;
}
