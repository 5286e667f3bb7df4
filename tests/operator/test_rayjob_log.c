/* The log of a RayJob: of the pod that submits its program, which a Job of the RayJob's name runs; or, in SidecarMode,
 * of a container of the head. The shapes are recorded from the sources that controller/operator/store/kind_rayjob.c
 * names. */
#include "base/mem.h"
#include "harness.h"
#include "kinds.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define GROUPS                                                                                                         \
    "\"headGroupSpec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"ray-head\"}]}}},\"workerGroupSpecs\":[{"   \
    "\"groupName\":\"slice\",\"replicas\":2,\"template\":{\"spec\":{\"containers\":[{\"name\":\"ray-worker\","         \
    "\"resources\":{\"limits\":{\"google.com/tpu\":\"4\"}}}]}}}]"
#define OWNED_BY(kind, name, uid)                                                                                      \
    "\"ownerReferences\":[{\"controller\":true,\"kind\":\"" kind "\",\"name\":\"" name "\",\"uid\":\"" uid "\"}]"

/* left: as replay_left() has it. */
static void observe_jobgoodput(struct model *m, const char *step_log, const char *left, double at) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js\",\"uid\":\"goodput-of-js\",\"creationTimestamp\":%s},"
        "\"spec\":{\"targetRef\":{\"apiGroup\":\"ray.io\",\"kind\":\"RayJob\",\"name\":\"js\"},\"stepLog\":{%s}%s}}",
        fake_time(0), step_log, left);
    fake_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, "js", "goodput-of-js", json, at);
    fake_observe_node(m, "n0", "True", 0, "", "", at);
}

static struct model *model_of(const char *step_log) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
    observe_jobgoodput(m, step_log, "", 0);
    return m;
}

static void observe_rayjob(struct model *m, const char *mode) {
    CLEANUP_FREE char *json =
        mem_format("{\"metadata\":{\"creationTimestamp\":%s,\"name\":\"js\",\"namespace\":\"ns\",\"uid\":\"uid-js\"},"
                   "\"spec\":{\"submissionMode\":\"%s\",\"rayClusterSpec\":{" GROUPS
                   "}},\"status\":{\"jobDeploymentStatus\":\"Running\"}}",
                   fake_time(0), mode);
    fake_observe(m, RESOURCE_RAYJOB, OBSERVED_PRESENT, "js", "uid-js", json, 0.2);
}

static void observe_cluster(struct model *m) {
    CLEANUP_FREE char *json = mem_format("{\"metadata\":{\"creationTimestamp\":%s,\"name\":\"js-abcde\",\"namespace\":"
                                         "\"ns\"," OWNED_BY("RayJob", "js", "uid-js") ",\"uid\":\"uid-cluster\"},"
                                                                                      "\"spec\":{" GROUPS "}}",
                                         fake_time(1));
    fake_observe(m, RESOURCE_RAYCLUSTER, OBSERVED_PRESENT, "js-abcde", "uid-cluster", json, 1.2);
}

static void observe_submitter(struct model *m, int number, int created) {
    CLEANUP_FREE char *uid = mem_format("uid-job%d", number),
                      *json = mem_format(
                          "{\"metadata\":{\"creationTimestamp\":%s,\"name\":\"js\",\"namespace\":\"ns\"," OWNED_BY(
                              "RayJob", "js", "uid-js") ",\"uid\":\"%s\"},\"spec\":{\"parallelism\":1,\"completions\":"
                                                        "1,\"template\":{\"spec\":{\"containers\":[{\"name\":\"ray-job-"
                                                        "submitter\"}]}}}}",
                          fake_time(created), uid);
    fake_observe(m, RESOURCE_JOB, OBSERVED_PRESENT, "js", uid, json, created + 0.2);
}

/* owner: members of the metadata. */
static void observe_pod(struct model *m, struct fake_pod p, const char *owner, double at) {
    CLEANUP_FREE char *json = fake_pod_json(&p), *uid = mem_format("uid-%s", p.name);
    char *labels = strstr(json, "\"labels\":{"), *rest = strstr(labels, "}}") + 1;
    CLEANUP_FREE char *changed = mem_format("%.*s%s%s", (int)(labels - json), json, owner, rest);
    fake_observe(m, RESOURCE_POD, OBSERVED_PRESENT, p.name, uid, changed, at);
}

