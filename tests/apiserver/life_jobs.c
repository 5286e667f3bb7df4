/* The JobSet and its Jobs, as the JobSet and Job controllers write them. */
#include "base/mem.h"
#include "life.h"

#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>

static json_t *pod_template(const struct life *g) {
    return jx_format(
        "{\"metadata\":{},\"spec\":{\"containers\":[{\"image\":\"%s\",\"name\":\"%s\",\"ports\":[{\"containerPort\":"
        "8471,\"protocol\":\"TCP\"}],\"resources\":{\"limits\":{\"google.com/tpu\":\"%d\"},\"requests\":{"
        "\"google.com/tpu\":\"%d\"}}}],\"nodeSelector\":{\"cloud.google.com/gke-tpu-accelerator\":"
        "\"tpu-v5-lite-podslice\",\"cloud.google.com/gke-tpu-topology\":\"4x4\"},\"restartPolicy\":\"Never\"}}",
        g->image, g->container, g->chips, g->chips);
}

void gang_submit(struct life *g) {
    struct srv *s = g->srv;
    char why[200];
    CLEANUP_JSON json_t *o = jx_format(
        "{\"apiVersion\":\"jobset.x-k8s.io/"
        "v1alpha2\",\"kind\":\"JobSet\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\","
        "\"annotations\":{\"alpha.jobset.sigs.k8s.io/exclusive-topology\":\"cloud.google.com/"
        "gke-nodepool\"},\"labels\":{"
        "\"kueue.x-k8s.io/queue-name\":\"%s\",\"kueue.x-k8s.io/"
        "priority-class\":\"research\"}},\"spec\":{\"failurePolicy\":{"
        "\"maxRestarts\":3,\"restartStrategy\":\"Recreate\"},\"network\":{\"enableDNSHostnames\":true,"
        "\"publishNotReadyAddresses\":true},\"replicatedJobs\":[{\"groupName\":\"default\",\"name\":\"slice\","
        "\"replicas\":%d,"
        "\"template\":{\"metadata\":{},\"spec\":{\"backoffLimit\":0,\"completionMode\":\"Indexed\",\"completions\":%d,"
        "\"parallelism\":%d}}}],\"startupPolicy\":{\"startupPolicyOrder\":\"AnyOrder\"},\"successPolicy\":{"
        "\"operator\":"
        "\"All\"},\"suspend\":true}}",
        g->name, g->ns, g->queue, g->slices, g->hosts, g->hosts);
    jx_set(jx_get(o, "spec.replicatedJobs.0.template.spec"), "template", pod_template(g));
    struct object *made = srv_apply(s, o, why);
    if (made == NULL)
        return;
    CLEANUP_JSON json_t *stored = kstore_json(made);
    snprintf(g->uid, sizeof g->uid, "%s", jx_text(stored, "metadata.uid"));
    life_condition_set(s, "jobsets", g->ns, g->name, "Suspended", "True", "SuspendedJobs", "jobset is suspended");
    gang_make_jobs(g, true);
    gang_jobset_status(g, 0, 0, 0, 0, g->slices);
    gang_make_workload(g);
}

