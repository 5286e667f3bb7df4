/* When a node that went away was heard of last: each outage by its own lease, and by what its kubelet still said. */
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

static void observe_running(struct model *m, const char *name, int created) {
    struct fake_pod p = fake_started(name, 0, created, created + 1, created + 2);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, created + 2.3);
}

/* n0 dies at 30, observed at 71, and is back at 100. Then it is drained: its kubelet says at 200 that it is not Ready,
 * and the Node is deleted at 220. It is made again at 230 and dies at 400. The lease is read at the deaths only:
 * between 30 and 400 the controller did not read it, which is not a silence. */
TEST(a_drained_node_is_lost_when_its_kubelet_says_so) {
    struct model *m = fake_model("");
    fake_observe_node(m, "n0", "True", 0, "", "", 0.5);
    fake_observe_jobset(m, 1, "", "", 0.6);
    fake_observe_node(m, "n0", "Unknown", 71, "", "", 71.2);
    fake_observe_lease(m, "n0", 30);
    fake_observe_node(m, "n0", "True", 100, "", "", 100.2);
    observe_running(m, "a", 109);
    fake_observe_node(m, "n0", "False", 200, "", "", 200.1);
    fake_observe_node_deleted(m, "n0", "False", 200, 220);
    struct fake_pod deleted = fake_pod("a", 0, 109);
    deleted.asked_to_go = 220;
    fake_observe_pod(m, &deleted, OBSERVED_DELETED, 220.1);
    fake_observe_node(m, "n0", "True", 230, "", "", 230.1);
    observe_running(m, "b", 230);
    fake_observe_node(m, "n0", "Unknown", 441, "", "", 441.2);
    fake_observe_lease(m, "n0", 400);
    char *s = replay_status(m, "ns", "js", fake_ms(450), NULL);
    CHECK_INT(status_int(s, "time.wallMilliseconds"), 450000);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 90000 + 169000); /* 110-200 and 231-400 */
    CHECK_INT(status_int(s, "badput[bucket=FailureDetection].milliseconds"),
              20000); /* 200-220, when the pod is deleted */
    CHECK_TEXT(status_text(s, "executions[number=1].end"), "2026-11-21T02:03:20.000Z");
    CHECK_INT(status_int(s, "executions[number=1].rescheduleMilliseconds"), 31000);
    CHECK_INT(status_int(s, "badput[bucket=Unobserved].milliseconds"),
              50000); /* 400-450: nothing shows yet what became of b */
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    free(s);
    model_free(m);
}

TEST(a_notice_after_the_pod_was_deleted_is_not_its_cause) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_node(m, "n0", "True", 0, "", "", 0.5);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    a.asked_to_go = 20;
    a.disruption = "EvictionByEvictionAPI";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 20.1);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 20.6);
    fake_observe_node(m, "n0", "True", 0, "",
                      "{\"key\":\"cloud.google.com/impending-node-termination\",\"effect\":\"NoSchedule\"}", 23);
    char *s = replay_status(m, "ns", "js", fake_ms(40), NULL);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "Eviction");
    free(s);
    model_free(m);
}

/* Another pod failed, the JobSet restarts, and a node that one of its pods is deleted from is not Ready in that second.
 */
TEST(a_node_deleted_in_the_second_of_a_restart_is_not_its_cause) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 2, "", "\"restarts\":0", 0.2);
    fake_observe_node(m, "n0", "True", 0, "", "", 0.5);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3), b = fake_started("b", 1, 1, 2, 3);
    b.node = "n1";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 3.1);
    b.finished = 18;
    b.exit_code = 7;
    b.phase = "Failed";
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 18.5);
    fake_observe_jobset(m, 2, "", "\"restarts\":1", 20.1);
    a.asked_to_go = 20;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 20.3);
    fake_observe_node(m, "n0", "False", 20, "", "", 20.6);
    char *s = replay_status(m, "ns", "js", fake_ms(40), NULL);
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "ApplicationError");
    free(s);
    model_free(m);
}

