#include "fake.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "harness.h"
#include "replay.h"

struct model *fake_model(const char *more_spec) {
    struct model *m = model_new(&(struct model_options){.version = "test"});
    replay_jobgoodput(m, "ns", "js", "None", more_spec, fake_ms(0));
    return m;
}

struct model *fake_successor(const char *status) {
    struct model *m = model_new(&(struct model_options){.version = "test", .keeps_checkpoints = true});
    CLEANUP_FREE char *more = replay_left(status);
    replay_jobgoodput(m, "ns", "js", "None", more, fake_ms(0));
    return m;
}

char *fake_finish(struct model *m, double at) {
    char *s = replay_status(m, "ns", "js", fake_ms(at), NULL);
    model_free(m);
    return s;
}

int64_t fake_ms(double at) {
    return (int64_t)FAKE_EPOCH_S * 1000 + (int64_t)(at * 1000);
}

const char *fake_time(int at) {
    static char ring[16][RFC3339_SIZE + 2];
    static int next;
    char text[RFC3339_SIZE], *out = ring[next++ % 16];
    snprintf(out, sizeof ring[0], "\"%s\"", rfc3339_format_s(text, fake_ms(at)));
    return out;
}

const char *fake_condition(const char *type, const char *status, const char *reason, int at) {
    static char ring[16][320];
    static int next;
    char *out = ring[next++ % 16];
    snprintf(out, sizeof ring[0],
             "{\"type\":\"%s\",\"status\":\"%s\",\"reason\":\"%s\",\"message\":\"so \\\"it\\\" is\","
             "\"lastTransitionTime\":%s}",
             type, status, reason, fake_time(at));
    return out;
}

struct fake_pod fake_pod(const char *name, int index, int created) {
    return (struct fake_pod){.name = name,
                             .node = "n0",
                             .container = "train",
                             .index = index,
                             .created = created,
                             .bound = -1,
                             .started = -1,
                             .finished = -1,
                             .unschedulable = -1,
                             .asked_to_go = -1,
                             .last_finished = -1,
                             .phase = "Pending",
                             .reason = "Error",
                             .restart_policy = "Never"};
}

struct fake_pod fake_started(const char *name, int index, int created, int bound, int started) {
    struct fake_pod p = fake_pod(name, index, created);
    p.bound = bound;
    p.started = started;
    p.phase = "Running";
    return p;
}

struct fake_pod fake_running(const char *name, const char *node, int created) {
    struct fake_pod p = fake_started(name, 0, created, created + 1, created + 2);
    p.node = node;
    return p;
}

static void observe(struct model *m, enum resource resource, enum observed what, const char *name, const char *uid,
                    const char *json, double at) {
    CHECK_INT(model_observe(m, resource, what, SLICE("ns"), slice_of(name), slice_of(uid), slice_of(json), fake_ms(at)),
              0);
}

static void add_state(struct buf *b, const struct fake_pod *p) {
    if (p->finished >= 0)
        buf_format(b, "{\"terminated\":{\"exitCode\":%d,\"reason\":\"%s\",\"startedAt\":%s,\"finishedAt\":%s}}",
                   p->exit_code, p->exit_code ? p->reason : "Completed", fake_time(p->started), fake_time(p->finished));
    else if (p->started >= 0)
        buf_format(b, "{\"running\":{\"startedAt\":%s}}", fake_time(p->started));
    else
        buf_append_text(b, "{\"waiting\":{\"reason\":\"ContainerCreating\"}}");
    if (p->last_finished >= 0)
        buf_format(b, ",\"lastState\":{\"terminated\":{\"exitCode\":%d,\"reason\":\"Error\",\"finishedAt\":%s}}",
                   p->last_exit_code, fake_time(p->last_finished));
}

