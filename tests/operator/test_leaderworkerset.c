/* LeaderWorkerSets. The shapes are recorded from the sources that controller/operator/store/kind_leaderworkerset.c
 * names. */
#include "base/mem.h"
#include "harness.h"
#include "kinds.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define TEMPLATE                                                                                                       \
    "{\"spec\":{\"containers\":[{\"name\":\"train\",\"resources\":{\"limits\":{\"google.com/tpu\":\"4\"}}}]}}"

static char *set_json(const char *uid, int created, int replicas, int size, const char *leader) {
    return mem_format("{\"apiVersion\":\"leaderworkerset.x-k8s.io/v1\",\"kind\":\"LeaderWorkerSet\",\"metadata\":{"
                      "\"creationTimestamp\":%s,\"name\":\"js\",\"namespace\":\"ns\",\"uid\":\"%s\"},\"spec\":{"
                      "\"leaderWorkerTemplate\":{%s\"restartPolicy\":\"RecreateGroupOnPodRestart\",\"size\":%d,"
                      "\"workerTemplate\":" TEMPLATE "},\"replicas\":%d,\"startupPolicy\":\"LeaderCreated\"},"
                      "\"status\":{\"conditions\":[%s]}}",
                      fake_time(created), uid, leader, size, replicas,
                      fake_condition("Available", "False", "GroupsNotReady", created));
}

static char *object(const struct kind_state *s) {
    (void)s;
    return set_json("uid-js", 0, 1, 4, "");
}

/* Four pods are one group. */
static char *pod(int index, int attempt) {
    return mem_format("\"labels\":{\"leaderworkerset.sigs.k8s.io/group-index\":\"%d\","
                      "\"leaderworkerset.sigs.k8s.io/group-key\":\"k%d\",\"leaderworkerset.sigs.k8s.io/name\":\"js\","
                      "\"leaderworkerset.sigs.k8s.io/worker-index\":\"%d\"},\"ownerReferences\":[{\"apiVersion\":"
                      "\"apps/v1\",\"controller\":true,\"kind\":\"StatefulSet\",\"name\":\"js\",\"uid\":\"uid-sts\"}]",
                      index / 4, attempt, index % 4);
}

static const struct kind_shape shape = {
    "leaderworkerset.x-k8s.io", "LeaderWorkerSet", RESOURCE_LEADERWORKERSET, object, pod, NULL};

TEST(a_leaderworkerset_has_the_ledger_of_a_jobset) {
    CLEANUP_FREE char *plain = kind_plain_life(&shape), *of_plain = kind_plain_life(&jobset_shape);
    CHECK_INT(status_int(of_plain, "interruptions.total"), 2);
    CHECK_TEXT(status_text(of_plain, "executions[number=2].cause"), "ApplicationError");
    kind_check_same(plain, of_plain);
}

static void observe_set(struct model *m, const char *uid, int created, int replicas, int size, const char *leader,
                        enum observed what, double at) {
    CLEANUP_FREE char *json = set_json(uid, created, replicas, size, leader);
    fake_observe(m, RESOURCE_LEADERWORKERSET, what, "js", uid, json, at);
}

static void start_pods(struct model *m, int count, const char *prefix, int created) {
    for (int i = 0; i < count; i++) {
        CLEANUP_FREE char *name = mem_format("%s%d", prefix, i);
        struct fake_pod p = fake_started(name, i, created, created + 1, created + 2);
        kind_observe_pod(m, &shape, &p, 0, OBSERVED_PRESENT, created + 2.5);
    }
}

TEST(groups_with_a_leader_without_chips_require_the_workers) {
    struct model *m = kind_model(&shape);
    start_pods(m, 8, "p", 2); /* before the set is observed */
    observe_set(m, "uid-js", 0, 2, 4, "\"leaderTemplate\":{\"spec\":{\"containers\":[{\"name\":\"lead\"}]}},",
                OBSERVED_PRESENT, 6);
    CLEANUP_FREE char *s = fake_status(m, 100);
    CHECK_INT(status_int(s, "availability.required"), 6);
    CHECK_INT(status_int(s, "availability.available"), 6);
    CHECK_INT(status_int(s, "target.chips"), 24);
    observe_set(m, "uid-js", 0, 2, 4, "", OBSERVED_PRESENT, 101);
    CLEANUP_FREE char *all = fake_status(m, 110);
    CHECK_INT(status_int(all, "availability.required"), 8);
    CHECK_INT(status_int(all, "availability.available"), 8);
    model_free(m);
}

