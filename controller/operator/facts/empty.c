#include "operator/facts/empty.h"

#include "base/minmax.h"
#include "operator/facts/facts.h"

#include <string.h>

#define LATE_POD_MS 5000 /* a Job makes all its pods at once: one that is so much younger has replaced another */

/* ---- when it began, for the first time or anew ---- */

/* Its first known eviction was over, or had taken the quota that was not seen to be given. */
static bool was_admitted_unseen(const struct workload *w) {
    const struct transition *evicted = &w->evicted.items[0];
    const struct transition *reserved = w->reserved.count > 0 ? &w->reserved.items[0] : NULL;
    return !evicted->is_true || (reserved && !reserved->is_true && reserved->at_ms >= evicted->at_ms);
}

/* Its count of evictions says so (later versions of Kueue only); or twice in a row it was evicted, or not any more: in
 * between it was back, or evicted, and nobody saw it. */
static bool was_evicted_unseen(const struct workload *w) {
    bool is_proved = w->unseen_evictions > 0;
    for (int i = 1; i < w->evicted.count; i++)
        is_proved |= w->evicted.items[i].is_true == w->evicted.items[i - 1].is_true;
    return is_proved;
}

/* It was evicted before the eviction that its condition still shows, and admitted again. */
static bool was_readmitted_unseen(const struct workload *w) {
    return w->evicted.items[0].is_true && was_evicted_unseen(w) && w->reserved.count > 0 &&
           w->reserved.items[0].is_true && w->reserved.items[0].at_ms < w->evicted.items[0].at_ms;
}

/* Until Kueue admitted it for the first time nothing was there; TIME_UNKNOWN unless it was never evicted since. */
static int64_t first_admitted_ms(const struct target *t) {
    int64_t at_ms = TIME_UNKNOWN;
    for (const struct workload *w = t->workloads; w; w = w->next_in_target)
        if (w->evicted.count == 0 ||
            (w->unseen_evictions <= 0 && !(was_admitted_unseen(w) || was_readmitted_unseen(w))))
            for (int i = 0; i < w->admitted.count; i++)
                if (w->admitted.items[i].is_true &&
                    !(w->evicted.count > 0 && w->evicted.items[0].at_ms < w->admitted.items[i].at_ms)) {
                    at_ms = max_of(at_ms, w->admitted.items[i].at_ms);
                    break;
                }
    return at_ms;
}

int64_t empty_begun_ms(const struct target *t) {
    return max_of(t->created_ms, first_admitted_ms(t));
}

int64_t empty_anew_ms(const struct target *t) {
    int64_t at_ms = TIME_UNKNOWN;
    const struct transition *suspended = t->suspended.count > 0 ? &t->suspended.items[0] : NULL;
    if (!target_is_queued_by_kueue(t))
        at_ms = t->resumed_unseen_ms;
    if (!target_is_queued_by_kueue(t) && suspended && suspended->is_true && suspended->at_ms < t->first_seen_ms &&
        suspended->at_ms > t->created_ms + LATE_POD_MS) /* it was not made so */
        at_ms = max_of(at_ms, suspended->at_ms);
    for (const struct workload *w = t->workloads; w; w = w->next_in_target)
        if (w->evicted.count > 0 && was_admitted_unseen(w))
            at_ms = max_of(at_ms, w->evicted.items[0].at_ms);
        else if (w->evicted.count > 0 && was_readmitted_unseen(w))
            at_ms = max_of(at_ms, w->reserved.items[0].at_ms);
    return at_ms;
}

/* ---- since when a slot was empty ---- */

/* When the Job last began to make pods before then: made, or resumed. */
static int64_t making_since_ms(const struct kube_job *j, int64_t at_ms) {
    int64_t since_ms = j->created_ms;
    for (int i = 0; i < j->suspended.count; i++)
        if (!j->suspended.items[i].is_true && j->suspended.items[i].at_ms <= at_ms)
            since_ms = max_of(since_ms, j->suspended.items[i].at_ms);
    return since_ms;
}

/* With a startup policy its condition stays True until all Jobs have started: what was resumed and suspended again
 * before that and while nobody watched does not show. Its Jobs' own conditions tell. */
static bool shows_suspension(const struct target *t) {
    return !t->is_started_in_order;
}

