#include "fake.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "harness.h"
#include "replay.h"

struct model *fake_model(const char *more_spec) {
    struct model *m = model_new(&(struct model_options){0});
    replay_jobgoodput(m, "ns", "js", "None", more_spec, fake_ms(0));
    return m;
}

struct model *fake_successor(const char *status) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
    CLEANUP_FREE char *more = replay_left(status);
    replay_jobgoodput(m, "ns", "js", "None", more, fake_ms(0));
    return m;
}

char *fake_finish(struct model *m, double at) {
    char *s = replay_status(m, "ns", "js", fake_ms(at), NULL);
    model_free(m);
    return s;
}

char *fake_status(struct model *m, double at) {
    replay_watermarks(m, fake_ms(at));
    return replay_status(m, "ns", "js", fake_ms(at), NULL);
}

void fake_cut_checkpoint(char *status) {
    char *checkpoint = strstr(status, ",\"checkpoint\":\"");
    if (checkpoint != NULL)
        memcpy(checkpoint, "}", 2);
}

void fake_log_line(struct model *m, const char *pod, double at, const char *line) {
    CLEANUP_FREE char *uid = mem_format("uid-%s", pod);
    model_job_log_line(model_job_find(m, "ns", "js"), uid, 0, fake_ms(at) * 1000000, slice_of(line));
}

void fake_log_steps(struct model *m, const char *pod, int first, int last, int seconds, double at) {
    for (int step = first; step <= last; step++, at += seconds) {
        CLEANUP_FREE char *line =
            mem_format("completed step: %d, seconds: %d.000, TFLOP/s/device: 50.1, loss: 2.1", step, seconds);
        fake_log_line(m, pod, at, line);
    }
}

void fake_observe(struct model *m, enum resource resource, enum observed what, const char *name, const char *uid,
                  const char *json, double at) {
    CHECK_INT(model_observe(m, resource, what, SLICE("ns"), slice_of(name), slice_of(uid), slice_of(json), fake_ms(at)),
              0);
}

void fake_observe_jobgoodput(struct model *m, const struct fake_jobgoodput *g, double at) {
    const char *name = g->name ? g->name : "js";
    CLEANUP_FREE char *uid = mem_format("goodput-of-%s", name), *json = fake_jobgoodput_json(g);
    fake_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, name, uid, json, at);
}

void fake_observe_jobset_of(struct model *m, const struct fake_jobset *s, double at) {
    const char *name = s->name ? s->name : "js";
    CLEANUP_FREE char *uid = s->uid ? mem_strdup(s->uid) : mem_format("uid-%s", name), *json = fake_jobset_json(s);
    fake_observe(m, RESOURCE_JOBSET, s->deletion ? OBSERVED_DELETED : OBSERVED_PRESENT, name, uid, json, at);
}

void fake_observe_job_of(struct model *m, const struct fake_job *j, enum observed what, double at) {
    CLEANUP_FREE char *json = fake_job_json(j);
    fake_observe(m, RESOURCE_JOB, what, "js-slice-0", j->uid ? j->uid : "uid-job", json, at);
}

void fake_observe_pod(struct model *m, const struct fake_pod *p, enum observed what, double at) {
    CLEANUP_FREE char *uid = mem_format("uid-%s", p->name), *json = fake_pod_json(p);
    fake_observe(m, RESOURCE_POD, what, p->name, uid, json, at);
}

void fake_observe_jobset(struct model *m, int pods, const char *more_spec, const char *status, double at) {
    fake_observe_jobset_of(m, &(struct fake_jobset){.pods = pods, .more_spec = more_spec, .status = status}, at);
}

struct fake_pod fake_observe_trainer(struct model *m, const char *node_labels, const char *more_jobgoodput_spec) {
    struct fake_pod p = fake_pod("try1", 0, 990);
    p.node = "n0";
    p.bound = p.started = 994;
    p.phase = "Running";
    fake_observe_node(m, p.node, "True", 0, node_labels, "", 1);
    replay_jobgoodput(m, "ns", "js", "PodLog", more_jobgoodput_spec, fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 995);
    return p;
}

void fake_observe_jobset_deleted(struct model *m, int pods, int deletion, double at) {
    fake_observe_jobset_of(m, &(struct fake_jobset){.pods = pods, .deletion = deletion}, at);
}

void fake_observe_workload(struct model *m, const char *conditions, double at) {
    fake_observe_workload_status(m, conditions, "", at);
}

