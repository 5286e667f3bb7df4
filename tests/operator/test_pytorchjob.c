/* PyTorchJobs (Kubeflow v1). The shapes are recorded from the sources that controller/operator/store/kind_pytorchjob.c
 * names. */
#include "base/mem.h"
#include "harness.h"
#include "kinds.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define REPLICAS(count)                                                                                                \
    "{\"replicas\":" #count ",\"restartPolicy\":\"ExitCode\",\"template\":{\"spec\":{\"containers\":[{\"name\":"       \
    "\"pytorch\",\"resources\":{\"limits\":{\"nvidia.com/gpu\":4}}}]}}}"

static char *object(const struct kind_state *s) {
    const char *now = s->ended && s->has_failed ? fake_condition("Failed", "True", "PyTorchJobFailed", s->ended)
                      : s->ended                ? fake_condition("Succeeded", "True", "PyTorchJobSucceeded", s->ended)
                                 : fake_condition("Suspended", s->is_suspended ? "True" : "False", "S", s->written);
    return mem_format(
        "{\"apiVersion\":\"kubeflow.org/v1\",\"kind\":\"PyTorchJob\",\"metadata\":{\"creationTimestamp\":%s,"
        "\"labels\":{%s},\"managedFields\":[{\"manager\":\"m\",\"time\":%s}],\"name\":\"js\","
        "\"namespace\":\"ns\",\"uid\":\"uid-js\"},\"spec\":{\"pytorchReplicaSpecs\":{\"Master\":" REPLICAS(
            1) ",\"Worker\":" REPLICAS(3) "},\"runPolicy\":{\"suspend\":%s}},\"status\":{"
                                          "\"conditions\":[%s,%s],\"replicaStatuses\":{\"Master\":{\"active\":1}}}}",
        fake_time(0), s->is_queued ? "\"kueue.x-k8s.io/queue-name\":\"q\"" : "", fake_time(s->written),
        s->is_suspended ? "true" : "false", fake_condition("Created", "True", "PyTorchJobCreated", 0), now);
}

static char *pod(int index, int attempt) {
    (void)attempt;
    return mem_format("\"labels\":{\"training.kubeflow.org/job-name\":\"js\",\"training.kubeflow.org/operator-name\":"
                      "\"pytorchjob-controller\",\"training.kubeflow.org/replica-index\":\"%d\","
                      "\"training.kubeflow.org/replica-type\":\"%s\"},\"ownerReferences\":[{\"apiVersion\":"
                      "\"kubeflow.org/v1\",\"blockOwnerDeletion\":true,\"controller\":true,\"kind\":\"PyTorchJob\","
                      "\"name\":\"js\",\"uid\":\"uid-js\"}]",
                      index == 0 ? 0 : index - 1, index == 0 ? "master" : "worker");
}

static const struct kind_shape shape = {"kubeflow.org", "PyTorchJob", RESOURCE_PYTORCHJOB, object, pod, NULL};

TEST(a_pytorchjob_has_the_ledger_of_a_jobset) {
    CLEANUP_FREE char *queued = kind_queued_life(&shape), *of_queued = kind_queued_life(&jobset_shape);
    kind_check_same(queued, of_queued);
    CLEANUP_FREE char *suspended = kind_suspended_life(&shape), *of_suspended = kind_suspended_life(&jobset_shape);
    kind_check_same(suspended, of_suspended);
    CLEANUP_FREE char *plain = kind_plain_life(&shape), *of_plain = kind_plain_life(&jobset_shape);
    kind_check_same(plain, of_plain);
}

/* Its pods before it, and a replica type that no PyTorchJob has. */
TEST(the_pods_of_a_pytorchjob_may_come_first) {
    struct model *m = kind_model(&shape);
    for (int i = 0; i < 4; i++) {
        CLEANUP_FREE char *name = mem_format("p%d", i);
        struct fake_pod p = fake_started(name, i, 2, 3, 4);
        kind_observe_pod(m, &shape, &p, 0, OBSERVED_PRESENT, 5);
    }
    CLEANUP_FREE char *other = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"x\",\"uid\":\"uid-x\",\"creationTimestamp\":%s,\"labels\":{"
        "\"training.kubeflow.org/replica-type\":\"chief\"},\"ownerReferences\":[{\"controller\":true,\"kind\":"
        "\"PyTorchJob\",\"name\":\"js\",\"uid\":\"uid-js\"}]},\"spec\":{},\"status\":{}}",
        fake_time(2));
    fake_observe(m, RESOURCE_POD, OBSERVED_PRESENT, "x", "uid-x", other, 5);
    kind_observe(m, &shape, &(struct kind_state){0}, 6);
    CLEANUP_FREE char *s = fake_status(m, 100);
    CHECK_INT(status_int(s, "availability.required"), 4);
    CHECK_INT(status_int(s, "availability.available"), 4);
    CHECK_INT(status_int(s, "target.chips"), 16);
    model_free(m);
}

static void observe_attempt(struct model *m, int attempt, int at) {
    for (int i = 0; i < 4; i++) {
        CLEANUP_FREE char *name = mem_format("a%d-%d", attempt, i);
        struct fake_pod p = fake_started(name, i, at, at, at + 3);
        kind_observe_pod(m, &shape, &p, attempt, OBSERVED_PRESENT, at + 3.1);
    }
}

/* The operator replaces a failed pod within the second in which it failed; then a person suspends the job. */
TEST(a_pod_replaced_within_its_second_is_an_interruption) {
    struct model *m = kind_model(&shape);
    struct kind_state state = {0};
    kind_observe(m, &shape, &state, 0.2);
    observe_attempt(m, 0, 0);
    struct fake_pod failed = fake_started("a0-0", 0, 0, 0, 3);
    failed.finished = 51;
    failed.exit_code = 134;
    failed.phase = "Running";
    kind_observe_pod(m, &shape, &failed, 0, OBSERVED_PRESENT, 51.1);
    failed.phase = "Failed";
    kind_observe_pod(m, &shape, &failed, 0, OBSERVED_PRESENT, 51.3);
    failed.asked_to_go = 51;
    kind_observe_pod(m, &shape, &failed, 0, OBSERVED_DELETED, 51.4);
    struct fake_pod made = fake_pod("again", 0, 51), next = fake_started("again", 0, 51, 51, 54);
    kind_observe_pod(m, &shape, &made, 0, OBSERVED_PRESENT, 51.5);
    free(fake_status(m, 53));
    kind_observe_pod(m, &shape, &next, 0, OBSERVED_PRESENT, 54.1);
    free(fake_status(m, 55));
    state.is_suspended = true;
    state.written = 57;
    kind_observe(m, &shape, &state, 57.2);
    for (int i = 0; i < 4; i++) {
        CLEANUP_FREE char *name = i == 0 ? mem_strdup("again") : mem_format("a0-%d", i);
        struct fake_pod p = fake_started(name, i, i == 0 ? 51 : 0, i == 0 ? 51 : 0, i == 0 ? 54 : 3);
        p.asked_to_go = 57;
        kind_observe_pod(m, &shape, &p, 0, OBSERVED_DELETED, 58);
    }
    state.is_suspended = false;
    state.written = 63;
    kind_observe(m, &shape, &state, 63.2);
    observe_attempt(m, 1, 63);
    CLEANUP_FREE char *s = fake_status(m, 100);
    CHECK_INT(status_int(s, "interruptions.total"), 2);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "ApplicationError");
    CHECK_TEXT(status_text(s, "executions[number=2].cause"), "UserSuspend");
    model_free(m);
}