static void observe_ray_pod(struct model *m, const char *name, const char *group, int chips, const char *more) {
    struct fake_pod p = fake_started(name, 0, 2, 3, 4);
    CLEANUP_FREE char *owner =
        mem_format("\"labels\":{\"ray.io/cluster\":\"js-abcde\",\"ray.io/group\":\"%s\"}," OWNED_BY(
                       "RayCluster", "js-abcde", "uid-cluster"),
                   group);
    p.chips = chips;
    p.container_more = more;
    observe_pod(m, p, owner, 4.5);
}

static void observe_ray_pods(struct model *m) {
    observe_ray_pod(m, "head", "headgroup", 0, "");
    observe_ray_pod(m, "w0", "slice", 4, "");
    observe_ray_pod(m, "w1", "slice", 4, "");
}

static void observe_submitters_pod(struct model *m, const char *name, int number, int created, int finished) {
    struct fake_pod p = fake_started(name, -1, created, created + 1, created + 2);
    CLEANUP_FREE char *owner =
        mem_format("\"labels\":{\"batch.kubernetes.io/controller-uid\":\"uid-job%d\",\"batch.kubernetes.io/job-name\":"
                   "\"js\"},\"ownerReferences\":[{\"controller\":true,\"kind\":\"Job\",\"name\":\"js\",\"uid\":"
                   "\"uid-job%d\"}]",
                   number, number);
    p.container = "ray-job-submitter";
    p.chips = 0;
    p.finished = finished ? finished : -1;
    p.exit_code = finished ? 1 : p.exit_code;
    p.phase = finished ? "Failed" : p.phase;
    observe_pod(m, p, owner, finished ? finished + 0.5 : created + 2.5);
}

static void check_log(struct model *m, int count, const char *pod, const char *container) {
    struct model_job *job = model_job_find(m, "ns", "js");
    struct model_log log;
    CHECK_INT(model_job_log_count(job), count);
    if (model_job_log_count(job) != count || count == 0)
        return;
    model_job_log_get(job, count - 1, &log);
    CHECK_TEXT(log.pod, pod);
    CHECK_TEXT(log.container, container);
}

/* The watches of RayJobs, RayClusters, Jobs and pods are apart: any order shows the same. */
TEST(the_submitters_pod_prints_the_log_of_a_rayjob) {
    static const char letters[] = "rcjsp";
    for (int order = 0; order < 120; order++) {
        struct model *m = model_of("\"source\":\"PodLog\"");
        char left[] = "rcjsp";
        for (int n = 5, rest = order; n > 0; rest /= n--) {
            char next = left[rest % n];
            memmove(&left[rest % n], &left[rest % n + 1], (size_t)(n - rest % n));
            if (next == letters[0])
                observe_rayjob(m, "K8sJobMode");
            else if (next == letters[1])
                observe_cluster(m);
            else if (next == letters[2])
                observe_submitter(m, 0, 6);
            else if (next == letters[3])
                observe_submitters_pod(m, "js-s0", 0, 6, 0);
            else
                observe_ray_pods(m);
        }
        check_log(m, 1, "js-s0", "ray-job-submitter");
        fake_log_steps(m, "js-s0", 0, 8, 10, 20);
        CLEANUP_FREE char *s = fake_status(m, 101);
        CHECK_INT(status_int(s, "availability.required"), 2);
        CHECK_INT(status_int(s, "availability.available"), 2);
        CHECK_INT(status_int(s, "time.availableMilliseconds"), 97000);
        CHECK_INT(status_int(s, "steps.last"), 8);
        CHECK_TEXT(status_text(s, "target.logPod"), "js-s0");
        model_free(m);
    }
}

/* It comes and goes without the slots' availability. */
TEST(a_submitter_that_fails_loses_no_slot) {
    struct model *m = model_of("\"source\":\"PodLog\"");
    observe_rayjob(m, "K8sJobMode");
    observe_cluster(m);
    observe_ray_pods(m);
    observe_submitter(m, 0, 6);
    observe_submitters_pod(m, "js-s0", 0, 6, 0);
    observe_submitters_pod(m, "js-s0", 0, 6, 30);
    observe_submitters_pod(m, "js-s1", 0, 32, 0);
    check_log(m, 2, "js-s1", "ray-job-submitter");
    CLEANUP_FREE char *s = fake_status(m, 100);
    CHECK_INT(status_int(s, "interruptions.total"), 0);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 97000);
    model_free(m);
}

