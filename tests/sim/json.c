/* The objects as the API server sends them: labels, annotations, owners, conditions and times as the real controllers
 * write them (REAL-CLUSTER.md section 4), times in whole seconds. */
#include "base/rfc3339.h"
#include "sim.h"

#include <stdio.h>
#include <string.h>

static void put_condition(struct buf *b, const char *type, const char *status, const char *reason, int64_t at_ms) {
    buf_format(
        b, "%s{\"type\":\"%s\",\"status\":\"%s\",\"reason\":\"%s\",\"message\":\"%s\",\"lastTransitionTime\":\"%s\"}",
        b->data[b->size_bytes - 1] == '[' ? "" : ",", type, status, reason, reason, sim_stamp(at_ms));
}

static void put(struct buf *b, const char *type, const struct sim_condition *c) {
    if (c->is_set)
        put_condition(b, type, c->is_true ? "True" : "False", c->reason, c->at_ms);
}

static void put_managed(struct buf *b, const struct sim_life *l, const char *manager) {
    buf_format(
        b,
        ",\"managedFields\":[{\"manager\":\"%s\",\"operation\":\"Update\",\"apiVersion\":\"v1\",\"time\":\"%s\","
        "\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:status\":{\"f:conditions\":{}}},\"subresource\":\"status\"}]",
        manager, sim_stamp(l->now_ms));
}

static void put_template(struct buf *b, const struct sim_life *l, int group) {
    buf_format(
        b,
        "\"template\":{\"spec\":{\"restartPolicy\":\"%s\",\"containers\":[{\"name\":\"train\",\"image\":\"train:v1\"",
        l->shape.restarts_in_place ? "OnFailure" : "Never");
    if (l->shape.groups[group].chips > 0)
        buf_format(b, ",\"resources\":{\"limits\":{\"google.com/tpu\":\"%d\"}}", l->shape.groups[group].chips);
    buf_append_text(b, "}]}}");
}

static void put_queue_label(struct buf *b, const struct sim_life *l) {
    if (l->shape.has_kueue)
        buf_append_text(b, ",\"labels\":{\"kueue.x-k8s.io/queue-name\":\"tpu-queue\"}");
}

/* What the JobSet controller does when one of its Jobs fails, what it needs to be complete, in which order it starts.
 */
static void put_policies(struct buf *b, const struct sim_life *l) {
    static const char *const actions[] = {"",
                                          "FailJobSet",
                                          "RestartJobSet",
                                          "RestartJobSetAndIgnoreMaxRestarts",
                                          "RestartJob",
                                          "RestartJobAndIgnoreMaxRestarts"};
    const struct sim_shape *s = &l->shape;
    enum rule rule = s->rule != NO_RULE ? s->rule : s->strategy == RESTART_JOB ? RESTART_ONE_JOB : NO_RULE;
    buf_format(b, "\"failurePolicy\":{\"maxRestarts\":%d,\"restartStrategy\":\"%s\"", s->max_restarts,
               s->strategy == BLOCKING_RECREATE ? "BlockingRecreate" : "Recreate");
    if (rule != NO_RULE)
        buf_format(b,
                   ",\"rules\":[{\"name\":\"rule0\",\"action\":\"%s\",\"onJobFailureReasons\":["
                   "\"BackoffLimitExceeded\"],\"targetReplicatedJobs\":[%s%s%s]}]",
                   actions[rule], s->rule_group >= 0 ? "\"" : "",
                   s->rule_group >= 0 ? s->groups[s->rule_group].name : "", s->rule_group >= 0 ? "\"" : "");
    buf_append_text(b, "},");
    if (s->success != ALL_JOBS)
        buf_format(b, "\"successPolicy\":{\"operator\":\"%s\",\"targetReplicatedJobs\":[\"slice0\",\"slice1\"]},",
                   s->success == ANY_TRAINER ? "Any" : "All");
    if (s->is_started_in_order)
        buf_append_text(b, "\"startupPolicy\":{\"startupPolicyOrder\":\"InOrder\"},");
    if (s->is_managed_elsewhere)
        buf_append_text(b, "\"managedBy\":\"kueue.x-k8s.io/multikueue\",");
}

