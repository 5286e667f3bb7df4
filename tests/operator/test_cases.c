/* Lives that the recorded story lacks, each with figures that follow from the times given. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

/* Available from 2 on; a person suspends it at 20. */
static struct model *suspended(void) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    char status[512];
    snprintf(status, sizeof status, "\"conditions\":[%s]", fake_condition("Suspended", "True", "SuspendedJobs", 20));
    fake_observe_jobset(m, 1, ",\"suspend\":true", status, 20.4);
    a.asked_to_go = 20;
    fake_observe_pod(m, &a, OBSERVED_DELETED, 21);
    return m;
}

TEST(a_person_suspends_and_resumes) {
    struct model *m = suspended();
    char status[512];
    char *s = replay_status(m, "ns", "js", fake_ms(30), NULL);
    CHECK_TEXT(status_text(s, "phase"), "Suspended");
    CHECK_TEXT(status_text(s, "phaseSince"), "2026-11-21T02:00:20.000Z");
    CHECK_TEXT(status_text(s, "availability.message"), "JobSet js: spec.suspend=true");
    free(s);
    snprintf(status, sizeof status, "\"conditions\":[%s]", fake_condition("Suspended", "False", "ResumeJobs", 50));
    fake_observe_jobset(m, 1, ",\"suspend\":false", status, 50.3);
    struct fake_pod b = fake_started("b", 0, 51, 52, 53);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 53.1);
    s = fake_finish(m, 60);
    CHECK_INT(status_int(s, "time.wallMilliseconds"), 60000);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 26000); /* 2-20 and 52-60 */
    CHECK_INT(status_int(s, "badput[bucket=Suspended].milliseconds"), 30000);
    CHECK_INT(status_int(s, "badput[bucket=Rescheduling].milliseconds"), 2000);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "UserSuspend");
    CHECK_INT(status_int(s, "interruptions.excluded"), 1);
    CHECK_TEXT(status_text(s, "phase"), "Training"); /* source None: containers that run are all there is to see */
    CHECK_INT(status_int(s, "otherDefinitions[name=ExcludingSuspended].denominatorMilliseconds"), 30000);
    free(s);
}

/* JobSet's controller notices some time after the creation that the JobSet is to wait: still one suspension. */
TEST(a_jobset_made_suspended_that_jobset_obeys_late_was_suspended_once) {
    const int late[] = {0, 4, 15};
    for (int i = 0; i < 3; i++) {
        int at = late[i];
        struct model *m = fake_model("");
        char status[512];
        fake_observe_jobset(m, 1, ",\"suspend\":true", "", 0.2);
        snprintf(status, sizeof status, "\"conditions\":[%s]",
                 fake_condition("Suspended", "True", "SuspendedJobs", at));
        fake_observe_jobset(m, 1, ",\"suspend\":true", status, at + 0.3);
        fake_observe_jobset(m, 1, ",\"suspend\":false", status, at + 0.8);
        snprintf(status, sizeof status, "\"conditions\":[%s]",
                 fake_condition("Suspended", "False", "ResumeJobs", at + 1));
        fake_observe_jobset(m, 1, ",\"suspend\":false", status, at + 1.1);
        struct fake_pod a = fake_started("a", 0, at + 1, at + 4, at + 5);
        fake_observe_pod(m, &a, OBSERVED_PRESENT, at + 5.1);
        char *s = fake_finish(m, at + 20);
        CHECK_INT(status_int(s, "badput[bucket=Suspended].milliseconds"), 1000 * at + 800);
        CHECK_INT(status_int(s, "interruptions.total"), 0);
        free(s);
    }
}

