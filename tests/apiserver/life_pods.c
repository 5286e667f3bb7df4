/* The gang's pods, as the Job controller, the scheduler and the kubelets write them. */
#include "base/mem.h"
#include "base/rfc3339.h"
#include "life.h"

#include <stdio.h>
#include <string.h>

#define EACH_POD(g, slice, host)                                                                                       \
    for (int slice = 0; slice < (g)->slices; slice++)                                                                  \
        for (int host = 0; host < (g)->hosts; host++)

static void make_pod(struct life *g, int slice, int host) {
    struct srv *s = g->srv;
    struct gang_pod *pod = &g->pods[slice][host];
    char why[200], suffix[8], job[128], uid[37], message[200];
    srv_suffix(s, suffix, 5);
    srv_uid(s, uid);
    snprintf(pod->uid, sizeof pod->uid, "%s", uid);
    snprintf(job, sizeof job, "%s-slice-%d", g->name, slice);
    snprintf(pod->name, sizeof pod->name, "%.100s-%d-%s", job, host, suffix);
    pod->node[0] = '\0';
    struct object *o = kstore_find(&s->store, registry_named(&s->registry, "jobs"), g->ns, job);
    if (o == NULL)
        return;
    CLEANUP_JSON json_t *owner = kstore_json(o);
    CLEANUP_JSON json_t *p = jx_format("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\","
                                       "\"generateName\":\"%s-%d-\",\"namespace\":\"%s\","
                                       "\"uid\":\"%s\",\"generation\":1,\"ownerReferences\":[{\"apiVersion\":\"batch/"
                                       "v1\",\"kind\":\"Job\",\"name\":\"%s\","
                                       "\"uid\":\"%s\",\"controller\":true,\"blockOwnerDeletion\":true}],"
                                       "\"finalizers\":[\"batch.kubernetes.io/job-tracking\"]},"
                                       "\"status\":{\"phase\":\"Pending\",\"qosClass\":\"BestEffort\"}}",
                                       pod->name, job, host, g->ns, uid, job, g->job_uids[slice]);
    json_t *labels = json_deep_copy(jx_get(owner, "metadata.labels")), *notes = json_deep_copy(labels);
    char index[16];
    snprintf(index, sizeof index, "%d", host);
    json_object_set_new(labels, "batch.kubernetes.io/controller-uid", json_string(g->job_uids[slice]));
    json_object_set_new(labels, "batch.kubernetes.io/job-name", json_string(job));
    json_object_set_new(labels, "batch.kubernetes.io/job-completion-index", json_string(index));
    json_object_set_new(labels, "controller-uid", json_string(g->job_uids[slice]));
    json_object_set_new(labels, "job-name", json_string(job));
    json_object_set_new(labels, "kueue.x-k8s.io/podset", json_string("slice"));
    json_object_set_new(notes, "batch.kubernetes.io/job-completion-index", json_string(index));
    json_object_set_new(notes, "kueue.x-k8s.io/workload", json_string(g->workload));
    jx_set(p, "metadata.labels", labels);
    jx_set(p, "metadata.annotations", notes);
    json_t *spec = json_deep_copy(jx_get(owner, "spec.template.spec"));
    jx_set_text(spec, "schedulerName", "default-scheduler");
    jx_set_text(spec, "subdomain", g->name);
    CLEANUP_FREE char *hostname = mem_format("%s-%d", job, host);
    jx_set_text(spec, "hostname", hostname);
    jx_set(spec, "terminationGracePeriodSeconds", json_integer(30));
    jx_set(p, "spec", spec);
    srv_apply(s, p, why);
    snprintf(message, sizeof message, "Created pod: %.150s", pod->name);
    life_event(s, EVENT_SECONDS, "job-controller", "Job", g->ns, job, g->job_uids[slice], "Normal", "SuccessfulCreate",
               message);
}

void gang_make_pods(struct life *g) {
    EACH_POD(g, i, j) make_pod(g, i, j);
    for (int i = 0; i < g->slices; i++)
        gang_job_status(g, i, g->hosts, 0, 0, 0);
    gang_jobset_status(g, g->slices, 0, 0, 0, 0);
}

static void set(struct life *g, const struct gang_pod *pod, const char *type, const char *status, const char *reason,
                const char *message) {
    life_condition_set(g->srv, "pods", g->ns, pod->name, type, status, reason, message);
}

void gang_unschedulable(struct life *g, const char *message) {
    EACH_POD(g, i, j) {
        const struct gang_pod *pod = &g->pods[i][j];
        set(g, pod, "PodScheduled", "False", "Unschedulable", message);
        life_event(g->srv, EVENT_MICRO, "default-scheduler", "Pod", g->ns, pod->name, pod->uid, "Warning",
                   "FailedScheduling", message);
    }
}

/* What a pod's container shows: waiting, running or terminated. */
static json_t *container_status(const struct life *g, const char *state, bool is_ready) {
    return jx_format(
        "{\"status\":{\"containerStatuses\":[{\"name\":\"%s\",\"state\":{%s},\"lastState\":{},\"ready\":%s,"
        "\"restartCount\":0,\"image\":\"%s\",\"imageID\":\"\",\"started\":%s}]}}",
        g->container, state, is_ready ? "true" : "false", g->image, is_ready ? "true" : "false");
}

static void replace_container_status(struct life *g, const struct gang_pod *pod, json_t *patch) {
    struct object *o = kstore_find(&g->srv->store, registry_named(&g->srv->registry, "pods"), g->ns, pod->name);
    if (o != NULL) {
        CLEANUP_JSON json_t *after = kstore_json(o);
        jx_merge_patch(after, patch); /* lists as a whole */
        srv_change(g->srv, o, after, NULL, "");
    }
    json_decref(patch);
}