/* Since when its quota was reserved then; TIME_OPEN: that is not known. */
static int64_t reserved_since_ms(const struct workload *w, int64_t at_ms) {
    int64_t since_ms = TIME_OPEN;
    for (int i = 0; i < w->reserved.count && w->reserved.items[i].at_ms <= at_ms; i++)
        since_ms = w->reserved.items[i].is_true ? w->reserved.items[i].at_ms : TIME_OPEN;
    return since_ms;
}

/* It was resumed then: as far back as the suspension, or the wait for quota, is known without a gap. */
static int64_t suspended_since_ms(const struct target *t, int64_t resumed_ms) {
    int64_t since_ms = resumed_ms;
    bool is_told = shows_suspension(t) && !target_is_queued_by_kueue(t); /* Kueue tells what lay between as well */
    for (int i = 0; i + 1 < t->suspended.count && is_told; i++)
        if (t->suspended.items[i].is_true && t->suspended.items[i + 1].at_ms >= resumed_ms - LATE_POD_MS &&
            t->suspended.items[i].at_ms < resumed_ms)
            since_ms = min_of(since_ms, t->suspended.items[i].at_ms);
    for (const struct workload *w = t->workloads; w; w = w->next_in_target) {
        for (int k = 0; k < w->admitted.count; k++) {
            const struct transition *admitted = &w->admitted.items[k];
            if (admitted->is_true && admitted->at_ms <= resumed_ms + 1000 &&
                admitted->at_ms >= resumed_ms - LATE_POD_MS) /* checks and the start itself lie between */
                since_ms = min_of(since_ms, reserved_since_ms(w, admitted->at_ms));
        }
        for (int i = w->evicted.count - 1; i >= 0 && !was_evicted_unseen(w); i--)
            if (w->evicted.items[i].is_true && w->evicted.items[i].at_ms < resumed_ms) {
                since_ms = min_of(since_ms, w->evicted.items[i].at_ms); /* nothing else stops what is queued */
                break;
            }
    }
    return since_ms;
}

/* The Jobs of an attempt are made right after it was begun, and those of the one before are over then. */
static int64_t attempt_begun_ms(const struct target *t, int64_t attempt, int64_t at_ms) {
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        if (j->attempt == attempt && j->created_ms != TIME_UNKNOWN)
            at_ms = min_of(at_ms, j->created_ms);
    for (int i = 0; i < t->restart_count; i++)
        if (t->restart_list[i].number == attempt && strcmp(t->restart_list[i].what, "restarts") == 0 &&
            !t->restart_list[i].is_derived)
            at_ms = min_of(at_ms, t->restart_list[i].at_ms);
    return at_ms;
}

/* So often it had been restarted when the watch began, or began again. */
static int64_t restarts_unseen(const struct target *t, const char *what, int64_t first) {
    int64_t number = max_of(first, 0), until_ms = t->unseen.items[t->unseen.count - 1].to_ms;
    for (int i = 0; i < t->restart_count; i++)
        if (strcmp(t->restart_list[i].what, what) == 0 && t->restart_list[i].at_ms <= until_ms)
            number = max_of(number, t->restart_list[i].number);
    return number;
}

static bool has_restarted_jobs(const struct target *t) {
    return restarts_unseen(t, "jobRestarts", t->first_job_restarts) > 0;
}

static bool may_be_restarted_alone(const struct target *t, const struct kube_job *j) {
    int64_t begun_at_ms = j->attempt > 0 ? attempt_begun_ms(t, j->attempt, j->created_ms) : empty_begun_ms(t);
    return has_restarted_jobs(t) && j->created_ms > begun_at_ms + LATE_POD_MS;
}

/* The Job began to make pods then, and had made none before. */
static int64_t empty_before_ms(const struct target *t, const struct kube_job *j, int64_t since_ms) {
    if (since_ms > j->created_ms) {
        bool was_never_stopped = first_admitted_ms(t) != TIME_UNKNOWN; /* Kueue would have had to */
        return was_never_stopped ? t->created_ms : suspended_since_ms(t, since_ms);
    }
    if (may_be_restarted_alone(t, j))
        return since_ms;
    return j->attempt > 0 ? attempt_begun_ms(t, j->attempt, since_ms) : t->created_ms;
}

bool empty_knows_all_pods(const struct kube_job *j) {
    for (int i = 0; i + 1 < j->suspended.count; i++)
        if (j->suspended.items[i].is_true && j->suspended.items[i + 1].is_true)
            return false;
    for (const struct workload *w = j->target->workloads; w; w = w->next_in_target)
        if (w->unseen_evictions > 0)
            return false;
    return j->failed_pods <= j->known_lost + j->forgotten_lost;
}