/* Its pods bear its name, not its UID. */
TEST(a_leaderworkerset_that_is_made_again_does_not_take_the_pods_of_the_first) {
    for (int pods_first = 0; pods_first < 2; pods_first++) {
        struct model *m = kind_model(&shape);
        observe_set(m, "uid-one", 0, 1, 4, "", OBSERVED_PRESENT, 0.5);
        start_pods(m, 4, "p", 2);
        observe_set(m, "uid-one", 0, 1, 4, "", OBSERVED_DELETED, 50);
        if (pods_first)
            start_pods(m, 4, "q", 102);
        observe_set(m, "uid-two", 100, 1, 4, "", OBSERVED_PRESENT, 105);
        if (!pods_first)
            start_pods(m, 4, "q", 102);
        CLEANUP_FREE char *s = fake_status(m, 200);
        CHECK_TEXT(status_text(s, "target.uid"), "uid-two");
        CHECK_INT(status_int(s, "availability.available"), 4);
        CHECK_INT(status_int(s, "time.availableMilliseconds"), 97000);
        CHECK_INT(status_int(s, "interruptions.total"), 0);
        model_free(m);
    }
}

/* Labels that are missing or are no numbers: such a pod is placed by its creation. */
TEST(pods_of_a_group_without_indexes_are_data) {
    struct model *m = kind_model(&shape);
    observe_set(m, "uid-js", 0, 1, 4, "", OBSERVED_PRESENT, 0.5);
    static const char *const labels[] = {"", ",\"leaderworkerset.sigs.k8s.io/worker-index\":\"x\"",
                                         ",\"leaderworkerset.sigs.k8s.io/group-index\":\"99999999\"",
                                         ",\"leaderworkerset.sigs.k8s.io/worker-index\":\"-1\""};
    for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
        CLEANUP_FREE char *name = mem_format("p%zu", i), *uid = mem_format("uid-p%zu", i);
        CLEANUP_FREE char *json = mem_format(
            "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\",\"creationTimestamp\":%s,\"labels\":{"
            "\"leaderworkerset.sigs.k8s.io/name\":\"js\"%s}},\"spec\":{},\"status\":{\"phase\":\"Pending\"}}",
            name, uid, fake_time(2), labels[i]);
        fake_observe(m, RESOURCE_POD, OBSERVED_PRESENT, name, uid, json, 3);
    }
    CLEANUP_FREE char *s = fake_status(m, 100);
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "Accounted");
    CHECK_INT(status_int(s, "availability.available"), 0);
    model_free(m);
}

static void evict(struct model *m, const char *reason) {
    for (int i = 0; i < 4; i++) {
        CLEANUP_FREE char *name = mem_format("p%d", i);
        struct fake_pod p = fake_started(name, i, 2, 3, 4);
        p.asked_to_go = 50;
        p.disruption = reason;
        kind_observe_pod(m, &shape, &p, 0, OBSERVED_PRESENT, 50.5);
        kind_observe_pod(m, &shape, &p, 0, OBSERVED_DELETED, 52);
    }
    start_pods(m, 4, "again", 60);
}

/* No Workload is for the whole: Kueue's condition on the pods of a group says why it deletes them. The story
 * leaderworkerset of tests/cluster has the shapes. */
TEST(an_eviction_by_kueue_shows_in_the_pods_of_a_group) {
    static const char *const cases[][2] = {
        {"WorkloadEvictedDueToClusterQueueStopped", "KueueEviction/ClusterQueueStopped"},
        {"WorkloadEvictedDueToPreempted", "KueuePreemption"},
        {"WorkloadEvictedDueToDeactivated", "UserSuspend"}};
    for (int i = 0; i < 3; i++) {
        struct model *m = kind_model(&shape);
        observe_set(m, "uid-js", 0, 1, 4, "", OBSERVED_PRESENT, 0.2);
        start_pods(m, 4, "p", 2);
        evict(m, cases[i][0]);
        CLEANUP_FREE char *s = fake_status(m, 100);
        CHECK_INT(status_int(s, "badput[bucket=Rescheduling].milliseconds"), 11000);
        CHECK_TEXT(status_text(s, "executions[number=1].cause"), cases[i][1]);
        model_free(m);
    }
}

/* The garbage collector deletes its pods after it, within the same second; their containers end in that second, too. */
TEST(pods_that_end_with_their_set_are_not_lost) {
    struct model *m = kind_model(&shape);
    observe_set(m, "uid-js", 0, 1, 4, "", OBSERVED_PRESENT, 0.2);
    start_pods(m, 4, "p", 2);
    observe_set(m, "uid-js", 0, 1, 4, "", OBSERVED_DELETED, 50.115);
    for (int i = 0; i < 4; i++) {
        CLEANUP_FREE char *name = mem_format("p%d", i);
        struct fake_pod p = fake_started(name, i, 2, 3, 4);
        p.restart_policy = "Always";
        p.asked_to_go = 50;
        p.grace = 30;
        kind_observe_pod(m, &shape, &p, 0, OBSERVED_PRESENT, 50.2);
        p.phase = "Failed";
        p.finished = 50;
        p.exit_code = 143;
        kind_observe_pod(m, &shape, &p, 0, OBSERVED_PRESENT, 50.5);
        p.grace = 0;
        kind_observe_pod(m, &shape, &p, 0, OBSERVED_DELETED, 50.7);
    }
    CLEANUP_FREE char *s = fake_status(m, 100);
    CHECK_INT(status_int(s, "interruptions.total"), 0);
    model_free(m);
}
