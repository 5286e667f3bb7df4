#include "fake_objects.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/rfc3339.h"

#include <stdio.h>

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

char *fake_other_uid(struct slice uid) {
    unsigned sum = 0;
    for (size_t i = 0; i < uid.size_bytes; i++)
        sum += (unsigned char)uid.data[i] * (unsigned)(i + 7);
    return mem_format("%c%.*s", (int)('a' + sum % 26), SLICE_ARG(uid));
}

char *fake_other_uids(struct slice json) {
    static const char key[] = "uid\":\"";
    struct buf out;
    buf_init(&out, SIZE_MAX / 2);
    for (const char *at; (at = slice_find(json, key)) != NULL;) {
        struct slice rest = slice_skip(json, (size_t)(at - json.data) + sizeof key - 1), uid;
        buf_append(&out, json.data, (size_t)(rest.data - json.data));
        if (!slice_take_until(&rest, '"', &uid))
            break;
        CLEANUP_FREE char *other = fake_other_uid(uid);
        buf_append_text(&out, uid.size_bytes > 0 ? other : "");
        json = slice_range(rest.data - 1, rest.data + rest.size_bytes);
    }
    buf_append(&out, json.data, json.size_bytes);
    return buf_take(&out);
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

static const char *given_or(const char *text, const char *otherwise) {
    return text != NULL ? text : otherwise;
}

char *fake_jobgoodput_json(const struct fake_jobgoodput *g) {
    const char *name = given_or(g->name, "js"),
               *step_log = given_or(g->step_log, "\"source\":\"None\",\"format\":\"Auto\"");
    int generation = g->generation != 0 ? g->generation : 1;
    return mem_format(
        "{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{\"namespace\":"
        "\"%s\",\"name\":\"%s\",\"uid\":\"goodput-of-%s\",\"resourceVersion\":\"%d\",\"generation\":%d,"
        "\"creationTimestamp\":%s%s%s%s},\"spec\":{\"targetRef\":{\"apiGroup\":\"jobset.x-k8s.io\",\"kind\":"
        "\"JobSet\",\"name\":\"%s\"}%s%s%s%s}%s%s}",
        given_or(g->namespace_, "ns"), name, name, g->version != 0 ? g->version : generation, generation,
        fake_time(g->created), g->labels ? ",\"labels\":{" : "", given_or(g->labels, ""), g->labels ? "}" : "",
        given_or(g->target, name), step_log[0] ? ",\"stepLog\":{" : "", step_log, step_log[0] ? "}" : "",
        given_or(g->more, ""), g->status ? ",\"status\":" : "", given_or(g->status, ""));
}

char *fake_jobset_json(const struct fake_jobset *s) {
    const char *name = given_or(s->name, "js");
    CLEANUP_FREE char *uid = mem_format("%s%s", s->uid ? "" : "uid-", given_or(s->uid, name));
    int pods = s->pods != 0 ? s->pods : 1;
    return mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\",\"creationTimestamp\":%s%s%s"
        "%s},\"spec\":{\"replicatedJobs\":[%s{\"name\":\"slice\"%s,\"replicas\":%d,\"template\":{\"spec\":{"
        "\"parallelism\":%d,\"completions\":%d,\"template\":{\"spec\":{\"containers\":[{\"name\":"
        "\"train\",\"resources\":{\"limits\":{\"google.com/tpu\":\"4\"}}}]}}}}}]%s},\"status\":{%s}}",
        name, uid, fake_time(s->created), s->deletion ? ",\"deletionTimestamp\":" : "",
        s->deletion ? fake_time(s->deletion) : "", given_or(s->more_meta, ""), given_or(s->more_jobs, ""),
        given_or(s->more_slice, ""), s->replicas != 0 ? s->replicas : 1, pods, pods, given_or(s->more_spec, ""),
        given_or(s->status, ""));
}

char *fake_job_json(const struct fake_job *j) {
    return mem_format("{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js-slice-0\",\"uid\":\"%s\","
                      "\"creationTimestamp\":%s%s%s,\"labels\":{\"jobset.sigs.k8s.io/jobset-uid\":\"uid-js\","
                      "\"jobset.sigs.k8s.io/jobset-name\":\"js\",\"jobset.sigs.k8s.io/replicatedjob-name\":\"%s\","
                      "\"jobset.sigs.k8s.io/job-index\":\"0\"%s%s%s}},\"spec\":{},\"status\":{%s}}",
                      given_or(j->uid, "uid-job"), fake_time(j->created), j->deletion ? ",\"deletionTimestamp\":" : "",
                      j->deletion ? fake_time(j->deletion) : "", given_or(j->replicated_job, "slice"),
                      j->attempt ? ",\"jobset.sigs.k8s.io/restart-attempt\":\"" : "", given_or(j->attempt, ""),
                      j->attempt ? "\"" : "", given_or(j->status, ""));
}