void write_jobset(struct sim_life *l, enum observed what) {
    struct buf b;
    char uid[48];
    if (l->shape.is_plain_job) {
        write_job(l, 0, what);
        return;
    }
    snprintf(uid, sizeof uid, "js-%llu", (unsigned long long)l->seed);
    buf_init(&b, 1 << 20);
    buf_format(&b,
               "{\"apiVersion\":\"jobset.x-k8s.io/v1alpha2\",\"kind\":\"JobSet\",\"metadata\":{\"namespace\":\"ns\","
               "\"name\":\"js\",\"uid\":\"%s\",\"creationTimestamp\":\"%s\"",
               uid, sim_stamp(l->start_ms));
    put_queue_label(&b, l);
    put_managed(&b, l, "jobset");
    buf_format(&b, "},\"spec\":{\"suspend\":%s,", l->is_suspended ? "true" : "false");
    put_policies(&b, l);
    buf_append_text(&b, "\"replicatedJobs\":[");
    for (int g = 0; g < l->shape.group_count; g++) {
        buf_format(&b, "%s{\"name\":\"%s\",\"replicas\":%d,", g ? "," : "", l->shape.groups[g].name,
                   l->shape.groups[g].replicas);
        if ((l->shape.has_dependency && g == 1) || (l->shape.has_initializer && g > 0))
            buf_format(&b, "\"dependsOn\":[{\"name\":\"%s\",\"status\":\"%s\"}],", l->shape.groups[0].name,
                       l->shape.has_initializer ? "Complete" : "Ready");
        buf_format(&b, "\"template\":{\"spec\":{\"backoffLimit\":%d,\"parallelism\":%d,\"completions\":%d,",
                   l->shape.backoff_limit, l->shape.groups[g].pods, l->shape.groups[g].pods);
        put_template(&b, l, g);
        buf_append_text(&b, "}}}");
    }
    buf_append_text(&b, "]},\"status\":{\"conditions\":[");
    put(&b, "Suspended", &l->suspended);
    put(&b, "RestartingJobSet", &l->restarting);
    put(&b, "StartupPolicyInProgress", &l->starting);
    put(&b, "StartupPolicyCompleted", &l->started);
    put(&b, "Completed", &l->completed);
    put(&b, "Failed", &l->failed);
    buf_format(&b, "],\"restarts\":%d,\"restartsCountTowardsMax\":%d,\"replicatedJobsStatus\":[", l->attempt,
               l->restarts);
    for (int g = 0; g < l->shape.group_count; g++) {
        buf_format(&b, "%s{\"name\":\"%s\",\"jobRestarts\":[", g ? "," : "", l->shape.groups[g].name);
        for (int k = 0; k < l->shape.groups[g].replicas; k++)
            buf_format(&b, "%s%d", k ? "," : "", l->job_restarts[g][k]);
        buf_append_text(&b, "]}");
    }
    buf_append_text(&b, "]}}");
    sim_keep(l, RESOURCE_JOBSET, what, uid, "js", &b);
}

static void put_jobset_labels(struct buf *b, const struct sim_life *l, int group, int job_index, int attempt) {
    buf_format(b,
               "\"jobset.sigs.k8s.io/jobset-name\":\"js\",\"jobset.sigs.k8s.io/jobset-uid\":\"js-%llu\","
               "\"jobset.sigs.k8s.io/replicatedjob-name\":\"%s\",\"jobset.sigs.k8s.io/job-index\":\"%d\","
               "\"jobset.sigs.k8s.io/restart-attempt\":\"%d\",",
               (unsigned long long)l->seed, l->shape.groups[group].name, job_index, attempt);
}

static void put_completed(struct buf *b, const struct sim_life *l, const struct sim_job *j) {
    const char *comma = "";
    buf_append_text(b, "],\"completedIndexes\":\"");
    for (int i = 0; i < l->shape.groups[j->group].pods; i++)
        if (j->done[i]) {
            buf_format(b, "%s%d", comma, i);
            comma = ",";
        }
    buf_append_text(b, "\"");
}