/* What passes until JobSet's controller notices is Rescheduling. */
TEST(a_resumption_that_jobset_obeys_late_ends_the_suspension) {
    struct model *m = suspended();
    char status[512];
    fake_observe_jobset(m, 1, ",\"suspend\":false", status, 50);
    snprintf(status, sizeof status, "\"conditions\":[%s]", fake_condition("Suspended", "False", "ResumeJobs", 55));
    fake_observe_jobset(m, 1, ",\"suspend\":false", status, 55.3);
    struct fake_pod b = fake_started("b", 0, 55, 57, 58);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 58.1);
    char *s = fake_finish(m, 60);
    CHECK_INT(status_int(s, "badput[bucket=Suspended].milliseconds"), 30000);
    CHECK_INT(status_int(s, "badput[bucket=Rescheduling].milliseconds"), 7000);
    free(s);
}

/* As the kubelet and the Job controller do it: SIGTERM ends the containers within the second of the request. */
TEST(a_suspended_pod_that_exits_is_not_an_application_error) {
    for (int asked_first = 0; asked_first < 2; asked_first++) {
        struct model *m = fake_model("");
        fake_observe_jobset(m, 1, "", "", 0.2);
        struct fake_pod a = fake_started("a", 0, 1, 2, 3);
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
        char status[512];
        snprintf(status, sizeof status, "\"conditions\":[%s]",
                 fake_condition("Suspended", "True", "SuspendedJobs", 20));
        fake_observe_jobset(m, 1, ",\"suspend\":true", status, 20.4);
        a.asked_to_go = 20;
        a.grace = 30;
        if (asked_first)
            fake_observe_pod(m, &a, OBSERVED_PRESENT, 20.5);
        a.finished = 20;
        a.exit_code = asked_first ? 1 : 143; /* its own handler's exit code; or both are seen at once */
        a.phase = "Failed";
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 20.9);
        char *s = fake_finish(m, 30);
        CHECK_TEXT(status_text(s, "executions[number=1].cause"), "UserSuspend");
        CHECK_INT(status_int(s, "interruptions.excluded"), 1);
        free(s);
    }
}

TEST(an_exit_before_the_deletion_is_the_applications) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "\"restarts\":0", 0.2);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    a.finished = 20;
    a.exit_code = 143;
    a.phase = "Failed";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 20.1);
    fake_observe_jobset(m, 1, "", "\"restarts\":1", 20.3);
    a.asked_to_go = 20; /* the JobSet deletes its Job within the same second */
    fake_observe_pod(m, &a, OBSERVED_DELETED, 20.6);
    char *s = fake_finish(m, 30);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "ApplicationError");
    free(s);
}

TEST(a_suspension_from_the_start_is_not_an_interruption) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, ",\"suspend\":true", "", 0.2);
    char *s = fake_finish(m, 10);
    CHECK_INT(status_int(s, "badput[bucket=Suspended].milliseconds"), 10000);
    CHECK_INT(status_int(s, "interruptions.total"), 0);
    CHECK_TEXT(status_text(s, "phase"), "Suspended");
    free(s);
}

TEST(an_image_pull_is_known_from_events) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_event(m, "a", "Pulling", "Pulling image \\\"x\\\"", 3); /* may come before its pod */
    struct fake_pod a = fake_started("a", 0, 1, 2, 9);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 9.1);
    fake_observe_event(
        m, "a", "Pulled",
        "Successfully pulled image \\\"x\\\" in 4.2s (4.7s including waiting). Image size: 4269694 bytes.", 8);
    char *s = fake_finish(m, 20);
    CHECK_INT(status_int(s, "badput[bucket=Binding].milliseconds"), 2000);
    CHECK_INT(status_int(s, "badput[bucket=ImagePull].milliseconds"), 5000);      /* 3 to 8: both stamps fit 4.7 s */
    CHECK_INT(status_int(s, "badput[bucket=ContainerStart].milliseconds"), 2000); /* 2 to 3, 8 to 9 */
    CHECK_INT(status_int(s, "badput[bucket=Unattributed].milliseconds"), 11000);
    free(s);
}

TEST(an_image_already_present_is_not_a_pull) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = fake_started("a", 0, 1, 2, 9);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 9.1);
    fake_observe_event(m, "a", "Pulled", "Container image \\\"x\\\" already present on machine", 4);
    char *s = fake_finish(m, 20);
    CHECK_INT(status_int(s, "badput[bucket=ImagePull].milliseconds"), -1);
    CHECK_INT(status_int(s, "badput[bucket=ContainerStart].milliseconds"), 7000);
    free(s);
}

