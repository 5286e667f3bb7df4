#include "operator/causes.h"

#include "base/buf.h"
#include "base/mem.h"

#include <string.h>

/* Order matters: the first row that fits wins. */
static const struct cause_rule rules[] = {
    {"Workload", "Evicted", "Preempted", "*", CAUSE_KUEUE_PREEMPTION, "",
     "Workload {name}: Evicted=True/{reason}{: message}", "kueue workload_types.go, WorkloadEvictedByPreemption"},
    {"Workload", "Evicted", "Deactivated", "*", CAUSE_USER_SUSPEND, "",
     "Workload {name}: Evicted=True/{reason}{: message}", "kueue workload_types.go: spec.active set to false"},
    {"Workload", "Evicted", "*", "*", CAUSE_KUEUE_EVICTION, "{reason}",
     "Workload {name}: Evicted=True/{reason}{: message}", "kueue workload_types.go, reasons of Evicted"},
    {"Pod", "DisruptionTarget", "PreemptionByScheduler", "*", CAUSE_SCHEDULER_PREEMPTION, "",
     "Pod {name}: DisruptionTarget=True/{reason}{on node}{: message}", "KEP-3329"},
    {"Pod", "DisruptionTarget", "*", "Spot", CAUSE_SPOT_RECLAIM, "",
     "Pod {name}: DisruptionTarget=True/{reason}{on node} that is being reclaimed{: message}",
     "GKE: taint cloud.google.com/impending-node-termination on a spot node"},
    {"Pod", "DisruptionTarget", "*", "Maintenance", CAUSE_NODE_MAINTENANCE, "",
     "Pod {name}: DisruptionTarget=True/{reason}{on node} under maintenance{: message}",
     "GKE: label active-node-maintenance; a NoExecute taint that says maintenance"},
    {"Pod", "DisruptionTarget", "DeletionByTaintManager", "NotReady", CAUSE_NODE_FAILURE, "",
     "Pod {name}: DisruptionTarget=True/{reason}{on node} that was not Ready{: message}", "KEP-3329; node taints"},
    {"Pod", "DisruptionTarget", "DeletionByTaintManager", "*", CAUSE_EVICTION, "{reason}",
     "Pod {name}: DisruptionTarget=True/{reason}{on node}{: message}", "KEP-3329"},
    {"Pod", "DisruptionTarget", "DeletionByPodGC", "*", CAUSE_NODE_FAILURE, "",
     "Pod {name}: DisruptionTarget=True/{reason}{on node} that is gone{: message}", "KEP-3329"},
    {"Pod", "DisruptionTarget", "EvictionByEvictionAPI", "*", CAUSE_EVICTION, "",
     "Pod {name}: DisruptionTarget=True/{reason}{on node}{: message}", "KEP-3329"},
    {"Pod", "DisruptionTarget", "*", "*", CAUSE_EVICTION, "{reason}",
     "Pod {name}: DisruptionTarget=True/{reason}{on node}{: message}", "KEP-3329"},
    {"Node", "Ready", "*", "Spot", CAUSE_SPOT_RECLAIM, "", "Node {name} (spot): {reason}; pod {message}", "GKE"},
    {"Node", "Ready", "*", "Maintenance", CAUSE_NODE_MAINTENANCE, "", "Node {name}: {reason}; pod {message}", "GKE"},
    {"Node", "Ready", "*", "*", CAUSE_NODE_FAILURE, "", "Node {name}: not Ready ({reason}); pod {message}",
     "node lifecycle controller"},
    {"Pod", "event", "Evicted", "*", CAUSE_EVICTION, "kubelet", "Pod {name}: Event {reason}{on node}{: message}",
     "kubelet eviction manager: no DisruptionTarget"},
    {"Pod", "reason", "Evicted", "*", CAUSE_EVICTION, "kubelet", "Pod {name}: {reason}{on node}{: message}",
     "kubelet eviction manager: status.reason, should the Event be lost"},
    {"Pod", "exit", "OOMKilled", "*", CAUSE_OUT_OF_MEMORY, "", "Pod {name}: {message}{on node}",
     "kubelet: exit 137, reason OOMKilled"},
    {"Pod", "exit", "*", "NotReady", CAUSE_NODE_FAILURE, "", "Pod {name}: {message}{on node} that was not Ready",
     "node lifecycle controller"},
    {"Pod", "exit", "*", "*", CAUSE_APPLICATION_ERROR, "{reason}", "Pod {name}: {message}{on node}",
     "containerStatuses[].state.terminated"},
    {"Pod", "deleted", "*", "NotReady", CAUSE_NODE_FAILURE, "", "Pod {name}: deleted{on node} that was not Ready",
     "node lifecycle controller"},
    {"Pod", "deleted", "*", "*", CAUSE_POD_DELETED, "",
     "Pod {name}: deleted{on node}, neither by its Job nor its JobSet",
     "metadata.deletionTimestamp less the grace period; jobset#574"},
    {"JobSet", "Suspended", "*", "*", CAUSE_USER_SUSPEND, "", "JobSet {name}: spec.suspend set to true",
     "jobset_types.go"},
    {"Job", "Suspended", "*", "*", CAUSE_USER_SUSPEND, "", "Job {name}: spec.suspend set to true", "batch/v1"},
    {"JobSet", "restarts", "*", "*", CAUSE_UNKNOWN, "", "JobSet {name}: {reason}{: message}",
     "status.restarts, RestartingJobSet (jobset#1219)"},
};

const struct cause_rule *cause_rules(int *count) {
    *count = (int)ARRAY_SIZE(rules);
    return rules;
}

static bool fits(const char *pattern, const char *text) {
    return strcmp(pattern, "*") == 0 || strcmp(pattern, text) == 0;
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
        buf_append_text(out, f->name);
    else if (slice_is(field, "reason"))
        buf_append_text(out, f->reason);
    else if (slice_is(field, "message"))
        buf_append_text(out, f->message);
    else if (slice_is(field, "node"))
        buf_append_text(out, f->node);
    else if (slice_is(field, "on node") && f->node[0])
        buf_format(out, " on node %s", f->node);
    else if (slice_is(field, ": message") && f->message[0])
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

bool cause_fill(const struct cause_facts *f, struct ledger_disruption *d) {
    const struct cause_rule *rule = cause_find(f);
    if (rule == NULL)
        return false;
    d->cause = rule->cause;
    fill_template(d->reason, sizeof d->reason, rule->sub_reason, f);
    fill_template(d->evidence, sizeof d->evidence, rule->evidence, f);
    slice_copy(d->node, sizeof d->node, slice_of(f->node));
    slice_copy(d->node_pool, sizeof d->node_pool, slice_of(f->node_pool));
    return true;
}
