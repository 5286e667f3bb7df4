/* RayJobs (KubeRay). The shapes are recorded from the sources that controller/operator/store/kind_rayjob.c names. */
#include "base/mem.h"
#include "harness.h"
#include "kinds.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define TPU_TEMPLATE                                                                                                   \
    "{\"spec\":{\"containers\":[{\"name\":\"ray-worker\",\"resources\":{\"limits\":{\"google.com/tpu\":\"4\"}}}]}}"
#define CLUSTER_SPEC                                                                                                   \
    "\"headGroupSpec\":{\"rayStartParams\":{},\"template\":{\"spec\":{\"containers\":[{\"name\":\"ray-head\","         \
    "\"resources\":{\"limits\":{\"cpu\":\"1\"}}}]}}},\"workerGroupSpecs\":[{\"groupName\":\"slice\",\"maxReplicas\":"  \
    "8,"                                                                                                               \
    "\"minReplicas\":0,\"numOfHosts\":2,\"rayStartParams\":{},\"replicas\":%d,\"template\":" TPU_TEMPLATE "}]"

static char *object(const struct kind_state *s) {
    const char *deployment = s->ended && s->has_failed ? "Failed" : s->ended ? "Complete" : "Running";
    CLEANUP_FREE char *end = s->ended ? mem_format(",\"endTime\":%s", fake_time(s->ended)) : mem_strdup("");
    CLEANUP_FREE char *info =
        s->restarted && !s->ended
            ? mem_format(",\"message\":\"Job failed due to an application error\",\"reason\":\"AppFailed\","
                         "\"rayJobInfo\":{\"endTime\":%s}",
                         fake_time(s->restarted))
            : mem_strdup("");
    return mem_format(
        "{\"apiVersion\":\"ray.io/v1\",\"kind\":\"RayJob\",\"metadata\":{\"creationTimestamp\":%s,"
        "\"labels\":{%s},\"managedFields\":[{\"manager\":\"kuberay-operator\",\"time\":%s}],"
        "\"name\":\"js\",\"namespace\":\"ns\",\"uid\":\"uid-js\"},\"spec\":{\"backoffLimit\":2,"
        "\"entrypoint\":\"python train.py\",\"rayClusterSpec\":{" CLUSTER_SPEC
        "},\"suspend\":%s},\"status\":{%s\"failed\":%d,\"jobDeploymentStatus\":\"%s\",\"jobStatus\":\"%s\""
        "%s%s}}",
        fake_time(0), s->is_queued ? "\"kueue.x-k8s.io/queue-name\":\"q\"" : "", fake_time(s->written), 2,
        s->is_suspended ? "true" : "false", "", s->restarts + (s->ended && s->has_failed), deployment,
        !s->ended       ? "RUNNING"
        : s->has_failed ? "FAILED"
                        : "SUCCEEDED",
        end, info);
}

static char *pod(int index, int attempt) {
    (void)index;
    return mem_format("\"labels\":{\"ray.io/cluster\":\"js-abcd%d\",\"ray.io/group\":\"slice\",\"ray.io/is-ray-node\":"
                      "\"yes\",\"ray.io/node-type\":\"worker\"},\"ownerReferences\":[{\"apiVersion\":\"ray.io/v1\","
                      "\"blockOwnerDeletion\":true,\"controller\":true,\"kind\":\"RayCluster\",\"name\":\"js-abcd%d\","
                      "\"uid\":\"uid-cluster%d\"}]",
                      attempt, attempt, attempt);
}

