/* The readers of JobSets and Jobs. */
#include "operator/objects/jobset.h"
#include "base/jscan.h"

#include <errno.h>
#include <string.h>

/* spec.containers of a pod template. */
static void pod_template_scan(struct jscan *j, int64_t *chips) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (!slice_is(key, "spec")) {
            jscan_skip(j);
            continue;
        }
        if (!jscan_object(j))
            continue;
        while (jscan_key(j, &key)) {
            if (slice_is(key, "containers"))
                *chips += object_containers_chips_scan(j);
            else
                jscan_skip(j);
        }
    }
}

static void job_spec_scan(struct jscan *j, struct object_replicated_job *job, struct object_job *whole) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "parallelism"))
            job->parallelism = object_int_scan(j, -1);
        else if (slice_is(key, "completions"))
            job->completions = object_int_scan(j, -1);
        else if (slice_is(key, "template"))
            pod_template_scan(j, &job->chips);
        else if (whole && slice_is(key, "suspend"))
            whole->is_suspended = object_bool_scan(j);
        else if (whole && slice_is(key, "managedBy"))
            whole->managed_by = object_text_scan(j);
        else
            jscan_skip(j);
    }
}

static void job_template_scan(struct jscan *j, struct object_replicated_job *job) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "spec"))
            job_spec_scan(j, job, NULL);
        else
            jscan_skip(j);
    }
}

static bool array_has_elements(struct jscan *j) {
    bool has = false;
    if (!jscan_array(j))
        return false;
    while (jscan_element(j)) {
        has = true;
        jscan_skip(j);
    }
    return has;
}

static void replicated_job_scan(struct jscan *j, struct object_replicated_job *job) {
    struct slice key;
    memset(job, 0, sizeof *job);
    job->replicas = 1;
    job->parallelism = job->completions = -1;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "name"))
            job->name = object_text_scan(j);
        else if (slice_is(key, "replicas"))
            job->replicas = object_int_scan(j, 1);
        else if (slice_is(key, "template"))
            job_template_scan(j, job);
        else if (slice_is(key, "dependsOn"))
            job->has_dependency = array_has_elements(j);
        else
            jscan_skip(j);
    }
}

/* One more than fit: which are required is decided by those with chips. */
static void put_instead(struct object_jobset *jobset, const struct object_replicated_job *job, int *without_chips) {
    int at = jobset->job_count - 1;
    if (job->chips == 0) {
        ++*without_chips;
        return;
    }
    while (at >= 0 && jobset->jobs[at].chips > 0)
        at--;
    if (at < 0) {
        jobset->left_out++;
        return;
    }
    ++*without_chips;
    jobset->jobs[at] = *job;
}

static void replicated_jobs_scan(struct jscan *j, struct object_jobset *jobset) {
    int left_out_without_chips = 0;
    if (!jscan_array(j))
        return;
    while (jscan_element(j)) {
        struct object_replicated_job spare;
        bool fits = jobset->job_count < OBJECT_REPLICATED_JOBS;
        replicated_job_scan(j, fits ? &jobset->jobs[jobset->job_count++] : &spare);
        if (!fits)
            put_instead(jobset, &spare, &left_out_without_chips);
    }
    bool has_chips = jobset->left_out > 0;
    for (int i = 0; i < jobset->job_count; i++)
        has_chips |= jobset->jobs[i].chips > 0;
    jobset->left_out += has_chips ? 0 : left_out_without_chips;
}

static void coordinator_scan(struct jscan *j, struct object_jobset *jobset) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "replicatedJob"))
            jobset->coordinator_job = object_text_scan(j);
        else if (slice_is(key, "jobIndex"))
            jobset->coordinator_job_index = object_int_scan(j, 0);
        else if (slice_is(key, "podIndex"))
            jobset->coordinator_pod_index = object_int_scan(j, 0);
        else
            jscan_skip(j);
    }
}

