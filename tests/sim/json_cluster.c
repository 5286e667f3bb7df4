/* Nodes, leases, Workloads and Events as the API server sends them. */
#include "base/rfc3339.h"
#include "sim.h"

#include <stdio.h>
#include <string.h>

void write_node(struct sim_life *l, int node, enum observed what) {
    struct buf b;
    const struct sim_node *n = &l->nodes[node];
    buf_init(&b, 65536);
    buf_format(
        &b,
        "{\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",\"uid\":\"node-%s\",\"creationTimestamp\":\"%s\",\"labels\":{"
        "\"cloud.google.com/gke-nodepool\":\"pool\"%s%s}},\"spec\":{\"taints\":[{\"key\":\"google.com/tpu\",\"value\":"
        "\"present\",\"effect\":\"NoSchedule\"}",
        n->name, n->name, sim_stamp(SIM_EPOCH_MS - 3600000),
        n->is_spot ? ",\"cloud.google.com/gke-spot\":\"true\"" : "",
        n->maintenance_ms != NOT_YET ? ",\"cloud.google.com/active-node-maintenance\":\"ONGOING\"" : "");
    if (n->taint_ms != NOT_YET)
        buf_format(&b, ",{\"key\":\"%s\",\"effect\":\"%s\",\"timeAdded\":\"%s\"}", n->taint, n->taint_effect,
                   sim_stamp(n->taint_ms));
    buf_format(&b,
               "]},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\",\"reason\":\"%s\","
               "\"lastHeartbeatTime\":\"%s\",\"lastTransitionTime\":\"%s\"}]}}",
               n->status, n->reason, sim_stamp(n->is_silent ? n->renewed_ms - 200000 : l->now_ms),
               sim_stamp(n->ready_ms));
    sim_keep(l, RESOURCE_NODE, what, n->name, n->name, &b);
}

void write_lease(struct sim_life *l, int node) {
    struct buf b;
    char text[RFC3339_SIZE];
    const struct sim_node *n = &l->nodes[node];
    buf_init(&b, 4096);
    buf_format(
        &b,
        "{\"kind\":\"Lease\",\"metadata\":{\"namespace\":\"kube-node-lease\",\"name\":\"%s\",\"uid\":\"lease-%s\"},"
        "\"spec\":{\"renewTime\":\"%s\"}}",
        n->name, n->name, rfc3339_format(text, n->renewed_ms * 1000000, 6));
    sim_keep(l, RESOURCE_NODE_LEASE, OBSERVED_PRESENT, n->name, n->name, &b);
}

static void put(struct buf *b, const char *type, const struct sim_condition *c) {
    if (c->is_set)
        buf_format(
            b,
            "%s{\"type\":\"%s\",\"status\":\"%s\",\"reason\":\"%s\",\"message\":\"%s\",\"lastTransitionTime\":\"%s\"}",
            b->data[b->size_bytes - 1] == '[' ? "" : ",", type, c->is_true ? "True" : "False", c->reason, c->reason,
            sim_stamp(c->at_ms));
}

void write_workload(struct sim_life *l, enum observed what) {
    struct buf b;
    char uid[64], owner[80];
    snprintf(uid, sizeof uid, "wl-%llu", (unsigned long long)l->seed);
    if (l->shape.is_plain_job)
        snprintf(owner, sizeof owner, "%s", l->jobs[0].uid);
    else
        snprintf(owner, sizeof owner, "js-%llu", (unsigned long long)l->seed);
    buf_init(&b, 65536);
    buf_format(
        &b,
        "{\"apiVersion\":\"kueue.x-k8s.io/"
        "v1beta%d\",\"kind\":\"Workload\",\"metadata\":{\"namespace\":\"ns\",\"name\":\"wl\","
        "\"uid\":\"%s\",\"creationTimestamp\":\"%s\",\"ownerReferences\":[{\"kind\":\"%s\",\"name\":\"js\",\"uid\":\"%"
        "s\","
        "\"controller\":true}]},\"spec\":{\"active\":%s,\"queueName\":\"tpu-queue\"},\"status\":{\"conditions\":[",
        l->seed % 2 ? 1 : 2, uid, sim_stamp(l->workload_created_ms), l->shape.is_plain_job ? "Job" : "JobSet", owner,
        l->is_active ? "true" : "false");
    put(&b, "QuotaReserved", &l->reserved);
    put(&b, "Admitted", &l->admitted);
    put(&b, "Evicted", &l->evicted);
    put(&b, "Preempted", &l->preempted);
    put(&b, "Requeued", &l->requeued);
    put(&b, "Finished", &l->finished);
    buf_append_text(&b, "]");
    if (l->evictions > 0)
        buf_format(&b,
                   ",\"schedulingStats\":{\"evictions\":[{\"reason\":\"%s\",\"underlyingCause\":\"\",\"count\":%d}]}",
                   l->evict_reason, l->evictions);
    if (l->check_state && (l->shape.has_provisioning_check || l->shape.has_other_check))
        buf_format(&b, ",\"admissionChecks\":[{\"name\":\"%s\",\"state\":\"%s\",\"message\":\"%s\"}]",
                   l->shape.has_provisioning_check ? "dws-prov" : "budget", l->check_state,
                   l->shape.has_provisioning_check ? "Waiting for the ProvisioningRequest" : "asked");
    buf_append_text(&b, "}}");
    sim_keep(l, RESOURCE_WORKLOAD, what, uid, "wl", &b);
}

void write_event(struct sim_life *l, int pod, const char *reason, const char *message) {
    struct buf b;
    const struct sim_pod *p = &l->pods[pod];
    char name[160];
    int64_t first_ms =
        strcmp(reason, "Pulling") == 0 ? p->first_pull_ms : l->now_ms; /* sent again: its first time stays */
    snprintf(name, sizeof name, "%s.%s", p->name, reason);
    buf_init(&b, 65536);
    buf_format(
        &b,
        "{\"kind\":\"Event\",\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\"},\"involvedObject\":{"
        "\"kind\":\"Pod\",\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\"},\"reason\":\"%s\",\"message\":\"%s\","
        "\"firstTimestamp\":\"%s\",\"lastTimestamp\":\"%s\",\"count\":1}",
        name, name, p->name, p->uid, reason, message, sim_stamp(first_ms), sim_stamp(l->now_ms));
    sim_keep(l, RESOURCE_EVENT, OBSERVED_PRESENT, name, name, &b);
}

void write_refusal(struct sim_life *l, int job) {
    struct buf b;
    char name[160];
    const struct sim_job *j = &l->jobs[job];
    snprintf(name, sizeof name, "%s.%lld", j->name, (long long)j->refused_ms);
    buf_init(&b, 65536);
    buf_format(&b,
               "{\"kind\":\"Event\",\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\"},"
               "\"involvedObject\":{\"kind\":\"Job\",\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\"},\"reason\":"
               "\"FailedCreate\",\"message\":\"Error creating: pods is forbidden: exceeded quota: chips\","
               "\"firstTimestamp\":\"%s\",\"lastTimestamp\":\"%s\",\"count\":%d}",
               name, name, j->name, j->uid, sim_stamp(j->refused_ms), sim_stamp(l->now_ms), j->refusals);
    sim_keep(l, RESOURCE_EVENT, OBSERVED_PRESENT, name, name, &b);
}
