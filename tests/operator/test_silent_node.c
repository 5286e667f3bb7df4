/* A node that gives no sign of life: its readiness alone opens no interruption. What its time was shows once the node
 * is back, or its pod is deleted. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

/* A pod ended at 20, its node fell silent at 30, which showed at 71: that cannot have ended the pod. The node reports
 * its status every 5 min (heartbeat at 0). */
TEST(an_ended_occupancy_is_not_changed_by_its_node) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_node(m, "n0", "True", 0, "", "", 0.5);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3), b = fake_started("b", 0, 22, 23, 24);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    a.finished = 20;
    a.exit_code = 7;
    a.phase = "Failed";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 20.5);
    b.node = "n1";
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 24.5);
    fake_observe_heartbeat(m, "n0", 71, 0, 71.2);
    for (int has_lease = 0; has_lease < 2; has_lease++) {
        char *s = replay_status(m, "ns", "js", fake_ms(80), NULL);
        CHECK_INT(status_int(s, "interruptions.total"), 1);
        CHECK_TEXT(status_text(s, "executions[number=1].cause"), "ApplicationError");
        CHECK_INT(status_int(s, "badput[bucket=FailureDetection].milliseconds"), -1);
        free(s);
        fake_observe_lease(m, "n0", 15); /* even if the lease had stopped before it */
    }
    model_free(m);
}

/* The lease is read when the node shows as not Ready; until it comes nothing is dated back. Once the node is back with
 * the pod as it was, the slot was held all the time. */
TEST(a_silent_node_is_unobserved_since_its_last_sign_of_life_until_it_is_back) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    fake_observe_heartbeat(m, "n0", 71, 40, 71.2); /* with leases, this says little: every 5 min */
    char *s = replay_status(m, "ns", "js", fake_ms(71.3), NULL);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 69000);
    CHECK_INT(status_int(s, "badput[bucket=Unobserved].milliseconds"), 300);
    free(s);
    fake_observe_lease(m, "n0", 50);
    s = replay_status(m, "ns", "js", fake_ms(75), NULL);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 48000);
    CHECK_INT(status_int(s, "badput[bucket=Unobserved].milliseconds"), 25000);
    CHECK_TEXT(status_text(s, "badput[bucket=Unobserved].evidence"), "no sign of life from the machine of a on n0");
    CHECK_TEXT(status_text(s, "availability.message"),
               "slice 0 host 0: node n0 gives no sign of life for 25s; pod a is not known to be lost");
    CHECK_TEXT(status_text(s, "topBadput"), "Unattributed");
    CHECK_INT(status_int(s, "interruptions.total"), 0);
    CHECK_INT(status_int(s, "goodputPPM.scheduling"), 640000);           /* 48 / 75 */
    CHECK_INT(status_int(s, "goodputPPM.schedulingUpperBound"), 973333); /* (48 + 25) / 75 */
    free(s);
    fake_observe_node(m, "n0", "True", 100, "", "", 100.2);
    fake_observe_heartbeat(m, "n0", 200, 190, 200.1); /* again, and the lease known is still that of the first time */
    s = fake_finish(m, 200.2);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 198000);
    CHECK_INT(status_int(s, "badput[bucket=Unobserved].milliseconds"), 200);
    free(s);
}

/* The watches are cut at 100.4. The next list shows that the node is Ready since 100, a stamp in whole seconds, and
 * that the pod is deleted: that may have been at 100.5, before the node's return at 100.9. */
TEST(a_node_that_returns_in_the_second_of_the_last_sight_of_its_pod_proves_nothing) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    fake_observe_heartbeat(m, "n0", 71, 0, 71.2);
    fake_observe_lease(m, "n0", 50);
    model_watermark(m, RESOURCE_POD, fake_ms(100.4), false);
    fake_observe_node(m, "n0", "True", 100, "", "", 120);
    CHECK_INT(model_observe(m, RESOURCE_POD, OBSERVED_VANISHED, SLICE("ns"), SLICE("a"), SLICE("uid-a"),
                            (struct slice){0}, fake_ms(120)),
              0);
    CLEANUP_FREE char *s = fake_finish(m, 130);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 48000);
    CHECK_INT(status_int(s, "badput[bucket=Unobserved].milliseconds"), 70000);
}

