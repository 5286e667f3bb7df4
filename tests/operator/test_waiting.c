/* Why a job does not start is written when the reason changes, not with the next running total: the summary has a hash
 * of the reason, which ages and numbers in the message do not move. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <string.h>

static uint64_t waiting_hash(struct model *m, double now, const char *expected) {
    struct model_summary summary = {0};
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(now), &summary);
    if (strstr(status_text(s, "availability.message"), expected) == NULL)
        harness_fail(__FILE__, __LINE__, "\"%s\" has no \"%s\"", status_text(s, "availability.message"), expected);
    return summary.waiting_hash;
}

static struct model *begin(void) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    return m;
}

TEST(an_unschedulable_pod_is_news_at_once) {
    struct model *m = begin();
    uint64_t no_pod = waiting_hash(m, 1, "no pod yet");
    struct fake_pod p = fake_pod("a", 0, 2);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 2.1);
    CHECK(waiting_hash(m, 3, "not yet bound for 1s") == no_pod); /* a pod on its way is none */
    p.unschedulable = 4;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 4.1);
    uint64_t unschedulable = waiting_hash(m, 5, "Unschedulable for 1s");
    CHECK(unschedulable != no_pod);
    CHECK(waiting_hash(m, 500, "Unschedulable for 8m") == unschedulable);
    p.bound = p.started = 600;
    p.phase = "Running";
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 601);
    CHECK(waiting_hash(m, 602, "") != unschedulable);
    model_free(m);
}

TEST(a_refused_pod_is_news_at_once) {
    struct model *m = begin();
    fake_observe_job(m, 1, 1.1);
    uint64_t no_pod = waiting_hash(m, 2, "no pod yet");
    fake_observe_job_event(m, "FailedCreate", "Error creating: pods \\\"x\\\" is forbidden: webhook", 3, 3);
    CHECK(waiting_hash(m, 4, "FailedCreate") != no_pod);
    model_free(m);
}

TEST(what_a_queue_waits_for_is_news_at_once) {
    struct model *m = begin();
    fake_observe_workload(m, fake_condition("QuotaReserved", "False", "Pending", 1), 1.2);
    uint64_t queued = waiting_hash(m, 2, "");
    fake_observe_workload(m, fake_condition("QuotaReserved", "True", "QuotaReserved", 10), 10.2);
    uint64_t checked = waiting_hash(m, 11, "");
    CHECK(queued != checked);
    model_free(m);
}

/* Whoever sets the node's name of a pod itself leaves PodScheduled to the kubelet, which writes it as it starts the
 * pod. */
TEST(a_pod_that_came_with_its_node_stays_bound) {
    struct model *m = begin();
    struct fake_pod p = fake_pod("a", 0, 2);
    p.has_node = true;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 2.1);
    CLEANUP_FREE char *bound = replay_status(m, "ns", "js", fake_ms(4), NULL);
    CHECK_TEXT(status_text(bound, "phase"), "Starting");
    p.bound = p.started = 10;
    p.phase = "Running";
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 9.9); /* a kubelet's clock that is 100 ms ahead */
    CLEANUP_FREE char *running = replay_status(m, "ns", "js", fake_ms(9.95), NULL);
    CHECK_TEXT(status_text(running, "phase"), "Starting");
    model_free(m);
}
