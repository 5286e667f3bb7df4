/* Which pods, and which container of them, write the log that is read. */
#include "operator/job/log_pods.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct replicated_job *by_name(const struct target *t, const char *name) {
    for (int i = 0; i < t->spec.job_count; i++)
        if (strcmp(t->spec.jobs[i].name, name) == 0)
            return &t->spec.jobs[i];
    return NULL;
}

const struct replicated_job *job_log_replicated_job(const struct model_job *job) {
    const struct target *t = job->target;
    if (t == NULL || t->spec.job_count == 0)
        return NULL;
    if (job->spec.log.replicated_job[0])
        return by_name(t, job->spec.log.replicated_job);
    if (t->spec.coordinator)
        return by_name(t, t->spec.coordinator);
    const struct replicated_job *with_chips = NULL;
    for (int i = 0; i < t->spec.job_count; i++) {
        if (t->spec.jobs[i].prints_log)
            return &t->spec.jobs[i];
        if (with_chips == NULL && t->spec.jobs[i].chips > 0)
            with_chips = &t->spec.jobs[i];
    }
    return with_chips ? with_chips : &t->spec.jobs[0];
}

/* Megatron and NeMo log on the last rank. */
static bool is_last_rank(const struct model_job *job) {
    return strcmp(job->spec.log.format, "Megatron") == 0 || strcmp(job->spec.log.format, "NeMo") == 0;
}

static bool is_log_pod(const struct model_job *job, const struct replicated_job *r, const struct pod *p) {
    const struct target *t = job->target;
    bool is_coordinator = t->spec.coordinator && !job->spec.log.replicated_job[0];
    int64_t job_index = is_coordinator ? t->spec.coordinator_job_index : is_last_rank(job) ? r->replicas - 1 : 0;
    int64_t pod_index = is_coordinator ? t->spec.coordinator_pod_index : is_last_rank(job) ? r->pods - 1 : 0;
    if (job->spec.log.job_index >= 0)
        job_index = job->spec.log.job_index;
    if (job->spec.log.completion_index >= 0)
        pod_index = job->spec.log.completion_index;
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
    uint64_t version = t ? t->pods.version : 0, shape_version = t ? t->pods.shape_version : 0;
    bool has_same_shape = job->log_pods.version != UINT64_MAX && job->log_pods.shape_version == shape_version;
    if (has_same_shape && job->log_pods.version == version)
        return;
    bool has_only_more = t && has_same_shape && t->pods.unindexed == 0; /* pods that were looked at stay in place */
    if (!has_only_more) {
        job->log_pods.pods_read = 0;
        job->log_pods.count = 0;
    }
    job->log_pods.version = version;
    job->log_pods.shape_version = shape_version;
    const struct replicated_job *r = job_log_replicated_job(job);
    if (r == NULL || job->spec.log.kind == MODEL_SOURCE_NONE)
        return;
    for (size_t i = job->log_pods.pods_read; i < t->pods.count; i++) {
        job->jobs->pods_looked_at++;
        if (!is_log_pod(job, r, t->pods.items[i]))
            continue;
        STORE_GROW(job->log_pods.items, job->log_pods.count, job->log_pods.capacity);
        job->log_pods.items[job->log_pods.count++] = t->pods.items[i];
    }
    job->log_pods.pods_read = t->pods.count;
    if (job->log_pods.count > 1)
        qsort(job->log_pods.items, (size_t)job->log_pods.count, sizeof *job->log_pods.items, compare_pods);
}

const char *job_log_container(const struct model_job *job, const struct pod *p) {
    const char *first = p->container_count > 0 ? p->containers[0].name : "", *chips = NULL;
    bool has_default = false;
    for (int i = 0; i < p->container_count; i++) {
        if (job->spec.log.container[0] && strcmp(p->containers[i].name, job->spec.log.container) == 0)
            return p->containers[i].name;
        has_default |= strcmp(p->containers[i].name, p->default_container) == 0;
        if (chips == NULL && container_has_devices(&p->containers[i]))
            chips = p->containers[i].name;
    }
    if (job->spec.log.container[0])
        return "";
    return has_default ? p->default_container : chips ? chips : first;
}
