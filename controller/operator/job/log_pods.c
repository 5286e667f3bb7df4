/* Which pods, and which container of them, write the log that is read. */
#include "base/mem.h"
#include "operator/job/job.h"

#include <stdlib.h>
#include <string.h>

static const struct replicated_job *by_name(const struct target *t, const char *name) {
    for (int i = 0; i < t->job_count; i++)
        if (strcmp(t->jobs[i].name, name) == 0)
            return &t->jobs[i];
    return NULL;
}

const struct replicated_job *job_log_replicated_job(const struct model_job *job) {
    const struct target *t = job->target;
    if (t == NULL || t->job_count == 0)
        return NULL;
    if (job->log_job[0])
        return by_name(t, job->log_job);
    if (t->coordinator)
        return by_name(t, t->coordinator);
    for (int i = 0; i < t->job_count; i++)
        if (t->jobs[i].chips > 0)
            return &t->jobs[i];
    return &t->jobs[0];
}

/* Megatron and NeMo log on the last rank. */
static bool is_last_rank(const struct model_job *job) {
    return strcmp(job->format, "Megatron") == 0 || strcmp(job->format, "NeMo") == 0;
}

static bool is_log_pod(const struct model_job *job, const struct replicated_job *r, const struct pod *p) {
    const struct target *t = job->target;
    bool is_coordinator = t->coordinator && !job->log_job[0];
    int64_t job_index = is_coordinator ? t->coordinator_job_index : is_last_rank(job) ? r->replicas - 1 : 0;
    int64_t pod_index = is_coordinator ? t->coordinator_pod_index : is_last_rank(job) ? r->pods - 1 : 0;
    if (job->log_job_index >= 0)
        job_index = job->log_job_index;
    if (job->log_completion_index >= 0)
        pod_index = job->log_completion_index;
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
    uint64_t version = t ? t->pods_version * 1000003 + t->shape_version : 0;
    if (version == job->log_pods_version)
        return;
    bool has_only_more = t && job->log_pods_version != UINT64_MAX && job->log_pods_shape == t->shape_version &&
                         t->unindexed_pods == 0; /* pods that were looked at stay where they are */
    if (!has_only_more) {
        job->log_pods_seen = 0;
        job->log_pod_count = 0;
    }
    job->log_pods_version = version;
    job->log_pods_shape = t ? t->shape_version : 0;
    const struct replicated_job *r = job_log_replicated_job(job);
    if (r == NULL || model_job_source_kind(job) == MODEL_SOURCE_NONE)
        return;
    for (size_t i = job->log_pods_seen; i < t->pod_count; i++) {
        job->model->pods_looked_at++;
        if (!is_log_pod(job, r, t->pods[i]))
            continue;
        STORE_GROW(job->log_pods, job->log_pod_count, job->log_pod_capacity);
        job->log_pods[job->log_pod_count++] = t->pods[i];
    }
    job->log_pods_seen = t->pod_count;
    if (job->log_pod_count > 1)
        qsort(job->log_pods, (size_t)job->log_pod_count, sizeof *job->log_pods, compare_pods);
}

const char *job_log_container(const struct model_job *job, const struct pod *p) {
    const char *first = p->container_count > 0 ? p->containers[0].name : "", *chips = NULL;
    bool has_default = false;
    for (int i = 0; i < p->container_count; i++) {
        if (job->container[0] && strcmp(p->containers[i].name, job->container) == 0)
            return p->containers[i].name;
        has_default |= strcmp(p->containers[i].name, p->default_container) == 0;
        if (chips == NULL && p->containers[i].chips > 0)
            chips = p->containers[i].name;
    }
    if (job->container[0])
        return "";
    return has_default ? p->default_container : chips ? chips : first;
}
