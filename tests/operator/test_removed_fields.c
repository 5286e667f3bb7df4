/* A change that only removes something (a scheduling gate, spec.suspend, a node of status.unhealthyNodes) leaves no
 * stamp in managedFields: the newest stamp there is of an earlier change. Such a change is never placed before the last
 * version that did not show it. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <string.h>

static int64_t bucket_ms(struct model *m, const char *name, double now, const char *bucket) {
    CLEANUP_FREE char *path = mem_format("badput[bucket=%s].milliseconds", bucket);
    CLEANUP_FREE char *s = replay_status(m, "ns", name, fake_ms(now), NULL);
    return status_int(s, path);
}

static struct model *begin(double jobset_at) {
    struct model *m = fake_successor(NULL);
    fake_observe_jobset(m, 1, "", "", jobset_at);
    return m;
}

/* A pod with a gate, whose newest stamp in managedFields is of its creation. */
static void observe_gated(struct model *m, bool is_gated, int scheduled, double at) {
    CLEANUP_FREE char *stamps = mem_format(
        ",\"managedFields\":[{\"manager\":\"kube-controller-manager\",\"operation\":\"Update\",\"time\":%s}]",
        fake_time(2));
    struct fake_pod p = fake_pod("a", 0, 2);
    p.more_meta = stamps;
    if (scheduled > 0)
        p.bound = scheduled;
    else if (is_gated)
        p.gated = 2;
    else
        p.unschedulable = 2;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, at);
}

TEST(a_gate_that_a_patch_without_a_stamp_removed_held_until_then) {
    struct model *m = begin(0.2);
    observe_gated(m, true, 0, 2.1);
    observe_gated(m, true, 0, 30.2);
    observe_gated(m, false, 40, 40.3);
    CHECK_INT(bucket_ms(m, "js", 50, "QueueWait"), 38000);
    CHECK_INT(bucket_ms(m, "js", 50, "Binding"), 2000); /* until the pod was made */
    model_free(m);
}

TEST(a_gate_that_is_removed_while_there_is_no_room_held_until_then) {
    struct model *m = begin(0.2);
    observe_gated(m, true, 0, 2.1);
    observe_gated(m, false, 0, 40.3);
    CHECK_INT(bucket_ms(m, "js", 50, "QueueWait"), 38300);
    CHECK_INT(bucket_ms(m, "js", 50, "Provisioning"), 9700);
    model_free(m);
}

/* The predecessor wrote at 30 that it is gated. */
TEST(a_gate_removed_between_two_controllers_held_until_the_first_one_ended) {
    struct model *m = begin(0.2);
    observe_gated(m, true, 0, 2.1);
    replay_watermarks(m, fake_ms(30));
    CLEANUP_FREE char *status = replay_status(m, "ns", "js", fake_ms(30), NULL);
    CLEANUP_FREE char *left = replay_left(status);
    model_free(m);
    struct model_options options = {.keeps_checkpoints = true};
    m = model_new(&options);
    replay_jobgoodput(m, "ns", "js", "None", left, fake_ms(31));
    fake_observe_jobset(m, 1, "", "", 31);
    observe_gated(m, false, 0, 31);
    CHECK(bucket_ms(m, "js", 40, "QueueWait") >= 28000);
    model_free(m);
}

/* Suspended by its spec from 10 to 40: the patch that removes spec.suspend leaves the stamp of 10. */
static void observe_suspended(struct model *m, bool is_suspended, int stamp, double at) {
    CLEANUP_FREE char *stamps = mem_format(
        ",\"managedFields\":[{\"manager\":\"kubectl\",\"operation\":\"Update\",\"time\":%s}]", fake_time(stamp));
    struct fake_jobset s = {.more_meta = stamps, .more_spec = is_suspended ? ",\"suspend\":true" : ""};
    fake_observe_jobset_of(m, &s, at);
}

TEST(a_suspension_whose_field_is_removed_lasted_until_then) {
    struct model *m = fake_model("");
    observe_suspended(m, false, 0, 0.2);
    observe_suspended(m, true, 10, 10.2);
    observe_suspended(m, true, 10, 20.2);
    observe_suspended(m, false, 10, 40.2);
    CHECK_INT(bucket_ms(m, "js", 50, "Suspended"), 30200);
    model_free(m);
}

/* The stamp is the one of the last version. */
TEST(a_change_within_a_second_of_the_last_version_is_not_placed_before_it) {
    struct model *m = fake_model("");
    observe_suspended(m, false, 0, 0.2);
    observe_suspended(m, false, 10, 10.2);
    observe_suspended(m, true, 10, 10.9);
    CHECK_INT(bucket_ms(m, "js", 50, "Suspended"), 39100);
    model_free(m);
}

/* A recording of a real control plane: kubectl removes the gates of a job's four pods after 7 s, the last one's after
 * 11 s. The patches leave no entry in managedFields. */
TEST(gates_that_patches_removed_are_queue_wait) {
    struct replay r;
    struct model_options options = {0};
    REQUIRE(replay_load(&r, "tests/data/recordings/gates.jsonl.gz", "workloads"));
    struct model *m = model_new(&options);
    replay_jobgoodput(m, "a-gated3", "g3", "None", "", r.events[0].at_ms);
    for (size_t i = 0; i < r.count; i++)
        replay_feed(m, &r.events[i]);
    CLEANUP_FREE char *s = replay_status(m, "a-gated3", "g3", r.last_ms, NULL);
    CHECK_INT(status_int(s, "badput[bucket=QueueWait].milliseconds"), 11000);
    CHECK_INT(status_int(s, "badput[bucket=Binding].milliseconds"), -1);
    model_free(m);
    replay_done(&r);
}