TEST(a_spot_reclaim_is_known_from_the_taint) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_node(m, "n0", "True", 0, "\"cloud.google.com/gke-spot\":\"true\"",
                      "{\"key\":\"cloud.google.com/impending-node-termination\",\"effect\":\"NoSchedule\"}", 19);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    a.asked_to_go = 20;
    a.disruption = "TerminationByKubelet";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 20.1);
    char *s = fake_finish(m, 40);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "SpotReclaim");
    CHECK_TEXT(status_text(s, "phase"), "Recovering");
    CHECK_TEXT(status_text(s, "availability.message"), "slice 0 host 0: pod a is terminating for 20s on node n0");
    free(s);
}

TEST(a_success_after_an_eviction_is_not_a_completion) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    a.asked_to_go = 20;
    a.disruption = "EvictionByEvictionAPI";
    a.finished = 22;
    a.phase = "Succeeded";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 22.1);
    char *s = fake_finish(m, 40);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 18000);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "Eviction");
    free(s);
}

TEST(a_kubelet_eviction_is_known_from_its_event_alone) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    a.finished = 22;
    a.phase = "Succeeded";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 22.1);
    free(replay_status(m, "ns", "js", fake_ms(23), NULL));
    fake_observe_event(m, "a", "Evicted", "Usage of EmptyDir volume exceeds the limit", 20);
    char *s = fake_finish(m, 40);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 18000);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "Eviction");
    free(s);
}

TEST(a_deleted_pod_is_a_cause_only_if_nothing_explains_it) {
    for (int restarted = 0; restarted < 2; restarted++) {
        struct model *m = fake_model("");
        fake_observe_jobset(m, 1, "", "\"restarts\":0", 0.2);
        struct fake_pod a = fake_started("a", 0, 1, 2, 3);
        a.asked_to_go = 20;
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 20.1);
        free(replay_status(m, "ns", "js", fake_ms(20.2), NULL));
        if (restarted)
            fake_observe_jobset(m, 1, "", "\"restarts\":1", 20.5);
        struct fake_pod b = fake_started("b", 0, 22, 23, 24);
        fake_observe_pod(m, &b, OBSERVED_PRESENT, 24.1);
        char *s = fake_finish(m, 40);
        CHECK_INT(status_int(s, "interruptions.total"), 1);
        CHECK_TEXT(status_text(s, "executions[number=1].cause"), restarted ? "Unknown" : "PodDeleted");
        free(s);
    }
}

TEST(a_restart_in_place_keeps_the_slot) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    a.restart_policy = "OnFailure";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    a.restart_count = 1;
    a.last_finished = 20;
    a.last_exit_code = 1;
    a.started = 25;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 25.1);
    char *s = fake_finish(m, 40);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 38000);
    CHECK_INT(status_int(s, "badput[bucket=ContainerStart].milliseconds"), 6000); /* 2-3, 20-25 */
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "ApplicationError");
    CHECK(strstr(status_text(s, "executions[number=1].evidence"), "restarted in place after exit 1") != NULL);
    free(s);
}

TEST(unschedulable_pods_say_why) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 2, "", "", 0.2);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3), b = fake_pod("b", 1, 1);
    b.unschedulable = 1;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 3.2);
    char *s = fake_finish(m, 901);
    CHECK_TEXT(status_text(s, "phase"), "Provisioning");
    CHECK_TEXT(status_text(s, "availability.message"), "slice 0 host 1: Unschedulable for 15m: so \"it\" is");
    CHECK_INT(status_int(s, "availability.required"), 2);
    CHECK_INT(status_int(s, "availability.available"), 1);
    CHECK_INT(status_int(s, "badput[bucket=Provisioning].milliseconds"), 900000);
    free(s);
}