static bool startup_is_in_order(struct jscan *j) {
    struct slice key;
    bool in_order = false;
    if (!jscan_object(j))
        return false;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "startupPolicyOrder"))
            in_order = slice_is(object_text_scan(j), "InOrder");
        else
            jscan_skip(j);
    }
    return in_order;
}

static void jobset_spec_scan(struct jscan *j, struct object_jobset *jobset) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "replicatedJobs"))
            replicated_jobs_scan(j, jobset);
        else if (slice_is(key, "suspend"))
            jobset->is_suspended = object_bool_scan(j);
        else if (slice_is(key, "managedBy"))
            jobset->managed_by = object_text_scan(j);
        else if (slice_is(key, "coordinator"))
            coordinator_scan(j, jobset);
        else if (slice_is(key, "startupPolicy"))
            jobset->is_started_in_order = startup_is_in_order(j);
        else
            jscan_skip(j);
    }
}

/* status.replicatedJobsStatus[].jobRestarts[]: restarts of single jobs. */
static int64_t job_restarts_scan(struct jscan *j) {
    struct slice key;
    int64_t sum = 0;
    if (!jscan_array(j))
        return 0;
    while (jscan_element(j)) {
        if (!jscan_object(j))
            continue;
        while (jscan_key(j, &key)) {
            if (!slice_is(key, "jobRestarts")) {
                jscan_skip(j);
                continue;
            }
            if (jscan_array(j))
                while (jscan_element(j)) {
                    int64_t n = object_int_scan(j, 0);
                    sum += n > 0 && n < 1000000 ? n : 0;
                }
        }
    }
    return sum;
}

static void jobset_status_scan(struct jscan *j, struct object_jobset *jobset) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "conditions"))
            object_conditions_scan(j, &jobset->conditions);
        else if (slice_is(key, "restarts"))
            jobset->restarts = object_int_scan(j, 0);
        else if (slice_is(key, "replicatedJobsStatus"))
            jobset->job_restarts = job_restarts_scan(j);
        else
            jscan_skip(j);
    }
}

int object_jobset_parse(struct slice json, struct object_jobset *jobset) {
    struct jscan j;
    struct slice key;
    memset(jobset, 0, sizeof *jobset);
    object_meta_init(&jobset->meta);
    jscan_init_loose(&j, json);
    if (!jscan_object(&j))
        return -EINVAL;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "metadata"))
            object_meta_scan(&j, &jobset->meta);
        else if (slice_is(key, "spec"))
            jobset_spec_scan(&j, jobset);
        else if (slice_is(key, "status"))
            jobset_status_scan(&j, jobset);
        else
            jscan_skip(&j);
    }
    return object_finish(&j, &jobset->meta);
}

static void job_status_scan(struct jscan *j, struct object_job *job) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "conditions"))
            object_conditions_scan(j, &job->conditions);
        else if (slice_is(key, "failed"))
            job->failed_pods = object_int_scan(j, 0);
        else if (slice_is(key, "completedIndexes"))
            job->completed_indexes = object_text_scan(j);
        else if (slice_is(key, "completionTime"))
            job->completion_ms = object_time_scan(j);
        else
            jscan_skip(j);
    }
}

int object_job_parse(struct slice json, struct object_job *job) {
    struct jscan j;
    struct slice key;
    memset(job, 0, sizeof *job);
    object_meta_init(&job->meta);
    job->completion_ms = TIME_UNKNOWN;
    job->job.replicas = 1;
    job->job.parallelism = job->job.completions = -1;
    jscan_init_loose(&j, json);
    if (!jscan_object(&j))
        return -EINVAL;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "metadata"))
            object_meta_scan(&j, &job->meta);
        else if (slice_is(key, "spec"))
            job_spec_scan(&j, &job->job, job);
        else if (slice_is(key, "status"))
            job_status_scan(&j, job);
        else
            jscan_skip(&j);
    }
    return object_finish(&j, &job->meta);
}
