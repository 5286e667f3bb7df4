/* Reads JobSets and Jobs. */
#include "operator/objects/jobset.h"

#include "operator/objects/selector.h"

#include <string.h>

#define TEMPLATE struct object_replicated_job
#define SET struct object_jobset
#define JOB struct object_job

static const struct jmember pod_spec[] = {
    JMEMBER_FIELD(TEMPLATE, chips, "containers", object_containers_chips_scan),
    JMEMBER_RAW(TEMPLATE, claims, "resourceClaims"),
    JMEMBER_FIELD(TEMPLATE, selects_chips, "nodeSelector", object_node_selector_scan),
    JMEMBER_FIELD(TEMPLATE, selects_chips, "affinity", object_affinity_scan),
};
static const struct jmember pod_template[] = {JMEMBER_OBJECT("spec", pod_spec)};
static const struct jmember template_spec[] = {
    JMEMBER(TEMPLATE, parallelism, "parallelism"),
    JMEMBER(TEMPLATE, completions, "completions"),
    JMEMBER_OBJECT("template", pod_template),
};
static const struct jmember job_template[] = {JMEMBER_OBJECT("spec", template_spec)};
static const struct jmember replicated_job[] = {
    JMEMBER(TEMPLATE, name, "name"),
    JMEMBER_OBJECT("template", job_template),
    JMEMBER(TEMPLATE, replicas, "replicas"),
    JMEMBER_FIELD(TEMPLATE, has_dependency, "dependsOn", object_is_filled_scan),
};

void object_jobset_add(struct object_jobset *jobset, const struct object_replicated_job *job) {
    int at = jobset->job_count - 1;
    if (jobset->job_count < OBJECT_REPLICATED_JOBS) {
        jobset->jobs[jobset->job_count++] = *job;
        return;
    }
    if (job->chips == 0) {
        jobset->left_out_idle++;
        return;
    }
    while (at >= 0 && jobset->jobs[at].chips > 0)
        at--;
    if (at < 0) {
        jobset->left_out++;
        return;
    }
    jobset->left_out_idle++;
    jobset->jobs[at] = *job;
}

static void replicated_job_scan(struct jscan *j, void *jobset) {
    struct object_replicated_job job = {.replicas = 1, .parallelism = -1, .completions = -1};
    jmembers_read(j, JMEMBERS(replicated_job), &job);
    object_jobset_add(jobset, &job);
}

static void order_scan(struct jscan *j, void *is_in_order) {
    *(bool *)is_in_order = slice_is(object_text_scan(j), "InOrder");
}

static const struct jmember startup_policy[] = {
    JMEMBER_FIELD(SET, is_started_in_order, "startupPolicyOrder", order_scan)};
static const struct jmember coordinator[] = {
    JMEMBER(SET, coordinator_job, "replicatedJob"),
    JMEMBER(SET, coordinator_job_index, "jobIndex"),
    JMEMBER(SET, coordinator_pod_index, "podIndex"),
};
static const struct jmember set_spec[] = {
    JMEMBER_ELEMENTS("replicatedJobs", replicated_job_scan),
    JMEMBER_OBJECT("startupPolicy", startup_policy),
    JMEMBER(SET, is_suspended, "suspend"),
    JMEMBER_OBJECT("coordinator", coordinator),
    JMEMBER(SET, managed_by, "managedBy"),
};

static void restarts_scan(struct jscan *j, void *sum) {
    int64_t n;
    if (jscan_int(j, &n) && n > 0 && n < 1000000)
        *(int64_t *)sum += n;
}

/* status.replicatedJobsStatus[].jobRestarts[]: restarts of single jobs. */
static void job_status_scan(struct jscan *j, void *jobset) {
    static const struct jmember rows[] = {JMEMBER_LIST(SET, job_restarts, "jobRestarts", restarts_scan)};
    jmembers_read(j, JMEMBERS(rows), jobset);
}

static const struct jmember set_status[] = {
    JMEMBER_FIELD(SET, conditions, "conditions", object_conditions_scan),
    JMEMBER(SET, restarts, "restarts"),
    JMEMBER_WITHIN(SET, execution_attempts, "executionAttempts", 0, INT32_MAX),
    JMEMBER_ELEMENTS("replicatedJobsStatus", job_status_scan),
};
static const struct jmember set_rows[] = {JMEMBER_FIELD(SET, meta, "metadata", object_meta_scan),
                                          JMEMBER_OBJECT("spec", set_spec), JMEMBER_OBJECT("status", set_status)};

int object_jobset_read(struct slice json, const struct jmember *rows, size_t count, struct object_jobset *jobset) {
    memset(jobset, 0, sizeof *jobset);
    object_meta_init(&jobset->meta);
    jobset->end_ms = jobset->restarted_ms = TIME_UNKNOWN;
    jobset->execution_attempts = -1;
    int err = object_read(json, rows, count, jobset);
    bool has_chips = jobset->left_out > 0;
    for (int i = 0; i < jobset->job_count; i++) /* which are required is decided by those with chips */
        has_chips |= jobset->jobs[i].chips > 0;
    jobset->left_out += has_chips ? 0 : jobset->left_out_idle;
    return err;
}

int object_jobset_parse(struct slice json, struct object_jobset *jobset) {
    return object_jobset_read(json, JMEMBERS(set_rows), jobset);
}

void object_jobset_end_by(struct object_jobset *jobset, const char *type) {
    const struct object_condition *c = object_condition_find(&jobset->conditions, type);
    jobset->has_ended = c && slice_is(c->status, "True");
    if (jobset->has_ended) {
        jobset->end_ms = c->at_ms;
        jobset->reason = c->reason;
        jobset->message = c->message;
    }
}

void object_template_scan(struct jscan *j, void *job) {
    jmembers_read(j, JMEMBERS(pod_template), job);
}

static const struct jmember job_spec[] = {
    JMEMBER(JOB, job.parallelism, "parallelism"),
    JMEMBER(JOB, job.completions, "completions"),
    JMEMBER_FIELD(JOB, job, "template", object_template_scan),
    JMEMBER(JOB, is_suspended, "suspend"),
    JMEMBER(JOB, managed_by, "managedBy"),
};
static const struct jmember job_status[] = {
    JMEMBER_FIELD(JOB, conditions, "conditions", object_conditions_scan),
    JMEMBER_TIME(JOB, completion_ms, "completionTime"),
    JMEMBER(JOB, failed_pods, "failed"),
    JMEMBER(JOB, completed_indexes, "completedIndexes"),
};
static const struct jmember job_rows[] = {JMEMBER_FIELD(JOB, meta, "metadata", object_meta_scan),
                                          JMEMBER_OBJECT("spec", job_spec), JMEMBER_OBJECT("status", job_status)};

int object_job_parse(struct slice json, struct object_job *job) {
    memset(job, 0, sizeof *job);
    object_meta_init(&job->meta);
    job->completion_ms = TIME_UNKNOWN;
    job->job.replicas = 1;
    job->job.parallelism = job->job.completions = -1;
    return object_read(json, JMEMBERS(job_rows), job);
}
