#include "operator/job/required.h"
#include "operator/job/log_pods.h"

#include <string.h>

#define MAX_SLOTS 10000000

bool job_is_managed_elsewhere(const struct model_job *job) {
    const struct target *t = job->target;
    return t && t->spec.managed_by[0] && strcmp(t->spec.managed_by, kind_row(t->kind)->controller) != 0;
}

bool target_is_queued_by_kueue(const struct target *t) {
    return t->spec.queue[0] || t->workloads;
}

bool job_requires(const struct model_job *job, int index) {
    const struct target *t = job->target;
    const struct replicated_job *r = &t->spec.jobs[index];
    bool has_chips = false;
    struct slice names = slice_of(job->spec.required), name;
    if (names.size_bytes > 0) {
        while (slice_take_until(&names, '\n', &name))
            if (slice_is(name, r->name))
                return true;
        return false;
    }
    if (r->is_helper)
        return false;
    for (int i = 0; i < t->spec.job_count; i++)
        has_chips |= t->spec.jobs[i].chips > 0 || t->spec.jobs[i].has_node_chips;
    return !has_chips || r->chips > 0 || r->has_node_chips ||
           (job->spec.options.has_log && r == job_log_replicated_job(job));
}

int64_t job_slot(const struct model_job *job, const struct pod *p) {
    const struct target *t = job->target;
    int64_t base = 0;
    for (int i = 0; i < t->spec.job_count; i++) {
        const struct replicated_job *r = &t->spec.jobs[i];
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

size_t job_slot_count(const struct model_job *job) {
    int64_t slots = 0;
    for (int i = 0; i < job->target->spec.job_count; i++)
        slots += job_requires(job, i) ? job->target->spec.jobs[i].replicas * job->target->spec.jobs[i].stride : 0;
    return slots > 0 && slots < MAX_SLOTS ? (size_t)slots : 0;
}
