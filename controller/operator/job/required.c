/* What a job asks for: which slots are required, and where its log is. */
#include "operator/job/job.h"

#include <string.h>

#define MAX_SLOTS 10000000

bool job_is_managed_elsewhere(const struct model_job *job) {
    const char *by = job->target ? job->target->managed_by : "";
    return by[0] && strcmp(by, "jobset.sigs.k8s.io/jobset-controller") != 0 &&
           strcmp(by, "kubernetes.io/job-controller") != 0;
}

bool target_is_queued_by_kueue(const struct target *t) {
    return t->queue[0] || t->workloads;
}

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

size_t job_slot_count(const struct model_job *job) {
    int64_t slots = 0;
    for (int i = 0; i < job->target->job_count; i++)
        slots += job_requires(job, i) ? job->target->jobs[i].replicas * job->target->jobs[i].stride : 0;
    return slots > 0 && slots < MAX_SLOTS ? (size_t)slots : 0;
}

enum model_source_kind model_job_source_kind(const struct model_job *job) {
    static const char *const names[] = {[MODEL_SOURCE_POD_LOG] = "PodLog",
                                        [MODEL_SOURCE_FILE] = "File",
                                        [MODEL_SOURCE_CLOUD_LOGGING] = "CloudLogging",
                                        [MODEL_SOURCE_PUSH] = "Push"};
    for (int kind = MODEL_SOURCE_POD_LOG; kind <= MODEL_SOURCE_PUSH; kind++)
        if (strcmp(job->source, names[kind]) == 0)
            return (enum model_source_kind)kind;
    return MODEL_SOURCE_NONE;
}

bool job_has_source(const struct model_job *job) {
    enum model_source_kind kind = model_job_source_kind(job);
    return kind != MODEL_SOURCE_NONE && kind != MODEL_SOURCE_POD_LOG;
}

struct model_job *job_of_pod(struct model_job *job, const struct pod *p) {
    struct model_job *of = p->target->job;
    return of && (of == job || of->later == job) ? of : NULL;
}
