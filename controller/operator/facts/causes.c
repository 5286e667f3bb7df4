#include "operator/facts/causes.h"

#include "base/buf.h"
#include "base/mem.h"

#include <string.h>

/* Order matters: the first row that fits wins. A row names a bucket for the time that such a fact lasts, a cause for
 * the interruption that it starts, or both. object, shows, reason, node,  bucket, cause, sub-reason, evidence, source
 * of the rule */
#define NO_BUCKET BUCKET_COUNT
#define NO_CAUSE CAUSE_COUNT
static const struct cause_rule rules[] = {
    /* Kueue's Workload. */
    {"Workload", "Evicted", "Preempted", "*", BUCKET_PREEMPTED_WAIT, CAUSE_KUEUE_PREEMPTION, "",
     "Workload {name}: Evicted=True/{reason}{: message}", "kueue workload_types.go, WorkloadEvictedByPreemption"},
    {"Workload", "Evicted", "Deactivated", "*", BUCKET_SUSPENDED, CAUSE_USER_SUSPEND, "",
     "Workload {name}: Evicted=True/{reason}{: message}", "kueue workload_types.go: a person set spec.active to false"},
    {"Workload", "Evicted", "*", "*", BUCKET_PREEMPTED_WAIT, CAUSE_KUEUE_EVICTION, "{reason}",
     "Workload {name}: Evicted=True/{reason}{: message}",
     "kueue workload_types.go, reasons of Evicted; DeactivatedDueTo* is Kueue's own doing"},
    {"Workload", "spec.active", "*", "*", BUCKET_SUSPENDED, NO_CAUSE, "", "Workload {name}: spec.active=false",
     "kueue workload_types.go"},
    {"Workload", "QuotaReserved", "*", "*", BUCKET_QUEUE_WAIT, NO_CAUSE, "",
     "Workload {name}: QuotaReserved=False{: message}", "kueue workload_types.go, reasons of QuotaReserved=False"},
    {"Workload", "missing", "*", "*", BUCKET_QUEUE_WAIT, NO_CAUSE, "", "{name}: no Workload yet in queue {reason}",
     "label kueue.x-k8s.io/queue-name"},
    {"Workload", "forbidden", "*", "*", BUCKET_QUEUE_WAIT, NO_CAUSE, "",
     "{name}: suspended, in queue {reason}; its Workload may not be read", "label kueue.x-k8s.io/queue-name"},
    {"Workload", "check", "Provisioning", "*", BUCKET_PROVISIONING, NO_CAUSE, "",
     "Workload {name}: admission check {message}", "kueue: ProvisioningRequest, Dynamic Workload Scheduler"},
    {"Workload", "check", "*", "*", BUCKET_QUEUE_WAIT, NO_CAUSE, "", "Workload {name}: admission check {message}",
     "kueue workload_types.go, admissionChecks"},
    /* The pod: its conditions first, then its status, its containers, its deletion. The state of its node refines them.
     */
    {"Pod", "PodScheduled", "SchedulingGated", "*", BUCKET_QUEUE_WAIT, NO_CAUSE, "",
     "Pod {name}: PodScheduled=False/{reason}", "KEP-3521; kueue.x-k8s.io/topology"},
    {"Pod", "PodScheduled", "*", "*", BUCKET_PROVISIONING, NO_CAUSE, "",
     "Pod {name}: PodScheduled=False/{reason}{: message}", "kube-scheduler: Unschedulable, SchedulerError"},
    {"Pod", "DisruptionTarget", "PreemptionByScheduler", "*", NO_BUCKET, CAUSE_SCHEDULER_PREEMPTION, "",
     "Pod {name}: DisruptionTarget=True/{reason}{on node}{: message}", "KEP-3329"},
    {"Pod", "DisruptionTarget", "*", "Spot", NO_BUCKET, CAUSE_SPOT_RECLAIM, "",
     "Pod {name}: DisruptionTarget=True/{reason}{on node} that is being reclaimed{: message}",
     "GKE: taint cloud.google.com/impending-node-termination on a spot node"},
    {"Pod", "DisruptionTarget", "*", "Maintenance", NO_BUCKET, CAUSE_NODE_MAINTENANCE, "",
     "Pod {name}: DisruptionTarget=True/{reason}{on node} under maintenance{: message}",
     "GKE: label active-node-maintenance; a NoExecute taint that says maintenance"},
    {"Pod", "DisruptionTarget", "DeletionByTaintManager", "NotReady", NO_BUCKET, CAUSE_NODE_FAILURE, "",
     "Pod {name}: DisruptionTarget=True/{reason}{on node} that was not Ready{: message}",
     "KEP-3329; taints node.kubernetes.io/unreachable, not-ready"},
    {"Pod", "DisruptionTarget", "DeletionByTaintManager", "Unhealthy", NO_BUCKET, CAUSE_NODE_FAILURE, "",
     "Pod {name}: DisruptionTarget=True/{reason}{on node}{: message}",
     "kueue workload_types.go, status.unhealthyNodes: a taint for which Kueue replaces the node"},
    {"Pod", "DisruptionTarget", "DeletionByTaintManager", "*", NO_BUCKET, CAUSE_EVICTION, "{reason}",
     "Pod {name}: DisruptionTarget=True/{reason}{on node}{: message}", "KEP-3329"},
    {"Pod", "DisruptionTarget", "DeletionByPodGC", "*", NO_BUCKET, CAUSE_NODE_FAILURE, "",
     "Pod {name}: DisruptionTarget=True/{reason}{on node} that was deleted{: message}", "KEP-3329"},
    {"Pod", "DisruptionTarget", "EvictionByEvictionAPI", "*", NO_BUCKET, CAUSE_EVICTION, "",
     "Pod {name}: DisruptionTarget=True/{reason}{on node}{: message}", "KEP-3329; drain"},
    {"Pod", "TerminationTarget", "Preempted", "*", NO_BUCKET, CAUSE_KUEUE_PREEMPTION, "",
     "Pod {name}: evicted with its Workload/{reason}{: message}", "kueue jobs/pod: condition TerminationTarget"},
    {"Pod", "TerminationTarget", "Deactivated", "*", NO_BUCKET, CAUSE_USER_SUSPEND, "",
     "Pod {name}: evicted with its Workload/{reason}{: message}", "kueue jobs/pod: a person set spec.active to false"},
    {"Pod", "TerminationTarget", "*", "*", NO_BUCKET, CAUSE_KUEUE_EVICTION, "{reason}",
     "Pod {name}: evicted with its Workload/{reason}{: message}",
     "kueue jobs/pod: condition TerminationTarget, reason WorkloadEvictedDueTo and that of Evicted"},
    {"Pod", "DisruptionTarget", "*", "*", NO_BUCKET, CAUSE_EVICTION, "{reason}",
     "Pod {name}: DisruptionTarget=True/{reason}{on node}{: message}",
     "KEP-3329: TerminationByKubelet, and what is not known yet"},
    {"Node", "Ready", "*", "Spot", NO_BUCKET, CAUSE_SPOT_RECLAIM, "", "Node {name} (spot): {reason}; pod {message}",
     "GKE"},
    {"Node", "Ready", "*", "Maintenance", NO_BUCKET, CAUSE_NODE_MAINTENANCE, "", "Node {name}: {reason}; pod {message}",
     "GKE"},
    {"Node", "Ready", "*", "*", BUCKET_NODE_FAILURE_DETECTION, CAUSE_NODE_FAILURE, "",
     "Node {name}: not Ready ({reason}); pod {message}", "node lifecycle controller: NotReady, Unknown, deleted"},
    {"Node", "silent", "*", "*", BUCKET_NODE_FAILURE_DETECTION, NO_CAUSE, "",
     "Node {name}: silent until its condition Ready showed it ({reason})",
     "node lifecycle controller: --node-monitor-grace-period"},
    {"Pod", "event", "Evicted", "*", NO_BUCKET, CAUSE_EVICTION, "kubelet",
     "Pod {name}: Event {reason}{on node}{: message}", "kubelet eviction manager: no DisruptionTarget"},
    {"Pod", "reason", "Evicted", "*", NO_BUCKET, CAUSE_EVICTION, "kubelet", "Pod {name}: {reason}{on node}{: message}",
     "kubelet eviction manager: status.reason, should the Event be lost"},
    {"Pod", "reason", "Terminated", "Spot", NO_BUCKET, CAUSE_SPOT_RECLAIM, "",
     "Pod {name}: {reason}{on node} that is being reclaimed{: message}",
     "kubelet: graceful node shutdown (KEP-2000) of a spot node"},
    {"Pod", "reason", "Terminated", "*", NO_BUCKET, CAUSE_NODE_MAINTENANCE, "shutdown",
     "Pod {name}: {reason}{on node}{: message}", "kubelet: graceful node shutdown (KEP-2000)"},
    {"Pod", "reason", "NodeShutdown", "*", NO_BUCKET, CAUSE_NODE_MAINTENANCE, "shutdown",
     "Pod {name}: {reason}{on node}{: message}",
     "kubelet: graceful node shutdown (KEP-2000): refused while shutting down"},
    {"Pod", "reason", "TerminatedByKueue", "*", NO_BUCKET, CAUSE_NODE_FAILURE, "",
     "Pod {name}: {reason}=True{on node}{: message}", "kueue tas_node_controller: its node takes no pods any more"},
    {"Pod", "reason", "NodeLost", "*", NO_BUCKET, CAUSE_NODE_FAILURE, "", "Pod {name}: {reason}{on node}{: message}",
     "node lifecycle controller"},
    {"Pod", "reason", "Preempting", "*", NO_BUCKET, CAUSE_EVICTION, "{reason}",
     "Pod {name}: {reason}{on node}{: message}", "kubelet: room made for a critical pod"},
    {"Pod", "reason", "UnexpectedAdmissionError", "*", NO_BUCKET, CAUSE_NODE_FAILURE, "{reason}",
     "Pod {name}: {reason}{on node}{: message}", "kubelet device manager: the accelerators are not there"},
    {"Pod", "reason", "DeadlineExceeded", "*", NO_BUCKET, CAUSE_APPLICATION_ERROR, "{reason}",
     "Pod {name}: {reason}{: message}", "spec.activeDeadlineSeconds"},
    {"Pod", "exit", "OOMKilled", "*", NO_BUCKET, CAUSE_OUT_OF_MEMORY, "", "Pod {name}: {message}{on node}",
     "kubelet: exit 137, reason OOMKilled"},
    {"Pod", "exit", "exit 143", "Spot", NO_BUCKET, CAUSE_SPOT_RECLAIM, "",
     "Pod {name}: {message}{on node} that is being reclaimed", "kubelet: a signal as its node goes (KEP-2000)"},
    {"Pod", "exit", "exit 143", "Maintenance", NO_BUCKET, CAUSE_NODE_MAINTENANCE, "",
     "Pod {name}: {message}{on node} under maintenance", "kubelet: a signal as its node goes (KEP-2000)"},
    {"Pod", "exit", "exit 137", "Spot", NO_BUCKET, CAUSE_SPOT_RECLAIM, "",
     "Pod {name}: {message}{on node} that is being reclaimed", "kubelet: a signal as its node goes (KEP-2000)"},
    {"Pod", "exit", "exit 137", "Maintenance", NO_BUCKET, CAUSE_NODE_MAINTENANCE, "",
     "Pod {name}: {message}{on node} under maintenance", "kubelet: a signal as its node goes (KEP-2000)"},
    {"Pod", "exit", "*", "*", NO_BUCKET, CAUSE_APPLICATION_ERROR, "{reason}", "Pod {name}: {message}{on node}",
     "containerStatuses[].state.terminated"},
    {"Pod", "log", "TrainerRestarted", "*", NO_BUCKET, CAUSE_TRAINER_RESTART, "", "Pod {name}: {message}{on node}",
     "the step log: another start of the training program, of the same container (torchrun's agent, a loop)"},
    {"Pod", "deleted", "*", "Spot", NO_BUCKET, CAUSE_SPOT_RECLAIM, "",
     "Pod {name}: deleted{on node} that is being reclaimed", "GKE"},
    {"Pod", "deleted", "*", "Maintenance", NO_BUCKET, CAUSE_NODE_MAINTENANCE, "",
     "Pod {name}: deleted{on node} under maintenance", "GKE"},
    {"Pod", "deleted", "*", "NotReady", NO_BUCKET, CAUSE_NODE_FAILURE, "",
     "Pod {name}: deleted{on node} that was not Ready", "node lifecycle controller"},
    {"Pod", "deleted", "*", "Unhealthy", NO_BUCKET, CAUSE_NODE_FAILURE, "", "Pod {name}: deleted{on node}{: message}",
     "kueue workload_types.go, status.unhealthyNodes"},
    {"Pod", "deleted", "*", "*", NO_BUCKET, CAUSE_POD_DELETED, "",
     "Pod {name}: deleted{on node}, neither by its Job nor its JobSet",
     "metadata.deletionTimestamp less the grace period; jobset#574"},
    {"Pod", "lost", "*", "Unhealthy", NO_BUCKET, CAUSE_NODE_FAILURE, "", "Pod {name}: lost{on node}{: message}",
     "kueue workload_types.go, status.unhealthyNodes: all that is known of its end"},
    {"Pod", "waiting", "ErrImagePull", "*", BUCKET_IMAGE_PULL, NO_CAUSE, "", "{reason}: {name}{on node}",
     "kubelet image manager; status is all there is without Events (k/k#91560)"},
    {"Pod", "waiting", "ImagePullBackOff", "*", BUCKET_IMAGE_PULL, NO_CAUSE, "", "{reason}: {name}{on node}",
     "kubelet image manager"},
    {"Pod", "waiting", "InvalidImageName", "*", BUCKET_IMAGE_PULL, NO_CAUSE, "", "{reason}: {name}{on node}",
     "kubelet image manager"},
    {"Pod", "waiting", "ErrImageNeverPull", "*", BUCKET_IMAGE_PULL, NO_CAUSE, "", "{reason}: {name}{on node}",
     "kubelet image manager"},
    {"Job", "FailedCreate", "Quota", "*", BUCKET_QUEUE_WAIT, NO_CAUSE, "", "Job {name}: FailedCreate{: message}",
     "Job controller, ResourceQuota admission: exceeded quota. Other refusals are Binding or Rescheduling"},
    /* The target itself. */
    {"JobSet", "Suspended", "*", "*", BUCKET_SUSPENDED, CAUSE_USER_SUSPEND, "", "JobSet {name}: spec.suspend=true",
     "jobset_types.go; where Kueue holds it, its Workload says why"},
    {"Job", "Suspended", "*", "*", BUCKET_SUSPENDED, CAUSE_USER_SUSPEND, "", "Job {name}: spec.suspend=true",
     "batch/v1"},
    {"RayJob", "Suspended", "*", "*", BUCKET_SUSPENDED, CAUSE_USER_SUSPEND, "", "RayJob {name}: spec.suspend=true",
     "rayjob_types.go; where Kueue holds it, its Workload says why"},
    {"PyTorchJob", "Suspended", "*", "*", BUCKET_SUSPENDED, CAUSE_USER_SUSPEND, "",
     "PyTorchJob {name}: spec.runPolicy.suspend=true", "training-operator common_types.go RunPolicy"},
    {"JobSet", "dependsOn", "*", "*", BUCKET_DEPENDENCY_WAIT, NO_CAUSE, "",
     "JobSet {name}: replicated job {reason} waits for dependsOn", "jobset_types.go, KEP-672"},
    {"JobSet", "startupPolicy", "*", "*", BUCKET_DEPENDENCY_WAIT, NO_CAUSE, "",
     "JobSet {name}: replicated job {reason} waits for startupPolicy InOrder", "jobset_types.go, KEP-104"},
    {"JobSet", "restarts", "*", "*", NO_BUCKET, CAUSE_UNKNOWN, "", "JobSet {name}: {reason}{: message}",
     "status.restarts, RestartingJobSet (jobset#1219): a restart whose trigger left no trace"},
    {"RayJob", "restarts", "*", "*", NO_BUCKET, CAUSE_APPLICATION_ERROR, "", "RayJob {name}: {reason}{: message}",
     "KubeRay checkBackoffLimitAndUpdateStatusIfNeeded: the Ray job failed, and its RayCluster is replaced"},
};