int64_t empty_since_ms(const struct target *t, const struct kube_job *j, int64_t at_ms) {
    if (j == NULL || j->created_ms == TIME_UNKNOWN)
        return at_ms;
    int64_t since_ms = making_since_ms(j, at_ms + 1000);
    at_ms = fact_refused_since_ms(t->job, j, at_ms);
    return at_ms <= since_ms + LATE_POD_MS || empty_knows_all_pods(j) ? min_of(at_ms, empty_before_ms(t, j, since_ms))
                                                                      : at_ms;
}

/* Suspended, evicted, or never admitted, and so then. */
static int64_t stopped_since_ms(const struct target *t, int64_t at_ms) {
    int64_t since_ms = at_ms;
    for (int i = t->suspended.count - 1; i >= 0 && shows_suspension(t); i--) {
        if (t->suspended.items[i].at_ms > at_ms)
            continue;
        if (t->suspended.items[i].is_true)
            since_ms = min_of(since_ms, t->suspended.items[i].at_ms);
        break;
    }
    for (const struct workload *w = t->workloads; w; w = w->next_in_target) {
        bool was_admitted = w->evicted.count > 0;
        for (int i = 0; i < w->admitted.count; i++)
            was_admitted |= w->admitted.items[i].is_true && w->admitted.items[i].at_ms <= at_ms;
        if (!was_admitted)
            return t->created_ms;
        for (int i = w->evicted.count - 1; i >= 0; i--) {
            if (w->evicted.items[i].at_ms > at_ms)
                continue;
            if (w->evicted.items[i].is_true)
                since_ms = min_of(since_ms, w->evicted.items[i].at_ms);
            break;
        }
    }
    return t->queue[0] && t->workloads == NULL ? t->created_ms : since_ms;
}

static bool is_gone_by(const struct kube_job *j, int64_t at_ms) {
    bool was_missed = j->gone_ms != TIME_UNKNOWN && j->deletion_ms == j->gone_ms; /* when the watch was back */
    return j->gone_ms != TIME_UNKNOWN && j->gone_ms <= at_ms + (was_missed ? STORE_LATE_MS : 0);
}

/* The place's Job at that time; NULL if there is none. */
static const struct kube_job *job_at(const struct target *t, const char *replicated_job, int64_t index, int64_t at_ms) {
    const struct kube_job *newest = NULL;
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        if (j->job_index == index && j->created_ms != TIME_UNKNOWN && j->created_ms <= at_ms && !is_gone_by(j, at_ms) &&
            (t->kind == TARGET_JOB || strcmp(j->replicated_job, replicated_job) == 0) &&
            (newest == NULL || j->created_ms > newest->created_ms))
            newest = j;
    return newest;
}

int64_t empty_missing_since_ms(const struct target *t, const char *replicated_job, int64_t index, int64_t at_ms) {
    const struct kube_job *j = job_at(t, replicated_job, index, at_ms);
    if (t->end_ms != TIME_UNKNOWN && t->end_ms <= at_ms)
        return t->end_ms; /* it ran to its end, for all that is known */
    int64_t since_ms = stopped_since_ms(t, at_ms);
    if (j == NULL && !has_restarted_jobs(t)) { /* else it was restarted alone, perhaps */
        int64_t attempt = restarts_unseen(t, "restarts", t->first_restarts);
        return min_of(since_ms, attempt == 0 ? t->created_ms : attempt_begun_ms(t, attempt, at_ms));
    }
    if (j == NULL)
        return since_ms;
    for (int i = j->suspended.count - 1; i >= 0; i--) /* in order: its set may be resumed already */
        if (j->suspended.items[i].at_ms <= at_ms) {
            if (j->suspended.items[i].is_true)
                since_ms = min_of(since_ms, j->suspended.items[i].at_ms);
            break;
        }
    if (since_ms < at_ms)
        return since_ms;
    if (j->failing_ms != TIME_UNKNOWN && j->failing_ms <= at_ms)
        return j->failing_ms;
    if (j->deletion_ms != TIME_UNKNOWN && j->deletion_ms <= at_ms)
        return j->deletion_ms;
    return empty_since_ms(t, j, at_ms);
}