TEST(kueue_evicts_for_other_reasons_too) {
    struct model *m = fake_model("");
    char conditions[1400];
    fake_observe_jobset(m, 1, "", "", 0.2);
    snprintf(conditions, sizeof conditions, "%s,%s", fake_condition("QuotaReserved", "True", "QuotaReserved", 4),
             fake_condition("Admitted", "True", "Admitted", 6));
    fake_observe_workload(m, conditions, 6.1);
    struct fake_pod a = fake_started("a", 0, 7, 8, 9);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 9.1);
    snprintf(conditions, sizeof conditions, "%s,%s,%s", fake_condition("QuotaReserved", "True", "QuotaReserved", 4),
             fake_condition("Admitted", "True", "Admitted", 6),
             fake_condition("Evicted", "True", "PodsReadyTimeout", 20));
    fake_observe_workload(m, conditions, 20.1);
    a.asked_to_go = 20;
    fake_observe_pod(m, &a, OBSERVED_DELETED, 21);
    char *s = replay_status(m, "ns", "js", fake_ms(30), NULL);
    CHECK_TEXT(status_text(s, "phase"), "Queued");
    CHECK_TEXT(status_text(s, "interruptions.byCause[cause=KueueEviction/PodsReadyTimeout].cause"),
               "KueueEviction/PodsReadyTimeout");
    CHECK_INT(status_int(s, "badput[bucket=QueueWait].milliseconds"), 6000); /* 0-4 no quota, 4-6 checks */
    CHECK_INT(status_int(s, "badput[bucket=PreemptedWait].milliseconds"), 10000);
    free(s);
    model_free(m);
}

TEST(targets_that_are_missing_taken_or_deleted) {
    struct model *m = fake_model("");
    char *s = replay_status(m, "ns", "js", fake_ms(5), NULL);
    CHECK_TEXT(status_text(s, "phase"), "Pending");
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "TargetNotFound");
    CHECK_INT(status_int(s, "time.wallMilliseconds"), -1);
    free(s);
    struct fake_jobgoodput second = {.name = "second", .target = "js", .created = 7, .step_log = ""};
    fake_observe_jobgoodput(m, &second, 7);
    s = replay_status(m, "ns", "second", fake_ms(8), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "Duplicate");
    free(s);
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_jobset_deleted(m, 1, 12, 12.4);
    free(replay_status(m, "ns", "js", fake_ms(20), NULL));
    s = replay_status(m, "ns", "js", fake_ms(90), NULL); /* long enough after its end was seen: final */
    CHECK_TEXT(status_text(s, "phase"), "Deleted");
    CHECK_INT(status_int(s, "time.wallMilliseconds"), 12000);
    CHECK_TEXT(status_text(s, "conditions[type=Finished].reason"), "Deleted");
    free(s);
    fake_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_DELETED, "js", "goodput-of-js", "", 21);
    s = replay_status(m, "ns", "second", fake_ms(22), NULL); /* now it is the only one */
    CHECK_TEXT(status_text(s, "phase"), "Deleted");
    free(s);
    int deleted = 0;
    for (struct model_job *job; (job = model_next_dirty(m)) != NULL;)
        deleted += model_job_is_deleted(job);
    CHECK_INT(deleted, 1);
    CHECK_INT(model_job_count(m), 1);
    model_free(m);
}

TEST(a_target_managed_elsewhere_gets_no_scores) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, ",\"managedBy\":\"kueue.x-k8s.io/multikueue\"", "", 0.2);
    char *s = fake_finish(m, 10);
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "ManagedElsewhere");
    CHECK_TEXT(status_text(s, "goodput.scheduling"), "");
    free(s);
}

TEST(a_recreated_target_moves_its_result_to_previous) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_jobset_deleted(m, 1, 12, 12.4);
    fake_observe_jobset_of(m, &(struct fake_jobset){.uid = "uid-js2", .created = 20}, 20);
    char *s = fake_finish(m, 25);
    CHECK_TEXT(status_text(s, "target.uid"), "uid-js2");
    CHECK_TEXT(status_text(s, "previous[uid=uid-js].time.end"), "2026-11-21T02:00:12.000Z");
    CHECK_INT(status_int(s, "previous[uid=uid-js].time.wallMilliseconds"), 12000);
    CHECK_INT(status_int(s, "time.wallMilliseconds"), 5000);
    free(s);
}