static void observe_cluster(struct model *m, int attempt, int created, int deleted, const char *owner, int replicas) {
    CLEANUP_FREE char *name = mem_format("js-abcd%d", attempt), *uid = mem_format("uid-cluster%d", attempt);
    CLEANUP_FREE char *deletion =
        deleted ? mem_format(",\"deletionTimestamp\":%s,\"deletionGracePeriodSeconds\":0", fake_time(deleted))
                : mem_strdup("");
    CLEANUP_FREE char *json =
        mem_format("{\"apiVersion\":\"ray.io/v1\",\"kind\":\"RayCluster\",\"metadata\":{"
                   "\"creationTimestamp\":%s%s,\"labels\":{\"ray.io/originated-from-cr-name\":"
                   "\"js\",\"ray.io/originated-from-crd\":\"RayJob\"},\"name\":\"%s\","
                   "\"namespace\":\"ns\",\"ownerReferences\":[%s],\"uid\":\"%s\"},\"spec\":{" CLUSTER_SPEC
                   "},\"status\":{\"state\":\"ready\"}}",
                   fake_time(created), deletion, name, owner, uid, replicas);
    fake_observe(m, RESOURCE_RAYCLUSTER, deleted ? OBSERVED_DELETED : OBSERVED_PRESENT, name, uid, json,
                 (deleted ? deleted : created) + 0.2);
}

#define OWNED                                                                                                          \
    "{\"apiVersion\":\"ray.io/v1\",\"controller\":true,\"kind\":\"RayJob\",\"name\":\"js\",\"uid\":\"uid-js\"}"

static void attempt(struct model *m, int number, int created, int deleted) {
    observe_cluster(m, number, created, deleted, OWNED, 2);
}

static const struct kind_shape shape = {"ray.io", "RayJob", RESOURCE_RAYJOB, object, pod, attempt};

TEST(a_rayjob_has_the_ledger_of_a_jobset) {
    CLEANUP_FREE char *queued = kind_queued_life(&shape), *of_jobset = kind_queued_life(&jobset_shape);
    CHECK_INT(status_int(of_jobset, "interruptions.total"), 2);
    CHECK_INT(status_int(of_jobset, "badput[bucket=QueueWait].milliseconds"), 60000);
    CHECK_TEXT(status_text(of_jobset, "executions[number=2].cause"), "ApplicationError");
    kind_check_same(queued, of_jobset);
    CLEANUP_FREE char *suspended = kind_suspended_life(&shape), *of_suspended = kind_suspended_life(&jobset_shape);
    CHECK_INT(status_int(of_suspended, "badput[bucket=Suspended].milliseconds"), 199000);
    kind_check_same(suspended, of_suspended);
}

static struct model *started(void) {
    struct model *m = kind_model(&shape);
    kind_observe(m, &shape, &(struct kind_state){0}, 0.2);
    return m;
}

static void start_pods(struct model *m, int from, int to, int number, int at) {
    for (int i = from; i < to; i++) {
        CLEANUP_FREE char *name = mem_format("c%d-%d", number, i);
        struct fake_pod p = fake_started(name, i, at, at + 1, at + 2);
        kind_observe_pod(m, &shape, &p, number, OBSERVED_PRESENT, at + 2.5);
    }
}

/* The watches of pods, RayClusters and RayJobs are apart. */
TEST(a_rayjob_is_found_in_whatever_order_its_objects_come) {
    for (int order = 0; order < 6; order++) {
        static const char orders[][4] = {"pcj", "pjc", "cpj", "cjp", "jpc", "jcp"};
        struct model *m = kind_model(&shape);
        for (const char *o = orders[order]; *o; o++) {
            if (*o == 'p')
                start_pods(m, 0, 4, 0, 2);
            else if (*o == 'c')
                observe_cluster(m, 0, 1, 0, OWNED, 2);
            else
                kind_observe(m, &shape, &(struct kind_state){0}, 5);
        }
        CLEANUP_FREE char *s = fake_status(m, 100);
        CHECK_INT(status_int(s, "availability.available"), 4);
        CHECK_INT(status_int(s, "time.availableMilliseconds"), 97000);
        model_free(m);
    }
}

/* Somebody deletes the RayCluster of a RayJob, which makes another one: no attempt has failed. The first one's deletion
 * is observed before the second or after. */
