/* The commands of the life level. Each is one act of one gang; README.md lists them. */
#include "life.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "base/slice.h"

#include <stdio.h>
#include <string.h>

static struct life *find(struct srv *s, const char *name) {
    for (struct life *g = s->lives; g != NULL; g = g->next)
        if (strcmp(g->name, name) == 0)
            return g;
    return NULL;
}

/* "key value" pairs of a line: the value after the word `key`, or the preset. */
static const char *option(const char *line, const char *key, const char *preset, char out[static 160]) {
    CLEANUP_FREE char *needle = mem_format(" %s ", key);
    const char *p = strstr(line, needle);
    if (p == NULL)
        snprintf(out, 160, "%s", preset);
    else if (sscanf(p + strlen(needle), "%159s", out) != 1)
        out[0] = '\0';
    return out;
}

static double number(const char *line, const char *key, const char *preset) {
    char text[160];
    return strtod(option(line, key, preset, text), NULL);
}

static void define_pools(struct life *g, char *list) {
    char *save = NULL, *pool = strtok_r(list, ",", &save);
    for (int i = 0; i < g->slices && i < LIFE_SLICES && pool != NULL; i++) {
        slice_copy(g->pools[i], sizeof g->pools[i], slice_of(pool));
        pool = strtok_r(NULL, ",", &save);
    }
}

/* gang NAME namespace NS slices 2 hosts 4 chips 4 queue Q pools P0,P1 image I step 0.4 checkpoint 20 compile 3 ... */
static int define(struct srv *s, const char *name, const char *line, char why[static 200]) {
    struct life *g = mem_new(struct life);
    char text[160];
    g->srv = s;
    snprintf(g->name, sizeof g->name, "%s", name);
    snprintf(g->ns, sizeof g->ns, "%.63s", option(line, "namespace", "default", text));
    snprintf(g->queue, sizeof g->queue, "%.63s", option(line, "queue", "tpu-queue", text));
    snprintf(g->image, sizeof g->image, "%.159s", option(line, "image", "registry.example/maxtext:v1", text));
    snprintf(g->container, sizeof g->container, "%.31s", option(line, "container", "trainer", text));
    g->slices = (int)number(line, "slices", "1");
    g->hosts = (int)number(line, "hosts", "1");
    g->chips = (int)number(line, "chips", "4");
    g->steps = (int)number(line, "steps", "1000");
    g->step_s = number(line, "step", "0.4");
    g->compile_s = number(line, "compile", "2");
    g->save_s = number(line, "save", "0.2");
    g->persist_s = number(line, "persist", "1");
    g->restore_s = number(line, "restore", "1");
    g->checkpoint_every = (int)number(line, "checkpoint", "20");
    g->trainer.durable = g->trainer.saving = -1;
    g->next = s->lives;
    s->lives = g;
    option(line, "pools", "pool-0", text);
    define_pools(g, text);
    if (g->slices > 0 && g->slices <= LIFE_SLICES && g->hosts > 0 && g->hosts <= LIFE_HOSTS && g->checkpoint_every > 0)
        return 0;
    snprintf(why, 200, "1 to %d slices of 1 to %d hosts, checkpoint at least 1", LIFE_SLICES, LIFE_HOSTS);
    return -1;
}

/* nodes POOL count 4 chips 4 */
static int make_nodes(struct srv *s, const char *pool, const char *line, char why[static 200]) {
    int count = (int)number(line, "count", "1"), chips = (int)number(line, "chips", "4");
    char now[40];
    srv_now_text(s, now, 0);
    for (int i = 0; i < count; i++) {
        CLEANUP_JSON json_t *o = jx_format(
            "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s-%d\",\"labels\":{\"kubernetes.io/"
            "hostname\":"
            "\"%s-%d\",\"cloud.google.com/gke-nodepool\":\"%s\",\"cloud.google.com/gke-tpu-accelerator\":"
            "\"tpu-v5-lite-podslice\",\"cloud.google.com/gke-tpu-topology\":\"4x4\",\"node.kubernetes.io/"
            "instance-type\":"
            "\"ct5lp-hightpu-4t\",\"topology.kubernetes.io/zone\":\"us-west4-a\"}},\"spec\":{\"taints\":[{\"key\":"
            "\"google.com/"
            "tpu\",\"value\":\"present\",\"effect\":\"NoSchedule\"}]},\"status\":{\"capacity\":{\"cpu\":\"112\","
            "\"google.com/tpu\":\"%d\",\"memory\":\"192Gi\",\"pods\":\"110\"},\"allocatable\":{\"cpu\":\"112\","
            "\"google.com/"
            "tpu\":\"%d\",\"memory\":\"192Gi\",\"pods\":\"110\"},\"conditions\":[{\"type\":\"Ready\",\"status\":"
            "\"True\",\"lastHeartbeatTime\":\"%s\",\"lastTransitionTime\":\"%s\",\"reason\":\"KubeletReady\","
            "\"message\":"
            "\"kubelet is posting ready status\"}],\"nodeInfo\":{\"kubeletVersion\":\"v1.34.0\"}}}",
            pool, i, pool, i, pool, chips, chips, now, now);
        if (srv_apply(s, o, why) == NULL)
            return -1;
    }
    return 0;
}