/* The labels that JobSet puts on Jobs and pods, into `labels`. */
static void job_labels(const struct life *g, int slice, json_t *labels) {
    char key[300], hex[2 * SHA_DIGEST_LENGTH + 1];
    unsigned char digest[SHA_DIGEST_LENGTH];
    int n = snprintf(key, sizeof key, "%s/%s-slice-%d", g->ns, g->name, slice);
    SHA1((const unsigned char *)key, (size_t)n, digest);
    for (int i = 0; i < SHA_DIGEST_LENGTH; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    CLEANUP_JSON json_t *all =
        jx_format("{\"jobset.sigs.k8s.io/global-replicas\":\"%d\",\"jobset.sigs.k8s.io/group-name\":\"default\","
                  "\"jobset.sigs.k8s.io/group-replicas\":\"%d\",\"jobset.sigs.k8s.io/job-global-index\":\"%d\","
                  "\"jobset.sigs.k8s.io/job-group-index\":\"%d\",\"jobset.sigs.k8s.io/job-index\":\"%d\","
                  "\"jobset.sigs.k8s.io/job-key\":\"%s\",\"jobset.sigs.k8s.io/jobset-name\":\"%s\","
                  "\"jobset.sigs.k8s.io/jobset-uid\":\"%s\",\"jobset.sigs.k8s.io/replicatedjob-name\":\"slice\","
                  "\"jobset.sigs.k8s.io/replicatedjob-replicas\":\"%d\",\"jobset.sigs.k8s.io/restart-attempt\":\"%d\"}",
                  g->slices, g->slices, slice, slice, slice, hex, g->name, g->uid, g->slices, g->restarts);
    json_object_update(labels, all);
}

static void make_job(struct life *g, int slice, bool is_suspended) {
    struct srv *s = g->srv;
    char why[200], uid[37];
    srv_uid(s, uid);
    snprintf(g->job_uids[slice], sizeof g->job_uids[slice], "%s", uid);
    CLEANUP_JSON json_t *o = jx_format(
        "{\"kind\":\"Job\",\"apiVersion\":\"batch/"
        "v1\",\"metadata\":{\"name\":\"%s-slice-%d\",\"namespace\":\"%s\",\"uid\":"
        "\"%s\",\"labels\":{},\"annotations\":{},\"ownerReferences\":[{\"apiVersion\":\"jobset.x-k8s.io/"
        "v1alpha2\",\"kind\":"
        "\"JobSet\",\"name\":\"%s\",\"uid\":\"%s\",\"controller\":true,\"blockOwnerDeletion\":true}]},\"spec\":{"
        "\"parallelism\":%d,\"completions\":%d,\"backoffLimit\":0,\"selector\":{\"matchLabels\":{"
        "\"batch.kubernetes.io/"
        "controller-uid\":\"%s\"}},\"manualSelector\":false,\"completionMode\":\"Indexed\",\"suspend\":"
        "%s,\"podReplacementPolicy\":\"TerminatingOrFailed\"},\"status\":{}}",
        g->name, slice, g->ns, uid, g->name, g->uid, g->hosts, g->hosts, uid, is_suspended ? "true" : "false");
    job_labels(g, slice, jx_get(o, "metadata.labels"));
    job_labels(g, slice, jx_get(o, "metadata.annotations"));
    json_t *template = pod_template(g);
    json_object_set(json_object_get(template, "metadata"), "labels", jx_get(o, "metadata.labels"));
    jx_set(o, "spec.template", template);
    srv_apply(s, o, why);
    if (is_suspended) {
        char name[128];
        snprintf(name, sizeof name, "%s-slice-%d", g->name, slice);
        life_condition_set(s, "jobs", g->ns, name, "Suspended", "True", "JobSuspended", "Job suspended");
    }
}

void gang_make_jobs(struct life *g, bool is_suspended) {
    for (int i = 0; i < g->slices; i++)
        make_job(g, i, is_suspended);
}

void gang_job_status(struct life *g, int slice, int active, int ready, int succeeded, int failed) {
    char name[128], now[40];
    snprintf(name, sizeof name, "%s-slice-%d", g->name, slice);
    json_t *patch = jx_format(
        "{\"status\":{\"active\":%d,\"ready\":%d,\"terminating\":0,\"uncountedTerminatedPods\":{}}}", active, ready);
    if (succeeded > 0) {
        jx_set(patch, "status.succeeded", json_integer(succeeded));
        char indexes[24];
        snprintf(indexes, sizeof indexes, "0-%d", succeeded - 1);
        jx_set_text(patch, "status.completedIndexes", indexes);
    }
    if (failed > 0)
        jx_set(patch, "status.failed", json_integer(failed));
    if (active > 0 && ready == 0)
        jx_set_text(patch, "status.startTime", srv_now_text(g->srv, now, 0));
    life_patch(g->srv, "jobs", g->ns, name, patch);
}

void gang_jobset_status(struct life *g, int active, int ready, int succeeded, int failed, int suspended) {
    json_t *patch =
        jx_format("{\"status\":{\"restarts\":%d,\"replicatedJobsStatus\":[{\"active\":%d,\"failed\":%d,\"name\":"
                  "\"slice\",\"ready\":%d,\"succeeded\":%d,\"suspended\":%d}]}}",
                  g->restarts, active, failed, ready, succeeded, suspended);
    if (g->restarts > 0)
        jx_set(patch, "status.restartsCountTowardsMax", json_integer(g->restarts));
    life_patch(g->srv, "jobsets", g->ns, g->name, patch);
}

void gang_resume(struct life *g, bool is_suspended) {
    struct srv *s = g->srv;
    const char *truth = is_suspended ? "True" : "False", *reason = is_suspended ? "SuspendedJobs" : "ResumeJobs",
               *message = is_suspended ? "jobset is suspended" : "jobset is resumed";
    life_patch(s, "jobsets", g->ns, g->name, jx_format("{\"spec\":{\"suspend\":%s}}", is_suspended ? "true" : "false"));
    life_condition_set(s, "jobsets", g->ns, g->name, "Suspended", truth, reason, message);
    life_event(s, EVENT_MICRO, "jobset", "JobSet", g->ns, g->name, g->uid, "Normal", reason, message);
    for (int i = 0; i < g->slices; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s-slice-%d", g->name, i);
        life_patch(s, "jobs", g->ns, name, jx_format("{\"spec\":{\"suspend\":%s}}", is_suspended ? "true" : "false"));
        life_condition_set(s, "jobs", g->ns, name, "Suspended", truth, is_suspended ? "JobSuspended" : "JobResumed",
                           is_suspended ? "Job suspended" : "Job resumed");
        life_event(s, EVENT_SECONDS, "job-controller", "Job", g->ns, name, g->job_uids[i], "Normal",
                   is_suspended ? "Suspended" : "Resumed", is_suspended ? "Job suspended" : "Job resumed");
        if (is_suspended)
            life_patch(s, "jobs", g->ns, name,
                       jx_format("{\"status\":{\"startTime\":null,\"active\":null,\"ready\":0}}"));
    }
}

void gang_delete_jobs(struct life *g) {
    struct resource *type = registry_named(&g->srv->registry, "jobs");
    for (int i = 0; i < g->slices; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s-slice-%d", g->name, i);
        struct object *o = kstore_find(&g->srv->store, type, g->ns, name);
        if (o != NULL)
            srv_delete(g->srv, o);
    }
}