TEST(a_raycluster_that_is_replaced_is_one_interruption_of_its_rayjob) {
    for (int late = 0; late < 2; late++) {
        struct model *m = started();
        observe_cluster(m, 0, 1, 0, OWNED, 2);
        start_pods(m, 0, 4, 0, 2);
        if (late)
            observe_cluster(m, 1, 105, 0, OWNED, 2);
        for (int i = 0; i < 4; i++) {
            CLEANUP_FREE char *name = mem_format("c0-%d", i);
            struct fake_pod p = fake_started(name, i, 2, 3, 4);
            p.asked_to_go = 100;
            kind_observe_pod(m, &shape, &p, 0, OBSERVED_PRESENT, 100.5);
            kind_observe_pod(m, &shape, &p, 0, OBSERVED_DELETED, 102);
        }
        observe_cluster(m, 0, 1, 100, OWNED, 2);
        if (!late)
            observe_cluster(m, 1, 105, 0, OWNED, 2);
        start_pods(m, 0, 4, 1, 106);
        CLEANUP_FREE char *s = fake_status(m, 200);
        CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "Accounted");
        CHECK_INT(status_int(s, "availability.available"), 4);
        CHECK_INT(status_int(s, "interruptions.total"), 1);
        CHECK_INT(status_int(s, "badput[bucket=Rescheduling].milliseconds"), 7000);
        model_free(m);
    }
}

/* Ray numbers no pods: the replacement has the place of a worker whose end was not observed. The list shows either
 * first. */
TEST(a_ray_worker_replaced_while_its_watch_was_cut_has_its_place) {
    for (int ends_first = 0; ends_first < 2; ends_first++) {
        struct model *m = started();
        observe_cluster(m, 0, 1, 0, OWNED, 2);
        start_pods(m, 0, 4, 0, 2);
        free(fake_status(m, 50));
        if (ends_first)
            fake_observe(m, RESOURCE_POD, OBSERVED_VANISHED, "c0-1", "uid-c0-1", NULL, 105);
        start_pods(m, 7, 8, 0, 101);
        free(replay_status(m, "ns", "js", fake_ms(104), NULL));
        if (!ends_first)
            fake_observe(m, RESOURCE_POD, OBSERVED_VANISHED, "c0-1", "uid-c0-1", NULL, 105);
        CLEANUP_FREE char *s = fake_status(m, 200);
        CHECK_INT(status_int(s, "availability.available"), 4);
        CHECK_INT(status_int(s, "interruptions.total"), 1);
        CHECK_INT(status_int(s, "badput[bucket=Unobserved].milliseconds"), 51000);
        model_free(m);
    }
}

/* A worker group whose containers ask for no chips, with these members; the pods come before the RayCluster or after.
 */
static void check_declared(const char *members, int64_t chips_of_one) {
    for (int pods_first = 0; pods_first < 2; pods_first++) {
        struct model *m = kind_model(&shape);
        CLEANUP_FREE char *spec =
            mem_format("{\"headGroupSpec\":{\"rayStartParams\":{\"num-gpus\":\"0\"},\"template\":{\"spec\":{"
                       "\"containers\":[{\"name\":\"ray-head\"}]}}},\"workerGroupSpecs\":[{\"groupName\":\"slice\","
                       "\"replicas\":4,\"template\":{\"spec\":{\"containers\":[{\"name\":\"ray-worker\"}]}}%s}]}",
                       members);
        CLEANUP_FREE char *cluster =
            mem_format("{\"metadata\":{\"creationTimestamp\":%s,\"name\":\"js-abcd0\",\"namespace\":\"ns\","
                       "\"ownerReferences\":[" OWNED "],\"uid\":\"uid-cluster0\"},\"spec\":%s}",
                       fake_time(1), spec);
        CLEANUP_FREE char *rayjob =
            mem_format("{\"metadata\":{\"creationTimestamp\":%s,\"name\":\"js\",\"namespace\":\"ns\",\"uid\":"
                       "\"uid-js\"},\"spec\":{\"rayClusterSpec\":%s}}",
                       fake_time(0), spec);
        for (int i = -1; i < 4; i++) {
            CLEANUP_FREE char *name = mem_format("c0-%d", i);
            struct fake_pod p = fake_started(name, i, 2, 3, 20);
            p.chips = 0;
            if (i == (pods_first ? 3 : -1))
                fake_observe(m, RESOURCE_RAYCLUSTER, OBSERVED_PRESENT, "js-abcd0", "uid-cluster0", cluster, 21);
            if (i >= 0)
                kind_observe_pod(m, &shape, &p, 0, OBSERVED_PRESENT, 21.5);
        }
        fake_observe(m, RESOURCE_RAYJOB, OBSERVED_PRESENT, "js", "uid-js", rayjob, 23);
        CLEANUP_FREE char *s = fake_status(m, 3603);
        CHECK_INT(status_int(s, "target.chips"), chips_of_one > 0 ? 4 * chips_of_one : -1);
        CLEANUP_FREE char *hours = mem_format("%d.000", (int)(4 * chips_of_one));
        CHECK_TEXT(status_text(s, "acceleratorHours.allocated"), chips_of_one > 0 ? hours : "");
        model_free(m);
    }
}