/* The kubelet's last sign of life. */
static void renew_lease(struct srv *s, const char *node, double ago_s) {
    char renewed[RFC3339_SIZE], why[200];
    rfc3339_format(renewed, (srv_now_us(s) - (int64_t)(ago_s * 1e6)) * 1000, 6);
    CLEANUP_JSON json_t *lease =
        jx_format("{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\",\"metadata\":{\"name\":\"%s\","
                  "\"namespace\":\"kube-node-lease\"},\"spec\":{\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":40,"
                  "\"renewTime\":\"%s\"}}",
                  node, node, renewed);
    srv_apply(s, lease, why);
}

static int lose_node(struct srv *s, const char *node, bool is_lost, double silent_s) {
    char now[40], beat[40];
    renew_lease(s, node, silent_s);
    rfc3339_format(beat, (srv_now_us(s) - (int64_t)(silent_s * 1e6)) * 1000, 0);
    srv_now_text(s, now, 0);
    json_t *taints =
        is_lost
            ? jx_format("[{\"key\":\"google.com/tpu\",\"value\":\"present\",\"effect\":\"NoSchedule\"},{\"key\":"
                        "\"node.kubernetes.io/unreachable\",\"effect\":\"NoSchedule\",\"timeAdded\":\"%s\"},{\"key\":"
                        "\"node.kubernetes.io/unreachable\",\"effect\":\"NoExecute\",\"timeAdded\":\"%s\"}]",
                        now, now)
            : jx_format("[{\"key\":\"google.com/tpu\",\"value\":\"present\",\"effect\":\"NoSchedule\"}]");
    life_patch(s, "nodes", "", node,
               jx_format("{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"lastHeartbeatTime\":\"%s\"}]}}", beat));
    life_condition_set(s, "nodes", "", node, "Ready", is_lost ? "Unknown" : "True",
                       is_lost ? "NodeStatusUnknown" : "KubeletReady",
                       is_lost ? "Kubelet stopped posting node status." : "kubelet is posting ready status");
    json_t *patch = json_object();
    jx_set(patch, "spec.taints", taints);
    bool found = life_patch(s, "nodes", "", node, patch);
    if (found)
        life_event(s, EVENT_SECONDS, "node-controller", "Node", "", node, node, "Normal",
                   is_lost ? "NodeNotReady" : "NodeReady",
                   is_lost ? "Node status is now: NodeNotReady" : "Node status is now: NodeReady");
    return found ? 0 : -1;
}

/* The taint manager deletes the node's pods, their Jobs fail, and JobSet restarts the whole set. */
static void fail_by_taint(struct life *g, const char *node) {
    struct srv *s = g->srv;
    for (int i = 0; i < g->slices; i++) {
        for (int j = 0; j < g->hosts; j++) {
            const struct gang_pod *pod = &g->pods[i][j];
            char job[128], due[RFC3339_SIZE];
            if (strcmp(pod->node, node) != 0)
                continue;
            life_condition_set(s, "pods", g->ns, pod->name, "DisruptionTarget", "True", "DeletionByTaintManager",
                               "Taint manager: deleting due to NoExecute taint");
            CLEANUP_FREE char *text = mem_format("Marking for deletion Pod %s/%s", g->ns, pod->name);
            life_event(s, EVENT_SECONDS, "taint-eviction-controller", "Pod", g->ns, pod->name, pod->uid, "Normal",
                       "TaintManagerEviction", text);
            /* the kubelet is dead: the pod stays Terminating, its deletion a grace period ahead */
            life_patch(s, "pods", g->ns, pod->name,
                       jx_format("{\"metadata\":{\"deletionTimestamp\":\"%s\",\"deletionGracePeriodSeconds\":30}}",
                                 rfc3339_format(due, srv_now_us(s) * 1000 + 30000000000, 0)));
            snprintf(job, sizeof job, "%s-slice-%d", g->name, i);
            gang_job_status(g, i, g->hosts - 1, g->hosts - 1, 0, 1);
            life_condition_set(s, "jobs", g->ns, job, "FailureTarget", "True", "BackoffLimitExceeded",
                               "Job has reached the specified backoff limit");
            life_condition_set(s, "jobs", g->ns, job, "Failed", "True", "BackoffLimitExceeded",
                               "Job has reached the specified backoff limit");
            life_event(s, EVENT_SECONDS, "job-controller", "Job", g->ns, job, g->job_uids[i], "Warning",
                       "BackoffLimitExceeded", "Job has reached the specified backoff limit");
        }
    }
}