static const char *text_of(const char *text) {
    return text != NULL ? text : "";
}

static bool fits(const char *pattern, const char *text) {
    return strcmp(pattern, "*") == 0 || strcmp(pattern, text_of(text)) == 0;
}

const struct cause_rule *cause_find(const struct cause_facts *f) {
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
        if (strcmp(rules[i].object, f->object) == 0 && strcmp(rules[i].shows, f->shows) == 0 &&
            fits(rules[i].reason, f->reason) && fits(rules[i].node, f->node_state))
            return &rules[i];
    return NULL;
}

static void fill_one(struct buf *out, struct slice field, const struct cause_facts *f) {
    if (slice_is(field, "name"))
        buf_append_text(out, text_of(f->name));
    else if (slice_is(field, "reason"))
        buf_append_text(out, text_of(f->reason));
    else if (slice_is(field, "message"))
        buf_append_text(out, text_of(f->message));
    else if (slice_is(field, "node"))
        buf_append_text(out, text_of(f->node));
    else if (slice_is(field, "on node") && text_of(f->node)[0])
        buf_format(out, " on node %s", f->node);
    else if (slice_is(field, ": message") && text_of(f->message)[0])
        buf_format(out, ": %s", f->message);
}

static void fill_template(char *to, size_t size, const char *template_, const struct cause_facts *f) {
    CLEANUP_BUF struct buf out;
    struct slice rest = slice_of(template_), text, field;
    buf_init(&out, 2048);
    while (slice_take_until(&rest, '{', &text) && slice_take_until(&rest, '}', &field)) {
        buf_append_slice(&out, text);
        fill_one(&out, field, f);
    }
    buf_append_slice(&out, rest);
    slice_copy(to, size, buf_slice(&out));
}

bool cause_fill_hold(const struct cause_facts *f, struct ledger_hold *hold) {
    const struct cause_rule *rule = cause_find(f);
    if (rule == NULL || rule->bucket == NO_BUCKET)
        return false;
    hold->kind = rule->bucket;
    fill_template(hold->evidence, sizeof hold->evidence, rule->evidence, f);
    return true;
}

bool cause_fill(const struct cause_facts *f, struct ledger_disruption *d) {
    const struct cause_rule *rule = cause_find(f);
    if (rule == NULL || rule->cause == NO_CAUSE)
        return false;
    d->cause = rule->cause;
    fill_template(d->reason, sizeof d->reason, rule->sub_reason, f);
    fill_template(d->evidence, sizeof d->evidence, rule->evidence, f);
    slice_copy(d->node, sizeof d->node, slice_of(f->node));
    slice_copy(d->node_pool, sizeof d->node_pool, slice_of(f->node_pool));
    return true;
}