/* Of pods that ask for no chips, since they use what their node has. */
TEST(ray_workers_have_the_chips_that_their_group_declares_to_ray) {
    check_declared(",\"rayStartParams\":{\"num-gpus\":\"8\"}", 8);
    check_declared(",\"rayStartParams\":{\"resources\":\"\\\"{\\\\\\\"TPU\\\\\\\": 4}\\\"\"}", 4);
    check_declared(",\"rayStartParams\":{\"resources\":\"'{\\\"TPU\\\": 4, \\\"x\\\": 1}'\"}", 4);
    check_declared(",\"rayStartParams\":{\"num-gpus\":\"8\"},\"resources\":{\"CPU\":\"4\",\"GPU\":\"2\"}", 2);
    check_declared(",\"resources\":{\"nvidia.com/gpu\":\"1\"}", 1);
    check_declared(",\"rayStartParams\":{\"num-gpus\":\"0\"}", 0);
    check_declared(",\"rayStartParams\":{\"num-gpus\":8,\"resources\":7}", 0); /* not as the CRD has it */
    check_declared(",\"rayStartParams\":{\"num-gpus\":\"99999999999\"}", 0);
}

TEST(a_ray_autoscaler_changes_what_is_required) {
    struct model *m = started();
    observe_cluster(m, 0, 1, 0, OWNED, 2);
    start_pods(m, 0, 4, 0, 2);
    observe_cluster(m, 0, 1, 0, OWNED, 3);
    kind_observe(m, &shape, &(struct kind_state){0}, 50);
    CLEANUP_FREE char *s = fake_status(m, 60);
    CHECK_INT(status_int(s, "availability.required"), 6);
    start_pods(m, 4, 6, 0, 70);
    CLEANUP_FREE char *whole = fake_status(m, 80);
    CHECK_INT(status_int(whole, "availability.available"), 6);
    model_free(m);
}

static const char *ready_reason(struct model *m, double at) {
    static char reason[64];
    CLEANUP_FREE char *s = fake_status(m, at);
    snprintf(reason, sizeof reason, "%s", status_text(s, "conditions[type=Ready].reason"));
    return reason;
}

TEST(a_kind_that_is_not_served_yet_is_waited_for) {
    struct model *m = kind_model(&shape);
    model_watermark(m, RESOURCE_RAYJOB, 0, true);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(1), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "KindNotServed");
    CHECK(strstr(status_text(s, "conditions[type=Ready].message"), "ray.io/v1") != NULL);
    CHECK_TEXT(ready_reason(m, 5), "TargetNotFound");
    kind_observe(m, &shape, &(struct kind_state){0}, 10);
    CHECK_TEXT(ready_reason(m, 11), "Accounted");
    model_free(m);
}