TEST(in_sidecar_mode_a_container_of_the_head_prints_the_log) {
    struct model *m = model_of("\"source\":\"PodLog\"");
    observe_rayjob(m, "SidecarMode");
    observe_cluster(m);
    struct fake_pod head = fake_started("head", 0, 2, 3, 4);
    head.container = "ray-job-submitter";
    head.chips = 0;
    observe_pod(m, head,
                "\"labels\":{\"ray.io/cluster\":\"js-abcde\",\"ray.io/group\":\"headgroup\"}," OWNED_BY(
                    "RayCluster", "js-abcde", "uid-cluster"),
                4.5);
    check_log(m, 1, "head", "ray-job-submitter");
    model_free(m);
}

/* Nothing logs the program's output: the first pod with chips is as good as any. */
TEST(without_a_submitter_the_log_is_a_workers) {
    static const char *const modes[] = {"HTTPMode", "InteractiveMode"};
    for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
        struct model *m = model_of("\"source\":\"PodLog\"");
        observe_rayjob(m, modes[i]);
        observe_cluster(m);
        observe_ray_pods(m);
        free(fake_status(m, 10)); /* gives pods without an index their slots */
        check_log(m, 1, "w0", "train");
        model_free(m);
    }
}

TEST(the_spec_names_another_group_of_a_rayjob) {
    struct model *m = model_of("\"source\":\"PodLog\",\"podLog\":{\"pod\":{\"replicatedJob\":\"headgroup\"}}");
    observe_rayjob(m, "");
    observe_cluster(m);
    observe_ray_pods(m);
    observe_submitter(m, 0, 6);
    observe_submitters_pod(m, "js-s0", 0, 6, 0);
    check_log(m, 1, "head", "train");
    model_free(m);
}

/* A Job that somebody measures by itself stays what it is. */
TEST(a_submitter_that_is_measured_itself_is_a_job) {
    struct model *m = model_of("\"source\":\"PodLog\"");
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"own\",\"uid\":\"goodput-of-own\",\"creationTimestamp\":%s},"
        "\"spec\":{\"targetRef\":{\"apiGroup\":\"batch\",\"kind\":\"Job\",\"name\":\"js\"},\"stepLog\":{\"source\":"
        "\"PodLog\"}}}",
        fake_time(0));
    fake_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, "own", "goodput-of-own", json, 0);
    observe_submitters_pod(m, "js-s0", 0, 6, 0);
    observe_rayjob(m, "");
    observe_cluster(m);
    observe_ray_pods(m);
    observe_submitter(m, 0, 6);
    observe_submitter(m, 0, 6);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(100), NULL);
    CHECK_INT(status_int(s, "availability.available"), 2);
    model_free(m);
}

static void observe_all(struct model *m) {
    observe_rayjob(m, "K8sJobMode");
    observe_cluster(m);
    observe_ray_pods(m);
    observe_submitter(m, 0, 6);
    observe_submitters_pod(m, "js-s0", 0, 6, 0);
}

TEST(the_log_of_a_submitter_is_continued_from_a_checkpoint) {
    struct model *m = model_of("\"source\":\"PodLog\"");
    observe_all(m);
    fake_log_steps(m, "js-s0", 0, 8, 10, 20);
    CLEANUP_FREE char *s = fake_status(m, 101);
    model_free(m);
    REQUIRE(strstr(s, "\"checkpoint\":\"") != NULL);
    struct model *next = model_new(&(struct model_options){.keeps_checkpoints = true});
    CLEANUP_FREE char *left = replay_left(s);
    observe_jobgoodput(next, "\"source\":\"PodLog\"", left, 110);
    observe_all(next);
    check_log(next, 1, "js-s0", "ray-job-submitter");
    fake_log_steps(next, "js-s0", 9, 12, 10, 110);
    CLEANUP_FREE char *after = fake_status(next, 141);
    CHECK_INT(status_int(after, "steps.last"), 12);
    CHECK_INT(status_int(after, "steps.repeated"), 0);
    CHECK_INT(status_int(after, "availability.available"), 2);
    model_free(next);
}
