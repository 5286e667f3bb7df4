/* A replicated job that waits for another one: by dependsOn or startupPolicy InOrder, in each attempt of the JobSet,
 * and after a suspension. Only "slice" has chips; "data" is what it waits for. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

#define DATA                                                                                                           \
    "{\"name\":\"data\",\"replicas\":1,\"template\":{\"spec\":{\"parallelism\":1,\"completions\":1,\"template\":{"     \
    "\"spec\":{\"containers\":[{\"name\":\"load\"}]}}}}},"
#define IN_ORDER ",\"startupPolicy\":{\"startupPolicyOrder\":\"InOrder\"}"

static void observe_jobset(struct model *m, bool is_in_order, bool is_suspended, const char *status, double at) {
    CLEANUP_FREE char *spec = mem_format("%s%s", is_in_order ? IN_ORDER : "", is_suspended ? ",\"suspend\":true" : "");
    struct fake_jobset s = {.more_jobs = DATA, .more_spec = spec, .status = status};
    if (!is_in_order)
        s.more_slice = ",\"dependsOn\":[{\"name\":\"data\",\"status\":\"Ready\"}]";
    fake_observe_jobset_of(m, &s, at);
}

static void observe_job(struct model *m, const char *uid, const char *replicated_job, const char *attempt, int created,
                        const char *status) {
    struct fake_job j = {
        .uid = uid, .replicated_job = replicated_job, .attempt = attempt, .created = created, .status = status};
    fake_observe_job_of(m, &j, OBSERVED_PRESENT, created + 0.1);
}

static void check_wait(struct model *m, double at, int64_t wait_ms, const char *evidence) {
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(at), NULL);
    CHECK_INT(status_int(s, "badput[bucket=DependencyWait].milliseconds"), wait_ms);
    CHECK_TEXT(status_text(s, "badput[bucket=DependencyWait].evidence"), evidence);
}

TEST(a_replicated_job_waits_for_another_one) {
    for (int is_in_order = 0; is_in_order < 2; is_in_order++) {
        struct model *m = fake_model("");
        observe_jobset(m, is_in_order, false, "", 0.2);
        observe_job(m, "data-0", "data", "0", 1, "");
        observe_job(m, "slice-0", "slice", "0", 30, "");
        struct fake_pod p = fake_running("a", "n0", 30);
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 32.1);
        check_wait(m, 60, 30000,
                   is_in_order ? "JobSet js: replicated job slice waits for startupPolicy InOrder"
                               : "JobSet js: replicated job slice waits for dependsOn");
        model_free(m);
    }
}

/* The JobSet restarts at 100: its Jobs of before are deleted at 101, and "slice" waits from 102 to 110 again. */
TEST(it_waits_again_in_the_next_attempt) {
    struct model *m = fake_model("");
    observe_jobset(m, true, false, "", 0.2);
    observe_job(m, "data-0", "data", "0", 1, "");
    observe_job(m, "slice-0", "slice", "0", 30, "");
    struct fake_pod a = fake_running("a", "n0", 30), b = fake_running("b", "n0", 110);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 32.1);
    observe_jobset(m, true, false, "\"restarts\":1", 100.2);
    a.asked_to_go = 100;
    fake_observe_pod(m, &a, OBSERVED_DELETED, 101);
    struct fake_job old = {.uid = "slice-0", .attempt = "0", .created = 30, .deletion = 101};
    fake_observe_job_of(m, &old, OBSERVED_DELETED, 101.2);
    observe_job(m, "data-1", "data", "1", 102, "");
    observe_job(m, "slice-1", "slice", "1", 110, "");
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 112.1);
    check_wait(m, 160, 38000, "JobSet js: replicated job slice waits for startupPolicy InOrder");
    model_free(m);
}

/* Both Jobs exist, suspended; the JobSet is resumed at 20, "slice" only at 30. */
TEST(it_waits_to_be_resumed_after_the_other_one) {
    struct model *m = fake_model("");
    CLEANUP_FREE char *off = mem_format("\"conditions\":[%s]", fake_condition("Suspended", "True", "", 0));
    CLEANUP_FREE char *on = mem_format("\"conditions\":[%s]", fake_condition("Suspended", "False", "", 20));
    CLEANUP_FREE char *job_on = mem_format("\"conditions\":[%s]", fake_condition("Suspended", "False", "", 30));
    observe_jobset(m, false, true, off, 0.2);
    observe_job(m, "data-0", "data", "0", 1, off);
    observe_job(m, "slice-0", "slice", "0", 1, off);
    observe_jobset(m, false, false, on, 20.1);
    struct fake_job resumed = {.uid = "slice-0", .attempt = "0", .created = 1, .status = job_on};
    fake_observe_job_of(m, &resumed, OBSERVED_PRESENT, 30.1);
    struct fake_pod p = fake_running("a", "n0", 30);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 32.1);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(60), NULL);
    CHECK_INT(status_int(s, "badput[bucket=Suspended].milliseconds"), 20000);
    CHECK_INT(status_int(s, "badput[bucket=DependencyWait].milliseconds"), 10000);
    model_free(m);
}

/* ---- pods without a completion index ---- */

/* Each pod takes the place that was free longest: c replaces a, which was lost at 50. */
TEST(a_pod_without_an_index_takes_the_place_of_the_lost_one) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 2, "", "", 0.2);
    struct fake_pod a = fake_started("a", -1, 1, 2, 3), b = fake_started("b", -1, 1, 2, 3);
    struct fake_pod c = fake_started("c", -1, 60, 62, 64);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 3.1);
    a.asked_to_go = 50;
    fake_observe_pod(m, &a, OBSERVED_DELETED, 51);
    fake_observe_pod(m, &c, OBSERVED_PRESENT, 64.1);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(100), NULL);
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    CHECK_INT(status_int(s, "availability.available"), 2);
    CHECK_INT(status_int(s, "badput[bucket=Rescheduling].milliseconds"), 12000);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "PodDeleted");
    model_free(m);
}