void write_job(struct sim_life *l, int job, enum observed what) {
    struct buf b;
    const struct sim_job *j = &l->jobs[job];
    buf_init(&b, 1 << 20);
    buf_format(
        &b,
        "{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\",\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":"
        "\"%s\",\"creationTimestamp\":\"%s\"",
        j->name, j->uid, sim_stamp(j->created_ms));
    if (j->deletion_ms != NOT_YET)
        buf_format(&b, ",\"deletionTimestamp\":\"%s\",\"deletionGracePeriodSeconds\":0", sim_stamp(j->deletion_ms));
    if (l->shape.is_plain_job) {
        put_queue_label(&b, l);
    } else {
        buf_append_text(&b, ",\"labels\":{");
        put_jobset_labels(&b, l, j->group, j->job_index, j->attempt);
        buf_format(&b,
                   "\"batch.kubernetes.io/"
                   "job-name\":\"%s\"},\"ownerReferences\":[{\"kind\":\"JobSet\",\"name\":\"js\",\"uid\":\"js-%llu\","
                   "\"controller\":true}]",
                   j->name, (unsigned long long)l->seed);
    }
    put_managed(&b, l, "kube-controller-manager");
    int pods = l->shape.groups[j->group].pods;
    buf_format(&b,
               "},\"spec\":{\"suspend\":%s,\"completionMode\":\"Indexed\",\"parallelism\":%d,\"completions\":%d,"
               "\"backoffLimit\":%d,",
               j->wants_suspend ? "true" : "false", pods, pods, l->shape.backoff_limit);
    put_template(&b, l, j->group);
    buf_append_text(&b, "},\"status\":{\"conditions\":[");
    if (j->suspended_ms != NOT_YET)
        put_condition(&b, "Suspended", j->is_suspended ? "True" : "False",
                      j->is_suspended ? "JobSuspended" : "JobResumed", j->suspended_ms);
    if (j->failing_ms != NOT_YET)
        put_condition(&b, "FailureTarget", "True", "BackoffLimitExceeded", j->failing_ms);
    if (j->failed_ms != NOT_YET)
        put_condition(&b, "Failed", "True", "BackoffLimitExceeded", j->failed_ms);
    if (j->complete_ms != NOT_YET)
        put_condition(&b, "Complete", "True", "CompletionsReached", j->complete_ms);
    put_completed(&b, l, j);
    buf_format(&b, ",\"failed\":%d", j->failures);
    buf_append_text(&b, "}}");
    sim_keep(l, RESOURCE_JOB, what, j->uid, j->name, &b);
}

static void put_container(struct buf *b, const struct sim_pod *p) {
    buf_format(b, "],\"containerStatuses\":[{\"name\":\"train\",\"restartCount\":%d,\"state\":", p->restart_count);
    if (p->finished_ms != NOT_YET)
        buf_format(b, "{\"terminated\":{\"exitCode\":%d,\"reason\":\"%s\",\"startedAt\":\"%s\",\"finishedAt\":\"%s\"}}",
                   p->exit_code, p->exit_reason, sim_stamp(p->started_ms == NOT_YET ? p->finished_ms : p->started_ms),
                   sim_stamp(p->finished_ms));
    else if (p->started_ms != NOT_YET)
        buf_format(b, "{\"running\":{\"startedAt\":\"%s\"}}", sim_stamp(p->started_ms));
    else
        buf_format(b, "{\"waiting\":{\"reason\":\"%s\"}}", p->waiting ? p->waiting : "ContainerCreating");
    if (p->last_finished_ms != NOT_YET)
        buf_format(b,
                   ",\"lastState\":{\"terminated\":{\"exitCode\":%d,\"reason\":\"%s\",\"startedAt\":\"%s\","
                   "\"finishedAt\":\"%s\"}}",
                   p->last_exit_code, p->last_reason, sim_stamp(p->last_started_ms), sim_stamp(p->last_finished_ms));
    buf_append_text(b, "}]");
}