/* The node's lease was renewed last at 30, Ready turned Unknown at 71, the pod was deleted at 80 and came up elsewhere.
 */
static void observe_node_failure(struct model *m, bool lease_first) {
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_node(m, "n0", "True", 0, "\"cloud.google.com/gke-nodepool\":\"pool\"", "", 0.5);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    for (int at = 0; at <= 30 && lease_first; at += 10)
        fake_observe_lease(m, "n0", at);
    fake_observe_node(m, "n0", "Unknown", 71, "\"cloud.google.com/gke-nodepool\":\"pool\"", "", 71.2);
    a.asked_to_go = 80;
    a.disruption = "DeletionByTaintManager";
    fake_observe_pod(m, &a, OBSERVED_DELETED, 81);
    struct fake_pod b = fake_started("b", 0, 82, 84, 85);
    b.node = "n1";
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 85.1);
    free(replay_status(m, "ns", "js", fake_ms(90), NULL));
    for (int at = 0; at <= 30 && !lease_first; at += 10)
        fake_observe_lease(m, "n0", at);
    if (!lease_first) /* a lease does not wake a job by itself */
        fake_observe_node(m, "n0", "Unknown", 71, "\"cloud.google.com/gke-nodepool\":\"other\"", "", 90);
}

TEST(a_dead_node_counts_from_its_last_sign_of_life) {
    for (int lease_first = 0; lease_first < 2; lease_first++) {
        struct model *m = fake_model("");
        observe_node_failure(m, lease_first);
        char *s = fake_finish(m, 100);
        CHECK_INT(status_int(s, "time.availableMilliseconds"), 44000); /* 2-30, 84-100 */
        CHECK_INT(status_int(s, "badput[family=Scheduling].milliseconds"),
                  50000); /* the first: FailureDetection, 30-80 */
        CHECK_TEXT(status_text(s, "badput[family=Scheduling].bucket"), "FailureDetection");
        CHECK_INT(status_int(s, "badput[bucket=Rescheduling].milliseconds"), 4000); /* 80-84 */
        CHECK_TEXT(status_text(s, "executions[number=1].cause"), "NodeFailure");
        CHECK_TEXT(status_text(s, "executions[number=1].node"), "n0");
        CHECK(strstr(status_text(s, "executions[number=1].evidence"), "n0 that was not Ready") != NULL);
        free(s);
    }
}

/* The lease is renewed every 10 s: one that was cut off soon after a pod came up is not dead since before that. */
TEST(a_container_that_started_is_a_sign_of_life_of_its_node) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = fake_started("a", 0, 31, 32, 36);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 36.1);
    fake_observe_lease(m, "n0", 30);
    fake_observe_node(m, "n0", "Unknown", 71, "", "", 71.2);
    char *s = fake_finish(m, 75);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 4000); /* 32-36 */
    CHECK_INT(status_int(s, "badput[bucket=Unobserved].milliseconds"), 75000 - 36000);
    CHECK_INT(status_int(s, "interruptions.total"), 0);
    free(s);
}

TEST(a_node_that_comes_back_with_its_pod_interrupted_nothing) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_node(m, "n0", "True", 0, "", "", 0.5);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    fake_observe_node(m, "n0", "False", 20, "", "", 20.2);
    fake_observe_node(m, "n0", "True", 30, "", "", 30.2);
    char *s = fake_finish(m, 40);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 38000);
    CHECK_INT(status_int(s, "badput[bucket=Unobserved].milliseconds"), -1);
    CHECK_INT(status_int(s, "interruptions.total"), 0);
    free(s);
}