void fake_observe_pod(struct model *m, const struct fake_pod *p, enum observed what, double at) {
    CLEANUP_BUF struct buf b;
    buf_init(&b, 65536);
    buf_format(&b, "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"uid-%s\",\"creationTimestamp\":%s",
               p->name, p->name, fake_time(p->created));
    if (p->asked_to_go >= 0)
        buf_format(&b, ",\"deletionTimestamp\":%s,\"deletionGracePeriodSeconds\":%d",
                   fake_time(p->asked_to_go + p->grace), p->grace);
    buf_format(&b,
               ",\"labels\":{\"jobset.sigs.k8s.io/jobset-uid\":\"uid-js\",\"jobset.sigs.k8s.io/jobset-name\":\"js\","
               "\"jobset.sigs.k8s.io/replicatedjob-name\":\"slice\",\"jobset.sigs.k8s.io/job-index\":\"0\","
               "\"batch.kubernetes.io/"
               "job-completion-index\":\"%d\"%s%s%s}},\"spec\":{\"restartPolicy\":\"%s\",\"containers\":[{"
               "\"name\":\"%s\",\"resources\":{\"limits\":{\"google.com/tpu\":\"4\"}}%s}]",
               p->index, p->job_uid ? ",\"batch.kubernetes.io/controller-uid\":\"" : "", p->job_uid ? p->job_uid : "",
               p->job_uid ? "\"" : "", p->restart_policy, p->container, p->container_more ? p->container_more : "");
    if (p->bound >= 0)
        buf_format(&b, ",\"nodeName\":\"%s\"", p->node);
    buf_format(&b, "},\"status\":{\"phase\":\"%s\",\"conditions\":[", p->phase);
    if (p->bound >= 0)
        buf_append_text(&b, fake_condition("PodScheduled", "True", "", p->bound));
    else
        buf_append_text(&b, p->unschedulable >= 0
                                ? fake_condition("PodScheduled", "False", "Unschedulable", p->unschedulable)
                                : "{}");
    if (p->ready > 0)
        buf_format(&b, ",%s",
                   p->unready > 0 ? fake_condition("Ready", "False", "ContainersNotReady", p->unready)
                                  : fake_condition("Ready", "True", "", p->ready));
    if (p->disruption)
        buf_format(&b, ",%s", fake_condition("DisruptionTarget", "True", p->disruption, p->asked_to_go));
    if (p->failed_by_kueue > 0)
        buf_format(&b, ",%s",
                   fake_condition("TerminatedByKueue", "True", "UnschedulableOnAssignedNode", p->failed_by_kueue));
    buf_format(&b, "],\"containerStatuses\":[{\"name\":\"%s\",\"restartCount\":%d,\"state\":", p->container,
               p->restart_count);
    add_state(&b, p);
    buf_append_text(&b, "}]}}");
    CLEANUP_FREE char *uid = mem_format("uid-%s", p->name);
    observe(m, RESOURCE_POD, what, p->name, uid, buf_text(&b), at);
}

static char *jobset_json(int pods, const char *more_meta, const char *more_spec, const char *status) {
    return mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js\",\"uid\":\"uid-js\",\"creationTimestamp\":%s%s},"
        "\"spec\":{\"replicatedJobs\":[{\"name\":\"slice\",\"replicas\":1,\"template\":{\"spec\":{"
        "\"parallelism\":%d,\"completions\":%d,\"template\":{\"spec\":{\"containers\":[{\"name\":\"train\","
        "\"resources\":{\"limits\":{\"google.com/tpu\":\"4\"}}}]}}}}}]%s},\"status\":{%s}}",
        fake_time(0), more_meta, pods, pods, more_spec, status);
}

void fake_observe_jobset(struct model *m, int pods, const char *more_spec, const char *status, double at) {
    CLEANUP_FREE char *json = jobset_json(pods, "", more_spec, status);
    observe(m, RESOURCE_JOBSET, OBSERVED_PRESENT, "js", "uid-js", json, at);
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
    CLEANUP_FREE char *meta = mem_format(",\"deletionTimestamp\":%s", fake_time(deletion));
    CLEANUP_FREE char *json = jobset_json(pods, meta, "", "");
    observe(m, RESOURCE_JOBSET, OBSERVED_DELETED, "js", "uid-js", json, at);
}

void fake_observe_workload(struct model *m, const char *conditions, double at) {
    fake_observe_workload_status(m, conditions, "", at);
}

void fake_observe_workload_status(struct model *m, const char *conditions, const char *more, double at) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"wl\",\"uid\":\"uid-wl\",\"creationTimestamp\":%s,"
        "\"ownerReferences\":[{\"kind\":\"JobSet\",\"name\":\"js\",\"uid\":\"uid-js\",\"controller\":true}]},"
        "\"spec\":{\"active\":true,\"queueName\":\"q\"},\"status\":{\"conditions\":[%s]%s}}",
        fake_time(0), conditions, more);
    observe(m, RESOURCE_WORKLOAD, OBSERVED_PRESENT, "wl", "uid-wl", json, at);
}