static void put_pod_conditions(struct buf *b, const struct sim_pod *p) {
    if (p->is_bound)
        put_condition(b, "PodScheduled", "True", "", p->bound_ms);
    else if (p->is_gated)
        put_condition(b, "PodScheduled", "False", "SchedulingGated", p->created_ms);
    else if (p->is_unschedulable)
        put_condition(b, "PodScheduled", "False", "Unschedulable", p->unschedulable_ms);
    if (p->ready_ms != NOT_YET && p->unready_ms == NOT_YET)
        put_condition(b, "Ready", "True", "", p->ready_ms);
    else if (p->is_bound && p->waiting)
        put_condition(b, "Ready", "False", "ContainersNotReady",
                      p->unready_ms != NOT_YET ? p->unready_ms : p->bound_ms);
    else if (p->unready_ms != NOT_YET)
        put_condition(b, "Ready", "False", "PodFailed", p->unready_ms);
    if (p->disruption_ms != NOT_YET)
        put_condition(b, "DisruptionTarget", "True", p->disruption_reason, p->disruption_ms);
}

void write_pod(struct sim_life *l, int pod, enum observed what) {
    static const char *const phases[] = {"Pending", "Running", "Succeeded", "Failed"};
    struct buf b;
    const struct sim_pod *p = &l->pods[pod];
    const struct sim_job *j = &l->jobs[p->job];
    buf_init(&b, 1 << 20);
    buf_format(&b,
               "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%"
               "s\",\"creationTimestamp\":\"%s\"",
               p->name, p->uid, sim_stamp(p->created_ms));
    if (p->deletion_ms != NOT_YET) {
        bool is_over = what == OBSERVED_DELETED; /* deletionTimestamp drops to now just before DELETED */
        int64_t at_ms = is_over ? l->now_ms : p->deletion_ms + p->grace_s * 1000;
        buf_format(&b, ",\"deletionTimestamp\":\"%s\",\"deletionGracePeriodSeconds\":%d", sim_stamp(at_ms),
                   is_over ? 0 : p->grace_s);
    }
    buf_append_text(&b, ",\"labels\":{");
    if (!l->shape.is_plain_job)
        put_jobset_labels(&b, l, p->group, p->job_index, j->attempt);
    buf_format(
        &b,
        "\"batch.kubernetes.io/controller-uid\":\"%s\",\"batch.kubernetes.io/job-name\":\"%s\","
        "\"batch.kubernetes.io/job-completion-index\":\"%d\"},\"ownerReferences\":[{\"kind\":\"Job\",\"name\":\"%s\","
        "\"uid\":\"%s\",\"controller\":true}]",
        j->uid, j->name, p->index, j->name, j->uid);
    put_managed(&b, l, "kubelet");
    buf_append_text(&b, "},\"spec\":{");
    if (p->is_bound)
        buf_format(&b, "\"nodeName\":\"%s\",", p->node_name);
    buf_format(&b, "\"restartPolicy\":\"%s\",\"containers\":[{\"name\":\"train\"",
               l->shape.restarts_in_place ? "OnFailure" : "Never");
    if (l->shape.groups[p->group].chips > 0)
        buf_format(&b, ",\"resources\":{\"limits\":{\"google.com/tpu\":\"%d\"}}", l->shape.groups[p->group].chips);
    buf_format(&b, "}]},\"status\":{\"phase\":\"%s\",", phases[p->phase]);
    if (p->status_reason && p->finished_ms != NOT_YET)
        buf_format(&b, "\"reason\":\"%s\",", p->status_reason);
    buf_append_text(&b, "\"conditions\":[");
    put_pod_conditions(&b, p);
    if (p->is_bound && (p->waiting || p->started_ms != NOT_YET || p->finished_ms != NOT_YET))
        put_container(&b, p);
    else
        buf_append_text(&b, "]");
    buf_append_text(&b, "}}");
    sim_keep(l, RESOURCE_POD, what, p->uid, p->name, &b);
}
