#include "operator/store/completed.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/objects/objects.h"

#include <stdio.h>
#include <string.h>

#define PODS_LATE_MS 2000 /* the watch of pods may be so far behind the one of Jobs */

bool store_next_completed(struct slice *rest, int64_t *low, int64_t *high) {
    if (!slice_take_uint(rest, low))
        return false;
    *high = *low;
    if (slice_take_char(rest, '-') && !slice_take_uint(rest, high))
        return false;
    return slice_take_char(rest, ',') || rest->size_bytes == 0;
}

static const struct replicated_job *spec_of(const struct kube_job *j) {
    const struct target_spec *spec = &j->target->spec;
    for (int i = 0; i < spec->job_count; i++)
        if (strcmp(spec->jobs[i].name, j->replicated_job) == 0)
            return &spec->jobs[i];
    return NULL;
}

static void add_pod(struct store *store, struct kube_job *j, int64_t index, int64_t known_ms) {
    char name[300], uid[100];
    snprintf(name, sizeof name, "%.240s-%lld", j->name ? j->name : j->target->name, (long long)index);
    snprintf(uid, sizeof uid, "%.64s/%lld", j->uid, (long long)index); /* it never had one that was observed */
    struct object_meta meta = {.name = slice_of(name),
                               .uid = slice_of(uid),
                               .replicated_job = slice_of(j->replicated_job),
                               .controller_uid = slice_of(j->uid),
                               .job_index = j->job_index,
                               .completion_index = index,
                               .created_ms = known_ms};
    struct pod *p = store_pod_new(store, j->target, &meta);
    p->bound_ms = p->seen_ms = p->ended_ms = p->removed_ms = known_ms;
    p->phase = POD_SUCCEEDED;
    p->is_deleted = true;
    store_touch_pod(store, p);
}

static void add_completed_of(struct store *store, struct kube_job *j) {
    const struct replicated_job *spec = spec_of(j);
    bool is_over = j->removed_ms != TIME_UNKNOWN || j->deletion_ms != TIME_UNKNOWN || j->failing_ms != TIME_UNKNOWN;
    /* Which slots are held by pods that a checkpoint had no room for, only its sums know. */
    if (spec == NULL || spec->pods <= 0 || is_over || j->target->past.slots != NULL)
        return;
    bool *has_pod = mem_alloc((size_t)spec->pods * sizeof *has_pod);
    for (const struct pod *p = j->pods; p; p = p->next_in_job)
        if (p->completion_index >= 0 && p->completion_index < spec->pods)
            has_pod[p->completion_index] = true;
    struct slice rest = slice_of(j->completed_indexes);
    for (int64_t low, high; store_next_completed(&rest, &low, &high);)
        for (int64_t i = low; i <= min_of(high, spec->pods - 1); i++)
            if (!has_pod[i])
                add_pod(store, j, i, j->seen_ms);
    free(has_pod);
}

void store_add_completed(struct store *store) {
    static const enum resource needed[] = {RESOURCE_JOBSET, RESOURCE_JOB, RESOURCE_POD};
    for (int i = 0; i < 3; i++)
        if (!store->is_swept[needed[i]] && !store->is_absent[needed[i]])
            return;
    for (size_t i = 0; i < store->kube_jobs.count; i++) {
        struct kube_job *j = map_at(&store->kube_jobs, i);
        bool are_pods_known = j->seen_ms != TIME_UNKNOWN && store->pods_complete_ms >= j->seen_ms + PODS_LATE_MS;
        if (j->completed_indexes && j->completed_indexes[0] != '\0' && are_pods_known)
            add_completed_of(store, j);
    }
}