void fake_observe_node(struct model *m, const char *name, const char *ready, int since, const char *labels,
                       const char *taints, double at) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"name\":\"%s\",\"uid\":\"uid-%s\",\"labels\":{%s}},\"spec\":{\"taints\":[%s]},\"status\":{"
        "\"conditions\":[%s]}}",
        name, name, labels, taints, fake_condition("Ready", ready, "NodeStatusUnknown", since));
    observe(m, RESOURCE_NODE, OBSERVED_PRESENT, name, "", json, at);
}

void fake_observe_node_deleted(struct model *m, const char *name, const char *ready, int since, double at) {
    CLEANUP_FREE char *json =
        mem_format("{\"metadata\":{\"name\":\"%s\",\"uid\":\"uid-%s\"},\"spec\":{},\"status\":{\"conditions\":[%s]}}",
                   name, name, fake_condition("Ready", ready, "KubeletNotReady", since));
    observe(m, RESOURCE_NODE, OBSERVED_DELETED, name, "", json, at);
}

void fake_observe_heartbeat(struct model *m, const char *name, int since, int heartbeat, double at) {
    CLEANUP_FREE char *json = mem_format("{\"metadata\":{\"name\":\"%s\",\"uid\":\"uid-%s\"},\"spec\":{},\"status\":{"
                                         "\"conditions\":[{\"type\":\"Ready\","
                                         "\"status\":\"Unknown\",\"reason\":\"NodeStatusUnknown\","
                                         "\"lastTransitionTime\":%s,\"lastHeartbeatTime\":%s}]}}",
                                         name, name, fake_time(since), fake_time(heartbeat));
    observe(m, RESOURCE_NODE, OBSERVED_PRESENT, name, "", json, at);
}

void fake_observe_lease(struct model *m, const char *node, double renewed) {
    char text[RFC3339_SIZE];
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"kube-node-lease\",\"name\":\"%s\",\"uid\":\"l\"},\"spec\":{\"renewTime\":"
        "\"%s\"}}",
        node, rfc3339_format(text, fake_ms(renewed) * 1000000, 6));
    observe(m, RESOURCE_NODE_LEASE, OBSERVED_PRESENT, node, "l", json, renewed);
}

void fake_observe_event(struct model *m, const char *pod, const char *reason, const char *message, int at) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"e\",\"uid\":\"e\"},\"involvedObject\":{\"kind\":\"Pod\","
        "\"name\":"
        "\"%s\",\"uid\":\"uid-%s\"},\"reason\":\"%s\",\"message\":\"%s\",\"firstTimestamp\":%s,\"lastTimestamp\":%s}",
        pod, pod, reason, message, fake_time(at), fake_time(at));
    observe(m, RESOURCE_EVENT, OBSERVED_PRESENT, "e", "e", json, at);
}

void fake_observe_job(struct model *m, int created, double at) {
    fake_observe_job_status(m, created, "", at);
}

static char *job_json(int created, const char *more_meta, const char *status) {
    return mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js-slice-0\",\"uid\":\"uid-job\",\"creationTimestamp\":%s%s,"
        "\"labels\":{\"jobset.sigs.k8s.io/jobset-uid\":\"uid-js\",\"jobset.sigs.k8s.io/jobset-name\":\"js\","
        "\"jobset.sigs.k8s.io/replicatedjob-name\":\"slice\",\"jobset.sigs.k8s.io/job-index\":\"0\"}},\"spec\":{},"
        "\"status\":{%s}}",
        fake_time(created), more_meta, status);
}

void fake_observe_job_status(struct model *m, int created, const char *status, double at) {
    CLEANUP_FREE char *json = job_json(created, "", status);
    observe(m, RESOURCE_JOB, OBSERVED_PRESENT, "js-slice-0", "uid-job", json, at);
}

void fake_observe_job_deleted(struct model *m, int created, int deletion) {
    CLEANUP_FREE char *meta = mem_format(",\"deletionTimestamp\":%s", fake_time(deletion));
    CLEANUP_FREE char *json = job_json(created, meta, "");
    observe(m, RESOURCE_JOB, OBSERVED_DELETED, "js-slice-0", "uid-job", json, deletion + 0.5);
}

void fake_observe_job_event(struct model *m, const char *reason, const char *message, int first, int last) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"e\",\"uid\":\"e\"},\"involvedObject\":{\"kind\":\"Job\","
        "\"name\":\"js-slice-0\",\"uid\":\"uid-job\"},\"reason\":\"%s\",\"message\":\"%s\",\"firstTimestamp\":%s,"
        "\"lastTimestamp\":%s}",
        reason, message, fake_time(first), fake_time(last));
    observe(m, RESOURCE_EVENT, OBSERVED_PRESENT, "e", "e", json, last + 0.1);
}
