/* Kueue's side: the Workload, admission, preemption. Conditions and messages as Kueue 0.16 wrote them. */
#include "base/mem.h"
#include "life.h"

#include <stdio.h>
#include <string.h>

static const char preempted[] =
    "Preempted to accommodate a workload (UID: cfa1c96a-fa35-484c-8c42-3ac6533803ce, JobUID: "
    "ede316b4-e962-406a-8f9d-b8a9012c0b14) due to prioritization in the ClusterQueue; preemptor "
    "path: /tpu-cq; preemptee path: /tpu-cq";

static void set(struct life *g, const char *type, const char *status, const char *reason, const char *message) {
    life_condition_set(g->srv, "workloads", g->ns, g->workload, type, status, reason, message);
}

static void event(struct life *g, const char *type, const char *reason, const char *message) {
    life_event(g->srv, EVENT_SECONDS, "kueue-admission", "Workload", g->ns, g->workload, g->workload_uid, type, reason,
               message);
}

void gang_make_workload(struct life *g) {
    char why[200];
    snprintf(g->workload, sizeof g->workload, "jobset-%.60s-%.5s", g->name, g->uid);
    CLEANUP_JSON json_t *w = jx_format(
        "{\"apiVersion\":\"kueue.x-k8s.io/"
        "v1beta2\",\"kind\":\"Workload\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\","
        "\"finalizers\":[\"kueue.x-k8s.io/resource-in-use\"],\"labels\":{\"kueue.x-k8s.io/"
        "job-uid\":\"%s\"},\"ownerReferences\":"
        "[{\"apiVersion\":\"jobset.x-k8s.io/"
        "v1alpha2\",\"blockOwnerDeletion\":true,\"controller\":true,\"kind\":\"JobSet\","
        "\"name\":\"%s\",\"uid\":\"%s\"}]},\"spec\":{\"active\":true,\"podSets\":[{\"count\":%d,\"name\":\"slice\","
        "\"template\":{"
        "\"metadata\":{},\"spec\":{\"containers\":[{\"image\":\"%s\",\"name\":\"%s\",\"resources\":{\"limits\":{"
        "\"google.com/tpu\":"
        "\"%d\"},\"requests\":{\"google.com/tpu\":\"%d\"}}}]}}}],\"priority\":100,\"priorityClassRef\":{\"group\":"
        "\"kueue.x-k8s.io\",\"kind\":\"WorkloadPriorityClass\",\"name\":\"research\"},\"queueName\":\"%s\"}}",
        g->workload, g->ns, g->uid, g->name, g->uid, g->slices * g->hosts, g->image, g->container, g->chips, g->chips,
        g->queue);
    struct object *o = srv_apply(g->srv, w, why);
    CLEANUP_JSON json_t *stored = kstore_json(o);
    snprintf(g->workload_uid, sizeof g->workload_uid, "%s", jx_text(stored, "metadata.uid"));
    const char *pending =
        "couldn't assign flavors to pod set slice: insufficient unused quota for google.com/tpu in flavor "
        "v5e, 16 more needed";
    set(g, "QuotaReserved", "False", "Pending", pending);
    event(g, "Warning", "Pending", pending);
    CLEANUP_FREE char *text = mem_format("Created Workload: %s/%s", g->ns, g->workload);
    life_event(g->srv, EVENT_SECONDS, "jobset.x-k8s.io/jobset-kueue-controller", "JobSet", g->ns, g->name, g->uid,
               "Normal", "CreatedWorkload", text);
}

void gang_admit(struct life *g) {
    char chips[16];
    snprintf(chips, sizeof chips, "%d", g->slices * g->hosts * g->chips);
    srv_now_text(g->srv, g->admitted_at, 0);
    life_patch(
        g->srv, "workloads", g->ns, g->workload,
        jx_format(
            "{\"status\":{\"admission\":{\"clusterQueue\":\"tpu-cq\",\"podSetAssignments\":[{\"count\":%d,\"flavors\":"
            "{\"google.com/tpu\":\"v5e\"},\"name\":\"slice\",\"resourceUsage\":{\"google.com/tpu\":\"%s\"}}]}}}",
            g->slices * g->hosts, chips));
    set(g, "QuotaReserved", "True", "QuotaReserved", "Quota reserved in ClusterQueue tpu-cq");
    if (g->evictions > 0) {
        CLEANUP_FREE char *text = mem_format("Previously: %s", preempted);
        set(g, "Evicted", "False", "QuotaReserved", text);
        set(g, "Preempted", "False", "QuotaReserved", text);
    }
    set(g, "Admitted", "True", "Admitted", "The workload is admitted");
    event(g, "Normal", "QuotaReserved", "Quota reserved in ClusterQueue tpu-cq, wait time since queued was 4s");
    event(g, "Normal", "Admitted", "Admitted by ClusterQueue tpu-cq, wait time since reservation was 0s");
}

void gang_evict(struct life *g) {
    g->evictions++;
    set(g, "Evicted", "True", "Preempted", preempted);
    set(g, "Preempted", "True", "InClusterQueue", preempted);
    life_patch(g->srv, "workloads", g->ns, g->workload,
               jx_format("{\"status\":{\"schedulingStats\":{\"evictions\":[{\"count\":%d,\"reason\":\"Preempted\","
                         "\"underlyingCause\":\"\"}]}}}",
                         g->evictions));
    event(g, "Normal", "EvictedDueToPreempted", preempted);
    event(g, "Normal", "Preempted", preempted);
}

void gang_unreserve(struct life *g) {
    life_patch(g->srv, "workloads", g->ns, g->workload, jx_format("{\"status\":{\"admission\":null}}"));
    set(g, "QuotaReserved", "False", "Pending", preempted);
    set(g, "Admitted", "False", "NoReservation", "The workload has no reservation");
    set(g, "Requeued", "True", "Preempted", preempted);
}

void gang_finish_workload(struct life *g) {
    set(g, "Finished", "True", "Succeeded", "jobset completed successfully");
}