/* The API server refuses two controllers; that both are read does no harm. */
TEST(owners_that_contradict_each_other_are_data) {
    static const char *const owners[] = {
        "{\"controller\":true,\"kind\":\"RayJob\",\"name\":\"other\",\"uid\":\"uid-other\"}," OWNED,
        OWNED ",{\"controller\":true,\"kind\":\"RayJob\",\"name\":\"other\",\"uid\":\"uid-other\"}",
        "{\"controller\":true,\"kind\":\"RayJob\",\"name\":\"js-abcd0\",\"uid\":\"uid-cluster0\"}", /* itself */
        "{\"controller\":true,\"kind\":\"RayCluster\",\"name\":\"js-abcd0\",\"uid\":\"uid-cluster0\"}",
        "{\"controller\":true,\"kind\":\"RayJob\",\"name\":\"js\",\"uid\":\"\"}",
    };
    for (size_t i = 0; i < ARRAY_SIZE(owners); i++) {
        struct model *m = started();
        start_pods(m, 0, 4, 0, 2);
        CLEANUP_FREE char *json = mem_format("{\"metadata\":{\"creationTimestamp\":%s,\"name\":\"js-abcd0\","
                                             "\"namespace\":\"ns\",\"ownerReferences\":[%s],"
                                             "\"uid\":\"uid-cluster0\"},\"spec\":{}}",
                                             fake_time(1), owners[i]);
        for (int again = 0; again < 2; again++)
            model_observe(m, RESOURCE_RAYCLUSTER, again ? OBSERVED_DELETED : OBSERVED_PRESENT, SLICE("ns"),
                          SLICE("js-abcd0"), SLICE("uid-cluster0"), slice_of(json), fake_ms(6 + again));
        CHECK_TEXT(ready_reason(m, 10), i == 0 ? "NothingRequired" : "Accounted");
        model_free(m);
    }
}

/* Another kind is measured all the same. */
TEST(without_permission_for_rayjobs_only_their_records_say_so) {
    struct model *m = kind_model(&shape);
    replay_jobgoodput(m, "ns", "set", "None", "", fake_ms(0));
    fake_observe_jobset_of(m, &(struct fake_jobset){.name = "set"}, 0.2);
    model_forbidden(m, RESOURCE_RAYCLUSTER, SLICE(""), "rayclusters.ray.io is forbidden", TIME_UNKNOWN);
    CHECK_TEXT(ready_reason(m, 5), "Forbidden");
    CLEANUP_FREE char *s = replay_status(m, "ns", "set", fake_ms(6), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "Accounted");
    model_free(m);
}

TEST(a_rayjob_on_a_raycluster_of_others_has_no_pods) {
    struct model *m = kind_model(&shape);
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"creationTimestamp\":%s,\"name\":\"js\",\"namespace\":\"ns\",\"uid\":\"uid-js\"},\"spec\":{"
        "\"clusterSelector\":{\"ray.io/cluster\":\"shared\"}},\"status\":{\"jobDeploymentStatus\":\"Running\"}}",
        fake_time(0));
    fake_observe(m, RESOURCE_RAYJOB, OBSERVED_PRESENT, "js", "uid-js", json, 1);
    CHECK_TEXT(ready_reason(m, 5), "NothingRequired");
    model_free(m);
}

static void observe_all(struct model *m, const char *status, double at) {
    CLEANUP_FREE char *left = replay_left(status);
    kind_observe_jobgoodput(m, &shape, left, at);
    fake_observe_node(m, "n0", "True", 0, "", "", at);
    observe_cluster(m, 0, 1, 0, OWNED, 2);
    start_pods(m, 0, 4, 0, 2);
    kind_observe(m, &shape, &(struct kind_state){0}, at + 1);
}

/* What a predecessor wrote is continued, with the RayCluster and its pods. */
TEST(a_rayjob_is_continued_from_a_checkpoint) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
    observe_all(m, NULL, 0);
    CLEANUP_FREE char *s = fake_status(m, 100);
    model_free(m);
    REQUIRE(strstr(s, "\"checkpoint\":\"") != NULL);
    struct model *next = model_new(&(struct model_options){.keeps_checkpoints = true});
    observe_all(next, s, 110);
    CLEANUP_FREE char *after = fake_status(next, 200);
    CHECK_INT(status_int(after, "availability.available"), 4);
    CHECK_INT(status_int(after, "time.availableMilliseconds"), 197000);
    CHECK_INT(status_int(after, "interruptions.total"), 0);
    model_free(next);
}