struct fake_pod fake_pod(const char *name, int index, int created) {
    return (struct fake_pod){.name = name,
                             .node = "n0",
                             .container = "train",
                             .index = index,
                             .chips = 4,
                             .created = created,
                             .bound = -1,
                             .started = -1,
                             .finished = -1,
                             .unschedulable = -1,
                             .gated = -1,
                             .asked_to_go = -1,
                             .last_finished = -1,
                             .phase = "Pending",
                             .reason = "Error",
                             .waiting = "ContainerCreating",
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

static void add_state(struct buf *b, const struct fake_pod *p) {
    if (p->finished >= 0)
        buf_format(b, "{\"terminated\":{\"exitCode\":%d,\"reason\":\"%s\",\"startedAt\":%s,\"finishedAt\":%s%s%s}}",
                   p->exit_code, p->exit_code ? p->reason : "Completed", fake_time(p->started), fake_time(p->finished),
                   p->message ? ",\"message\":" : "", given_or(p->message, ""));
    else if (p->started >= 0)
        buf_format(b, "{\"running\":{\"startedAt\":%s}}", fake_time(p->started));
    else
        buf_format(b, "{\"waiting\":{\"reason\":\"%s\"}}", p->waiting);
    if (p->last_finished >= 0)
        buf_format(b, ",\"lastState\":{\"terminated\":{\"exitCode\":%d,\"reason\":\"Error\",\"finishedAt\":%s}}",
                   p->last_exit_code, fake_time(p->last_finished));
}

static void add_metadata(struct buf *b, const struct fake_pod *p) {
    const char *jobset = given_or(p->jobset, "js");
    buf_format(b, "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"uid-%s\",\"creationTimestamp\":%s%s",
               p->name, p->name, fake_time(p->created), given_or(p->more_meta, ""));
    if (p->asked_to_go >= 0)
        buf_format(b, ",\"deletionTimestamp\":%s,\"deletionGracePeriodSeconds\":%d",
                   fake_time(p->asked_to_go + p->grace), p->grace);
    buf_format(b,
               ",\"labels\":{\"jobset.sigs.k8s.io/jobset-uid\":\"uid-%s\",\"jobset.sigs.k8s.io/jobset-name\":\"%s\","
               "\"jobset.sigs.k8s.io/replicatedjob-name\":\"%s\",\"jobset.sigs.k8s.io/job-index\":\"%d\"",
               jobset, jobset, given_or(p->replicated_job, "slice"), p->job_index);
    if (p->index >= 0)
        buf_format(b, ",\"batch.kubernetes.io/job-completion-index\":\"%d\"", p->index);
    buf_format(b, "%s%s%s}}", p->job_uid ? ",\"batch.kubernetes.io/controller-uid\":\"" : "", given_or(p->job_uid, ""),
               p->job_uid ? "\"" : "");
}

static void add_conditions(struct buf *b, const struct fake_pod *p) {
    if (p->bound >= 0)
        buf_append_text(b, fake_condition("PodScheduled", "True", "", p->bound));
    else if (p->unschedulable >= 0)
        buf_append_text(b, fake_condition("PodScheduled", "False", "Unschedulable", p->unschedulable));
    else if (p->gated >= 0)
        buf_append_text(b, fake_condition("PodScheduled", "False", "SchedulingGated", p->gated));
    else
        buf_append_text(b, "{}");
    if (p->ready > 0)
        buf_format(b, ",%s",
                   p->unready > 0 ? fake_condition("Ready", "False", "ContainersNotReady", p->unready)
                                  : fake_condition("Ready", "True", "", p->ready));
    if (p->disruption)
        buf_format(b, ",%s",
                   fake_condition(strncmp(p->disruption, "WorkloadEvicted", 15) == 0 ? "TerminationTarget"
                                                                                     : "DisruptionTarget",
                                  "True", p->disruption, p->asked_to_go));
    if (p->failed_by_kueue > 0)
        buf_format(b, ",%s",
                   fake_condition("TerminatedByKueue", "True", "UnschedulableOnAssignedNode", p->failed_by_kueue));
}

char *fake_pod_json(const struct fake_pod *p) {
    struct buf b;
    buf_init(&b, 65536);
    add_metadata(&b, p);
    buf_format(&b, ",\"spec\":{\"restartPolicy\":\"%s\",\"containers\":[{\"name\":\"%s\"", p->restart_policy,
               p->container);
    if (p->chips > 0)
        buf_format(&b, ",\"resources\":{\"limits\":{\"google.com/tpu\":\"%d\"}}", p->chips);
    buf_format(&b, "%s}]", given_or(p->container_more, ""));
    if (p->bound >= 0 || p->has_node)
        buf_format(&b, ",\"nodeName\":\"%s\"", p->node);
    buf_format(&b, "},\"status\":{\"phase\":\"%s\",\"conditions\":[", p->phase);
    add_conditions(&b, p);
    buf_format(&b, "],\"containerStatuses\":[{\"name\":\"%s\",\"restartCount\":%d,\"state\":", p->container,
               p->restart_count);
    add_state(&b, p);
    buf_append_text(&b, "}]}}");
    return buf_take(&b);
}

char *fake_node_json(const char *name, const char *labels, const char *taints, const char *ready, const char *reason,
                     int since) {
    return mem_format("{\"metadata\":{\"name\":\"%s\",\"uid\":\"uid-%s\",\"labels\":{%s}},\"spec\":{\"taints\":[%s]},"
                      "\"status\":{\"conditions\":[%s]}}",
                      name, name, labels, taints, fake_condition("Ready", ready, reason, since));
}