static void show_jobgoodput(struct model *m, int version, int generation, const char *status) {
    struct fake_jobgoodput g = {.version = version, .generation = generation, .status = status};
    fake_observe_jobgoodput(m, &g, 60);
}

/* A restarted controller finds the job's final status and of the job itself only the object: pods and Workload are
 * deleted. */
TEST(final_numbers_are_never_computed_again) {
    CLEANUP_FREE char *status = harness_read_file("tests/data/replay/final-status.json", NULL);
    struct model_options options = {0};
    struct model *m = model_new(&options);
    struct model_summary summary;
    char failed[512];
    snprintf(failed, sizeof failed, "\"conditions\":[%s]", fake_condition("Failed", "True", "FailedJobs", 50));
    show_jobgoodput(m, 1, 1, status);
    fake_observe_jobset(m, 1, "", failed, 60);
    CHECK(model_job_is_final(model_job_find(m, "ns", "js")));
    show_jobgoodput(m, 2, 2, status); /* the spec changes: the record does not */
    fake_observe_jobset_deleted(m, 1, 70, 70.2);
    char *s = replay_status(m, "ns", "js", fake_ms(80), &summary);
    CHECK_TEXT(s, status);
    CHECK_TEXT(summary.phase, "Failed");
    CHECK(summary.is_final);
    free(s);
    fake_observe_jobset_of(m, &(struct fake_jobset){.uid = "uid-js2", .created = 90}, 90);
    CHECK(!model_job_is_final(model_job_find(m, "ns", "js")));
    s = fake_finish(m, 100);
    CHECK_TEXT(status_text(s, "target.uid"), "uid-js2");
    CHECK_INT(status_int(s, "previous[uid=uid-js].time.productiveMilliseconds"), 30000);
    free(s);
}

/* While the log is still read, our own status comes back with Finished=True: it does not stop us. */
TEST(our_own_status_freezes_nothing) {
    struct model_options options = {0};
    struct model *m = model_new(&options);
    show_jobgoodput(m, 1, 1, "{}");
    fake_observe_jobset(m, 1, "", "", 0.2);
    free(replay_status(m, "ns", "js", fake_ms(10), NULL));
    show_jobgoodput(m, 2, 1,
                    "{\"target\":{\"uid\":\"uid-js\"},\"conditions\":[{\"type\":\"Finished\",\"status\":\"True\"}]}");
    CHECK(!model_job_is_final(model_job_find(m, "ns", "js")));
    model_free(m);
}

/* Every cut of a real object is refused or read, and never crashes (this runs under the sanitizers too). */
TEST(malformed_objects_are_left_out) {
    struct replay r;
    REQUIRE(replay_load(&r, "tests/data/recordings/story.jsonl.gz", "workloads"));
    bool was_cut[RESOURCE_COUNT] = {false};
    struct model *m = fake_model("");
    for (size_t i = r.count; i-- > 0;) {
        struct replay_event *e = &r.events[i];
        if (was_cut[e->resource])
            continue;
        was_cut[e->resource] = true;
        for (size_t n = 0; n < e->object.size_bytes; n++) {
            struct slice cut = {e->object.data, n};
            CHECK(model_observe(m, e->resource, OBSERVED_PRESENT, e->namespace_, e->name, e->uid, cut, e->at_ms) < 0);
        }
    }
    static const char *const odd[] = {"null", "[]", "{}", "{\"metadata\":[]}", "{\"metadata\":{\"name\":7}}", "\"x\""};
    for (int resource = 0; resource < RESOURCE_COUNT; resource++)
        for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
            CHECK(model_observe(m, (enum resource)resource, OBSERVED_PRESENT, SLICE("n"), SLICE("x"), SLICE("u"),
                                slice_of(odd[i]), 1) < 0);
    CHECK_INT(model_job_count(m), 1);
    model_free(m);
    replay_done(&r);
}