static void restart(struct life *g) {
    struct srv *s = g->srv;
    CLEANUP_FREE char *text =
        mem_format("applying RestartJobSet failure policy action (first failed job: %s-slice-1)", g->name);
    trainer_stop(g);
    g->restarts++;
    gang_jobset_status(g, g->slices - 1, g->slices - 1, 0, 1, 0);
    life_condition_set(s, "jobsets", g->ns, g->name, "RestartingJobSet", "True", "DefaultFailurePolicy", text);
    life_event(s, EVENT_MICRO, "jobset", "JobSet", g->ns, g->name, g->uid, "Warning",
               "RestartJobSetFailurePolicyAction", text);
    gang_delete_pods(g);
    gang_delete_jobs(g);
    gang_make_jobs(g, false);
    gang_make_pods(g);
}

static void preempt(struct life *g) {
    trainer_stop(g);
    gang_evict(g);
    gang_resume(g, true);
    for (int i = 0; i < g->slices; i++)
        for (int j = 0; j < g->hosts; j++)
            gang_terminate(g, i, j, 143, "Error");
    gang_delete_pods(g);
    gang_jobset_status(g, 0, 0, 0, 0, g->slices);
    gang_unreserve(g);
}

static void complete(struct life *g) {
    struct srv *s = g->srv;
    for (int i = 0; i < g->slices; i++) {
        char job[128], now[40];
        for (int j = 0; j < g->hosts; j++)
            gang_terminate(g, i, j, 0, "Completed");
        snprintf(job, sizeof job, "%s-slice-%d", g->name, i);
        gang_job_status(g, i, 0, 0, g->hosts, 0);
        life_patch(s, "jobs", g->ns, job,
                   jx_format("{\"status\":{\"completionTime\":\"%s\"}}", srv_now_text(s, now, 0)));
        life_condition_set(s, "jobs", g->ns, job, "Complete", "True", "CompletionsReached",
                           "Reached expected number of succeeded pods");
        life_event(s, EVENT_SECONDS, "job-controller", "Job", g->ns, job, g->job_uids[i], "Normal", "Completed",
                   "Job completed");
    }
    trainer_stop(g);
    gang_jobset_status(g, 0, 0, g->slices, 0, 0);
    life_patch(s, "jobsets", g->ns, g->name, jx_format("{\"status\":{\"terminalState\":\"Completed\"}}"));
    life_condition_set(s, "jobsets", g->ns, g->name, "Completed", "True", "AllJobsCompleted",
                       "jobset completed successfully");
    life_event(s, EVENT_MICRO, "jobset", "JobSet", g->ns, g->name, g->uid, "Normal", "AllJobsCompleted",
               "jobset completed successfully");
    gang_finish_workload(g);
}

static void admit(struct life *g) {
    gang_admit(g);
    gang_resume(g, false);
    gang_make_pods(g);
}

static int act(struct life *g, const char *verb, const char *argument) {
    static const struct {
        const char *verb;
        void (*run)(struct life *g);
    } acts[] = {{"submit", gang_submit}, {"admit", admit},     {"bind", gang_bind},    {"start", gang_start},
                {"restart", restart},    {"preempt", preempt}, {"complete", complete}, {"hang", trainer_stop}};
    for (size_t i = 0; i < ARRAY_SIZE(acts); i++) {
        if (strcmp(verb, acts[i].verb) == 0) {
            acts[i].run(g);
            return 0;
        }
    }
    if (strcmp(verb, "unschedulable") == 0)
        gang_unschedulable(g, argument);
    else if (strcmp(verb, "pulled") == 0)
        gang_pulled(g, strtod(argument, NULL));
    else if (strcmp(verb, "train") == 0)
        trainer_start(g, (int)strtol(argument, NULL, 10));
    else if (strcmp(verb, "fail-by-taint") == 0)
        fail_by_taint(g, argument);
    else
        return 1;
    return 0;
}

int life_command(struct srv *s, const char *line, char why[static 200]) {
    char verb[32] = "", name[64] = "", rest[400] = "";
    if (sscanf(line, "%31s %63s %399[^\n]", verb, name, rest) < 2)
        return 1;
    if (strcmp(verb, "gang") == 0)
        return define(s, name, line, why);
    if (strcmp(verb, "nodes") == 0)
        return make_nodes(s, name, line, why);
    if (strcmp(verb, "node-lost") == 0 || strcmp(verb, "node-back") == 0) {
        snprintf(why, 200, "no node \"%s\"", name);
        return lose_node(s, name, verb[5] == 'l', verb[5] == 'l' ? number(line, "silent", "40") : 0);
    }
    struct life *g = find(s, name);
    return g == NULL ? 1 : act(g, verb, rest);
}

int life_condition(struct srv *s, const char *text) {
    char name[64];
    int step;
    if (sscanf(text, "trained %63s %d", name, &step) == 2) {
        const struct life *g = find(s, name);
        return g != NULL && g->trainer.phase != TRAINER_OFF && g->trainer.printed >= step;
    }
    if (sscanf(text, "saved %63s %d", name, &step) == 2) {
        const struct life *g = find(s, name);
        return g != NULL && g->trainer.durable >= step;
    }
    return -1;
}

void life_stop_all(struct srv *s) {
    while (s->lives != NULL) {
        struct life *next = s->lives->next;
        trainer_stop(s->lives);
        free(s->lives);
        s->lives = next;
    }
}