int64_t empty_first_ms(const struct target *t, const struct pod *p) {
    int64_t at_ms = empty_begun_ms(t);
    if (p && p->job && p->job->attempt <= 0 && p->job->created_ms != TIME_UNKNOWN && !has_restarted_jobs(t))
        at_ms = max_of(at_ms, p->job->created_ms);
    return at_ms;
}

/* ---- until when nothing takes a pod's place ---- */

static bool is_same_place(const struct kube_job *a, const struct kube_job *b) {
    return a->job_index == b->job_index && strcmp(a->replicated_job, b->replicated_job) == 0;
}

/* The Job that took its place, in the same attempt or in the next one; NULL if it is not known. */
static const struct kube_job *next_job(const struct target *t, const struct kube_job *old) {
    const struct kube_job *next = NULL;
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target) {
        bool is_next =
            j->attempt == old->attempt + 1 || (j->attempt == old->attempt && j->created_ms > old->created_ms);
        if (is_next && j->created_ms != TIME_UNKNOWN && is_same_place(j, old) &&
            (next == NULL || j->created_ms < next->created_ms))
            next = j;
    }
    return next;
}

bool empty_is_restarted_alone(const struct kube_job *j) {
    const struct kube_job *next = next_job(j->target, j);
    return next != NULL && next->attempt == j->attempt;
}

/* Of the Jobs that were restarted alone not each is known. */
static bool has_unknown_jobs(const struct target *t) {
    int64_t unknown = restarts_unseen(t, "jobRestarts", t->first_job_restarts) - t->forgotten_restarted;
    for (const struct kube_job *j = t->kube_jobs; j && unknown > 0; j = j->next_in_target)
        unknown -= empty_is_restarted_alone(j);
    return unknown > 0;
}

/* Kueue, which is known to have evicted it no more often than was seen, let nothing begin before then. */
static int64_t admitted_from_ms(const struct target *t, int64_t from_ms) {
    for (const struct workload *w = t->workloads; w; w = w->next_in_target) {
        for (int i = 0; i + 1 < w->evicted.count && !was_evicted_unseen(w); i++)
            if (w->evicted.items[i].is_true && !w->evicted.items[i + 1].is_true && w->evicted.items[i].at_ms <= from_ms)
                from_ms = max_of(from_ms, w->evicted.items[i + 1].at_ms);
        for (int i = 0; i + 1 < w->admitted.count && !was_evicted_unseen(w); i++)
            if (!w->admitted.items[i].is_true && w->admitted.items[i + 1].is_true &&
                w->admitted.items[i].at_ms <= from_ms)
                from_ms = max_of(from_ms, w->admitted.items[i + 1].at_ms);
    }
    return from_ms;
}

/* The Job had failed or was deleted by then: nothing takes its place before the next attempt begins. */
static int64_t replaced_from_ms(const struct target *t, const struct kube_job *old, int64_t from_ms, int64_t until_ms) {
    const struct kube_job *next;
    bool is_over = (old->failing_ms != TIME_UNKNOWN && old->failing_ms <= from_ms) ||
                   (old->deletion_ms != TIME_UNKNOWN && old->deletion_ms <= from_ms);
    if (is_over && (next = next_job(t, old)) != NULL && !has_unknown_jobs(t))
        return max_of(from_ms, min_of(until_ms, next->created_ms));
    if (has_restarted_jobs(t))
        return from_ms;
    int64_t attempt = max_of(old->attempt, 0), next_ms = TIME_OPEN;
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        if (j->attempt == attempt + 1 && j->created_ms != TIME_UNKNOWN)
            next_ms = min_of(next_ms, j->created_ms);
    for (int i = 0; i < t->restart_count; i++) {
        is_over &= t->restart_list[i].number <= attempt || !t->restart_list[i].is_derived;
        if (t->restart_list[i].number == attempt + 1)
            next_ms = min_of(next_ms, t->restart_list[i].at_ms);
    }
    bool is_last = restarts_unseen(t, "restarts", t->first_restarts) <= attempt;
    return is_over && (next_ms != TIME_OPEN || is_last) ? max_of(from_ms, min_of(until_ms, next_ms)) : from_ms;
}

int64_t empty_barred_until_ms(const struct target *t, const struct pod *before, int64_t from_ms, int64_t until_ms) {
    if (before && before->job)
        from_ms = replaced_from_ms(t, before->job, from_ms, until_ms);
    return admitted_from_ms(t, from_ms);
}