void gang_bind(struct life *g) {
    struct srv *s = g->srv;
    char now[40], text[300];
    EACH_POD(g, i, j) {
        struct gang_pod *pod = &g->pods[i][j];
        CLEANUP_FREE char *node = mem_format("%s-%d", g->pools[i], j);
        snprintf(pod->node, sizeof pod->node, "%.63s", node);
        json_t *patch = container_status(g, "\"waiting\":{\"reason\":\"ContainerCreating\"}", false);
        jx_set_text(patch, "spec.nodeName", pod->node);
        jx_set_text(patch, "status.startTime", srv_now_text(s, now, 0));
        set(g, pod, "PodScheduled", "True", "", "");
        replace_container_status(g, pod, patch);
        set(g, pod, "PodReadyToStartContainers", "True", "", "");
        set(g, pod, "Initialized", "True", "", "");
        set(g, pod, "Ready", "False", "ContainersNotReady", "containers with unready status");
        set(g, pod, "ContainersReady", "False", "ContainersNotReady", "containers with unready status");
        snprintf(text, sizeof text, "Successfully assigned %s/%s to %s", g->ns, pod->name, pod->node);
        life_event(s, EVENT_MICRO, "default-scheduler", "Pod", g->ns, pod->name, pod->uid, "Normal", "Scheduled", text);
        snprintf(text, sizeof text, "Pulling image \"%s\"", g->image);
        life_event(s, EVENT_SECONDS, "kubelet", "Pod", g->ns, pod->name, pod->uid, "Normal", "Pulling", text);
    }
}

void gang_pulled(struct life *g, double seconds) {
    char text[400];
    EACH_POD(g, i, j) {
        const struct gang_pod *pod = &g->pods[i][j];
        snprintf(text, sizeof text,
                 "Successfully pulled image \"%s\" in %gs (%gs including waiting). Image size: 9663676416 bytes.",
                 g->image, seconds, seconds);
        life_event(g->srv, EVENT_SECONDS, "kubelet", "Pod", g->ns, pod->name, pod->uid, "Normal", "Pulled", text);
    }
}

void gang_start(struct life *g) {
    struct srv *s = g->srv;
    char now[40], state[100];
    EACH_POD(g, i, j) {
        const struct gang_pod *pod = &g->pods[i][j];
        snprintf(state, sizeof state, "\"running\":{\"startedAt\":\"%s\"}", srv_now_text(s, now, 0));
        json_t *patch = container_status(g, state, true);
        jx_set_text(patch, "status.phase", "Running");
        replace_container_status(g, pod, patch);
        set(g, pod, "Ready", "True", "", "");
        set(g, pod, "ContainersReady", "True", "", "");
        life_event(s, EVENT_SECONDS, "kubelet", "Pod", g->ns, pod->name, pod->uid, "Normal", "Started",
                   "Started container trainer");
        logs_get(&s->logs, pod->uid, g->container, true);
    }
    for (int i = 0; i < g->slices; i++)
        gang_job_status(g, i, g->hosts, g->hosts, 0, 0);
    gang_jobset_status(g, g->slices, g->slices, 0, 0, 0);
    if (g->restarts > 0) {
        life_condition_set(s, "jobsets", g->ns, g->name, "RestartingJobSet", "False", "JobsReady",
                           "all jobs are ready");
        life_event(s, EVENT_MICRO, "jobset", "JobSet", g->ns, g->name, g->uid, "Normal", "JobsReady",
                   "all jobs are ready");
    }
}

void gang_terminate(struct life *g, int slice, int host, int exit_code, const char *reason) {
    struct srv *s = g->srv;
    const struct gang_pod *pod = &g->pods[slice][host];
    struct object *o = kstore_find(&s->store, registry_named(&s->registry, "pods"), g->ns, pod->name);
    char now[40], state[300], started[40] = "";
    if (o == NULL)
        return;
    CLEANUP_JSON json_t *p = kstore_json(o);
    srv_now_text(s, now, 0);
    snprintf(started, sizeof started, "%s", jx_text(p, "status.containerStatuses.0.state.running.startedAt"));
    snprintf(state, sizeof state,
             "\"terminated\":{\"exitCode\":%d,\"reason\":\"%s\",\"startedAt\":\"%s\",\"finishedAt\":\"%s\"}", exit_code,
             reason, *started != '\0' ? started : now, now);
    json_t *patch = container_status(g, state, false);
    jx_set_text(patch, "status.phase", exit_code == 0 ? "Succeeded" : "Failed");
    replace_container_status(g, pod, patch);
    set(g, pod, "Ready", "False", exit_code == 0 ? "PodCompleted" : "PodFailed", "");
    set(g, pod, "ContainersReady", "False", exit_code == 0 ? "PodCompleted" : "PodFailed", "");
    struct log_container *log = logs_get(&s->logs, pod->uid, g->container, true);
    logs_end_run(log);
}

void gang_delete_pods(struct life *g) {
    struct srv *s = g->srv;
    char now[40];
    EACH_POD(g, i, j) {
        struct gang_pod *pod = &g->pods[i][j];
        struct object *o = kstore_find(&s->store, registry_named(&s->registry, "pods"), g->ns, pod->name);
        if (o == NULL)
            continue;
        life_patch(s, "pods", g->ns, pod->name,
                   jx_format("{\"metadata\":{\"deletionTimestamp\":\"%s\",\"deletionGracePeriodSeconds\":0}}",
                             srv_now_text(s, now, 0)));
        o = kstore_find(&s->store, registry_named(&s->registry, "pods"), g->ns, pod->name);
        if (o != NULL)
            srv_delete(s, o);
        pod->name[0] = '\0';
    }
}
