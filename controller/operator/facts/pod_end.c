#include "operator/facts/pod_end.h"
#include "base/minmax.h"
#include "operator/facts/facts.h"
#include "operator/store/completed.h"

#include <string.h>

const struct instance *fact_failed_instance(const struct pod *p, const char **name) {
    const struct instance *first = NULL;
    if (p->restarts_in_place && p->phase != POD_FAILED)
        return NULL;
    for (int i = 0; i < p->container_count; i++) {
        const struct instance *now = container_now(&p->containers[i]);
        if (now->exit_code <= 0 || now->finished_ms == TIME_UNKNOWN || !pod_is_training_container(p, i))
            continue;
        if (first == NULL || instance_finished_ms(now) < instance_finished_ms(first)) {
            first = now;
            *name = p->containers[i].name;
        }
    }
    return first;
}

const struct pod_events *fact_pod_events(const struct pod *p) {
    return p->target->job ? map_get(&p->target->job->store->events, slice_of(pod_uid(p))) : NULL;
}

int64_t fact_pod_asked_ms(const struct pod *p) {
    const struct pod_events *e = fact_pod_events(p);
    int64_t at_ms = TIME_OPEN;
    if (p->deletion_ms != TIME_UNKNOWN)
        at_ms = min_of(at_ms, p->deletion_ms);
    if (pod_trouble(p)->disruption_ms != TIME_UNKNOWN)
        at_ms = min_of(at_ms, pod_trouble(p)->disruption_ms);
    if (e && e->evicted_ms != TIME_UNKNOWN)
        at_ms = min_of(at_ms, e->evicted_ms);
    return at_ms;
}

int64_t fact_pod_failed_ms(const struct pod *p) {
    const char *name;
    const struct instance *failed = fact_failed_instance(p, &name);
    int64_t asked_ms = fact_pod_asked_ms(p);
    if (failed && p->restarts_in_place && p->was_asked_first) /* it held its slot during back-off */
        return max_of(instance_finished_ms(failed), asked_ms);
    if (failed)
        return instance_finished_ms(failed);
    return p->phase == POD_FAILED ? pod_ended_ms(p) : TIME_OPEN;
}

int64_t fact_pod_over_ms(const struct pod *p) {
    int64_t over_ms = pod_ended_ms(p);
    if (p->removed_ms != TIME_UNKNOWN)
        over_ms = over_ms == TIME_UNKNOWN ? p->removed_ms : min_of(over_ms, p->removed_ms);
    return over_ms == TIME_UNKNOWN ? TIME_OPEN : over_ms;
}

static bool has_completed_index(const struct pod *p) {
    struct slice rest = slice_of(p->job ? p->job->completed_indexes : NULL);
    int64_t low, high;
    while (p->completion_index >= 0 && store_next_completed(&rest, &low, &high))
        if (p->completion_index >= low && p->completion_index <= high)
            return true;
    return false;
}

/* A trainer that handles SIGTERM exits with 0 as well: that is not a completion. Within one second, the order of
 * observation decides. If both were observed together, the request was first. */
static bool was_asked_before_its_end(const struct pod *p, int64_t ended_ms) {
    int64_t asked_ms = fact_pod_asked_ms(p);
    if (asked_ms == TIME_OPEN || asked_ms / 1000 != ended_ms / 1000 || asked_ms != p->deletion_ms)
        return asked_ms < ended_ms;
    for (int i = 0; i < p->container_count; i++) {
        const struct instance *now = container_now(&p->containers[i]);
        if (now->finished_ms != TIME_UNKNOWN && now->end_order == END_SEEN_FIRST)
            return false;
    }
    return true;
}

/* Another pod took over the index, and so only that pod can complete it. */
static bool has_successor(const struct pod *p) {
    for (const struct pod *other = p->job ? p->job->pods : NULL; other; other = other->next_in_job)
        if (other->completion_index == p->completion_index && other->created_ms > p->created_ms)
            return true;
    return false;
}

/* The pod's Job had already failed, or was being deleted, when the pod ended. The Job controller lists such an index in
 * completedIndexes as well, next to FailureTarget, but the next Job runs the index again. */
static bool is_completion_void(const struct pod *p, int64_t ended_ms) {
    int64_t failing_ms = p->job->failing_ms, deletion_ms = p->job->deletion_ms;
    return (failing_ms != TIME_UNKNOWN && failing_ms / 1000 <= ended_ms / 1000) ||
           (deletion_ms != TIME_UNKNOWN && deletion_ms / 1000 <= ended_ms / 1000);
}

int64_t fact_pod_done_ms(const struct pod *p) {
    if (p->phase != POD_SUCCEEDED)
        return TIME_UNKNOWN;
    int64_t ended_ms = pod_ended_ms(p);
    bool is_done = !was_asked_before_its_end(p, ended_ms) ||
                   (has_completed_index(p) && !is_completion_void(p, ended_ms) && !has_successor(p));
    return is_done ? ended_ms : TIME_UNKNOWN;
}

/* When the replicated job, after its size from `from` on excluded the index, required it again; TIME_OPEN: not yet. */
static int64_t required_again_ms(const struct replicated_job *r, int from, int64_t index) {
    for (int k = from; k < r->size_count; k++)
        if (r->sizes[k].slots / r->replicas > index)
            return r->sizes[k].at_ms;
    return TIME_OPEN;
}

int64_t fact_pod_surplus_ms(const struct pod *p) {
    const struct target *t = p->target;
    int64_t deleted_ms = p->deletion_ms != TIME_UNKNOWN ? p->deletion_ms : p->is_deleted ? p->removed_ms : TIME_OPEN;
    for (int i = 0; i < t->spec.job_count; i++) {
        const struct replicated_job *r = &t->spec.jobs[i];
        if (r->size_count < 2 || r->replicas == 0 || strcmp(r->name, p->replicated_job) != 0)
            continue;
        for (int k = 1; k < r->size_count; k++)
            if (r->sizes[k].at_ms > p->created_ms && r->sizes[k].slots / r->replicas <= p->completion_index &&
                deleted_ms <= required_again_ms(r, k, p->completion_index))
                return r->sizes[k].at_ms;
    }
    return TIME_OPEN;
}