/* Topology-aware scheduling, node replacement: n0 dies at 30, seen at 71, and the pod that replaces the one lost there
 * is held to n0 by its gate's assignment; Kueue fails it, never bound, and the next one gets n1. That is one
 * interruption, by the node, and a wait until 131, not a trainer that failed. */
TEST(a_pod_that_kueue_fails_for_its_assigned_node_is_not_an_interruption) {
    struct model *m = fake_model("");
    fake_observe_node(m, "n0", "True", 0, "", "", 0.5);
    fake_observe_node(m, "n1", "True", 0, "", "", 0.5);
    fake_observe_jobset(m, 1, "", "", 0.6);
    observe_running(m, "a", 9);
    fake_observe_node(m, "n0", "Unknown", 71, "", "", 71.2);
    fake_observe_lease(m, "n0", 30);
    struct fake_pod deleted = fake_pod("a", 0, 9);
    deleted.asked_to_go = 80;
    deleted.disruption = "DeletionByTaintManager";
    fake_observe_pod(m, &deleted, OBSERVED_DELETED, 80.1);
    struct fake_pod refused = fake_pod("b", 0, 81);
    refused.unschedulable = 82;
    fake_observe_pod(m, &refused, OBSERVED_PRESENT, 82.1);
    refused.phase = "Failed";
    refused.failed_by_kueue = 110;
    fake_observe_pod(m, &refused, OBSERVED_PRESENT, 110.1);
    fake_observe_pod(m, &refused, OBSERVED_DELETED, 112.1);
    struct fake_pod c = fake_pod("c", 0, 130);
    c.node = "n1";
    c.bound = 131;
    c.started = 132;
    c.phase = "Running";
    fake_observe_pod(m, &c, OBSERVED_PRESENT, 132.3);
    char *s = replay_status(m, "ns", "js", fake_ms(150), NULL);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 20000 + 19000);
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    CHECK_INT(status_int(s, "interruptions.byCause[cause=NodeFailure].count"), 1);
    CHECK_INT(status_int(s, "badput[bucket=FailureDetection].milliseconds"), 50000); /* 30-80 */
    CHECK_INT(status_int(s, "badput[bucket=Provisioning].milliseconds"),
              28100); /* b waited for a node until Kueue failed it */
    CHECK_INT(status_int(s, "badput[bucket=Rescheduling].milliseconds"), 51000 - 28100);
    free(s);
    model_free(m);
}

/* Its node is drained and becomes not Ready in the second in which the trainer fails: it failed by itself, unless a
 * signal ended it. */
TEST(a_trainer_that_fails_as_its_node_goes_has_failed_by_itself) {
    static const struct {
        int exit_code;
        const char *cause;
    } ends[] = {{255, "ApplicationError"}, {143, "NodeMaintenance"}};
    for (int i = 0; i < 2; i++) {
        struct model *m = model_new(&(struct model_options){0});
        replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
        fake_observe_jobset(m, 1, "", "", 0.2);
        fake_observe_node(m, "n0", "True", 0, "", "", 0.5);
        struct fake_pod a = fake_started("a", 0, 1, 2, 3);
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
        const char *notice = "{\"key\":\"cloud.google.com/impending-node-termination\",\"effect\":\"NoSchedule\"}";
        fake_observe_node(m, "n0", "True", 0, "", notice, 28);
        fake_observe_node(m, "n0", "False", 30, "", notice, 30.2);
        a.finished = 30;
        a.exit_code = ends[i].exit_code;
        a.phase = "Failed";
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 30.5);
        char *s = replay_status(m, "ns", "js", fake_ms(40), NULL);
        CHECK_TEXT(status_text(s, "executions[number=1].cause"), ends[i].cause);
        free(s);
        model_free(m);
    }
}