static void observe_workload(struct model *m, bool is_active, const char *conditions, const char *more, double at) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"wl\",\"uid\":\"uid-wl\",\"creationTimestamp\":%s,"
        "\"ownerReferences\":[{\"kind\":\"JobSet\",\"name\":\"js\",\"uid\":\"uid-js\",\"controller\":true}]},"
        "\"spec\":{\"active\":%s,\"queueName\":\"q\"},\"status\":{\"conditions\":[%s]%s}}",
        fake_time(0), is_active ? "true" : "false", conditions, more);
    fake_observe(m, RESOURCE_WORKLOAD, OBSERVED_PRESENT, "wl", "uid-wl", json, at);
}

void fake_observe_workload_inactive(struct model *m, const char *conditions, double at) {
    observe_workload(m, false, conditions, "", at);
}

void fake_observe_workload_status(struct model *m, const char *conditions, const char *more, double at) {
    observe_workload(m, true, conditions, more, at);
}

void fake_observe_node(struct model *m, const char *name, const char *ready, int since, const char *labels,
                       const char *taints, double at) {
    CLEANUP_FREE char *json = fake_node_json(name, labels, taints, ready, "NodeStatusUnknown", since);
    fake_observe(m, RESOURCE_NODE, OBSERVED_PRESENT, name, "", json, at);
}

void fake_observe_node_deleted(struct model *m, const char *name, const char *ready, int since, double at) {
    CLEANUP_FREE char *json = fake_node_json(name, "", "", ready, "KubeletNotReady", since);
    fake_observe(m, RESOURCE_NODE, OBSERVED_DELETED, name, "", json, at);
}

void fake_observe_heartbeat(struct model *m, const char *name, int since, int heartbeat, double at) {
    CLEANUP_FREE char *json = mem_format("{\"metadata\":{\"name\":\"%s\",\"uid\":\"uid-%s\"},\"spec\":{},\"status\":{"
                                         "\"conditions\":[{\"type\":\"Ready\","
                                         "\"status\":\"Unknown\",\"reason\":\"NodeStatusUnknown\","
                                         "\"lastTransitionTime\":%s,\"lastHeartbeatTime\":%s}]}}",
                                         name, name, fake_time(since), fake_time(heartbeat));
    fake_observe(m, RESOURCE_NODE, OBSERVED_PRESENT, name, "", json, at);
}

void fake_observe_lease(struct model *m, const char *node, double renewed) {
    char text[RFC3339_SIZE];
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"kube-node-lease\",\"name\":\"%s\",\"uid\":\"l\"},\"spec\":{\"renewTime\":"
        "\"%s\"}}",
        node, rfc3339_format(text, fake_ms(renewed) * 1000000, 6));
    fake_observe(m, RESOURCE_NODE_LEASE, OBSERVED_PRESENT, node, "l", json, renewed);
}

void fake_observe_event(struct model *m, const char *pod, const char *reason, const char *message, int at) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"e\",\"uid\":\"e\"},\"involvedObject\":{\"kind\":\"Pod\","
        "\"name\":"
        "\"%s\",\"uid\":\"uid-%s\"},\"reason\":\"%s\",\"message\":\"%s\",\"firstTimestamp\":%s,\"lastTimestamp\":%s}",
        pod, pod, reason, message, fake_time(at), fake_time(at));
    fake_observe(m, RESOURCE_EVENT, OBSERVED_PRESENT, "e", "e", json, at);
}

void fake_observe_job(struct model *m, int created, double at) {
    fake_observe_job_of(m, &(struct fake_job){.created = created}, OBSERVED_PRESENT, at);
}

void fake_observe_job_status(struct model *m, int created, const char *status, double at) {
    fake_observe_job_of(m, &(struct fake_job){.created = created, .status = status}, OBSERVED_PRESENT, at);
}

void fake_observe_job_deleted(struct model *m, int created, int deletion) {
    fake_observe_job_of(m, &(struct fake_job){.created = created, .deletion = deletion}, OBSERVED_DELETED,
                        deletion + 0.5);
}

void fake_observe_job_event(struct model *m, const char *reason, const char *message, int first, int last) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"e\",\"uid\":\"e\"},\"involvedObject\":{\"kind\":\"Job\","
        "\"name\":\"js-slice-0\",\"uid\":\"uid-job\"},\"reason\":\"%s\",\"message\":\"%s\",\"firstTimestamp\":%s,"
        "\"lastTimestamp\":%s}",
        reason, message, fake_time(first), fake_time(last));
    fake_observe(m, RESOURCE_EVENT, OBSERVED_PRESENT, "e", "e", json, last + 0.1);
}
