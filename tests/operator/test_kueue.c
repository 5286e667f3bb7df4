/* Kueue takes a running job's machines away, in each of its reasons, and gives them back: whose waiting that is, what
 * the cause is called, and what of Kueue's own words the evidence keeps. And a node that topology-aware scheduling
 * replaces while the Workload stays admitted. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

static struct model *begin(void) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    return m;
}

static struct fake_pod running(const char *name, const char *node, int created, int bound) {
    struct fake_pod p = fake_started(name, 0, created, bound, bound + 1);
    p.node = node;
    return p;
}

static void observe_conditions(struct model *m, const char *const *conditions, int count, double at) {
    char all[2000] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? "," : "", conditions[i]);
    }
    fake_observe_workload(m, all, at);
}

static const char *evicted(const char *type, const char *status, const char *reason, const char *message, int at) {
    static char ring[4][400];
    static int next;
    char *text = ring[next++ % 4];
    snprintf(text, sizeof ring[0],
             "{\"type\":\"%s\",\"status\":\"%s\",\"reason\":\"%s\",\"message\":\"%s\",\"lastTransitionTime\":%s}", type,
             status, reason, message, fake_time(at));
    return text;
}

/* kueue workload_types.go: reasons of Evicted and of Preempted; the words are those of preemption.go (0.16).
 * Deactivated, by a person, is the simulator's (kueue.c there). */
static const struct {
    const char *reason, *preempted, *message, *cause, *bucket;
} reasons[] = {
    {"Preempted", "InClusterQueue",
     "Preempted to accommodate a workload (UID: 1, JobUID: 2) due to prioritization in the ClusterQueue",
     "KueuePreemption", "PreemptedWait"},
    {"Preempted", "InCohortReclamation",
     "Preempted to accommodate a workload (UID: 1, JobUID: 2) due to reclamation within the cohort", "KueuePreemption",
     "PreemptedWait"},
    {"Preempted", "InCohortFairSharing",
     "Preempted to accommodate a workload (UID: 1, JobUID: 2) due to Fair Sharing within the cohort", "KueuePreemption",
     "PreemptedWait"},
    {"Preempted", "InCohortReclaimWhileBorrowing",
     "Preempted to accommodate a workload (UID: 1, JobUID: 2) due to reclamation within the cohort while borrowing",
     "KueuePreemption", "PreemptedWait"},
    {"PodsReadyTimeout", NULL, "Exceeded the PodsReady timeout ns/wl", "KueueEviction/PodsReadyTimeout",
     "PreemptedWait"},
    {"AdmissionCheck", NULL, "At least one admission check is false", "KueueEviction/AdmissionCheck", "PreemptedWait"},
    {"ClusterQueueStopped", NULL, "The ClusterQueue is stopped", "KueueEviction/ClusterQueueStopped", "PreemptedWait"},
    {"LocalQueueStopped", NULL, "The LocalQueue is stopped", "KueueEviction/LocalQueueStopped", "PreemptedWait"},
    {"NodeFailures", NULL, "Workload was evicted as there was no replacement for a failed node: n0",
     "KueueEviction/NodeFailures", "PreemptedWait"},
    {"FlavorMigration", NULL, "moved to another flavor", "KueueEviction/FlavorMigration", "PreemptedWait"},
    {"DeactivatedDueToAdmissionCheck", NULL, "The workload is deactivated",
     "KueueEviction/DeactivatedDueToAdmissionCheck", "PreemptedWait"},
    {"DeactivatedDueToRequeuingLimitExceeded", NULL, "The workload is deactivated",
     "KueueEviction/DeactivatedDueToRequeuingLimitExceeded", "PreemptedWait"},
    {"DeactivatedDueToMaximumExecutionTimeExceeded", NULL, "The workload is deactivated",
     "KueueEviction/DeactivatedDueToMaximumExecutionTimeExceeded", "PreemptedWait"},
    {"AReasonOfTomorrow", NULL, "who knows", "KueueEviction/AReasonOfTomorrow", "PreemptedWait"},
};

/* Admitted at 4, evicted at 20, its pod deleted at 22, quota given back at 23, admitted again at 50, bound at 52. */
static char *life(size_t k) {
    struct model *m = begin();
    struct fake_pod a = running("a", "n0", 5, 6), b = running("b", "n0", 51, 52);
    const char *reason = reasons[k].reason, *preempted = reasons[k].preempted, *message = reasons[k].message;
    const char *admitted[] = {fake_condition("QuotaReserved", "True", "QuotaReserved", 4),
                              fake_condition("Admitted", "True", "Admitted", 4)};
    observe_conditions(m, admitted, 2, 4.1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 7.1);
    const char *out[] = {admitted[0], admitted[1], evicted("Evicted", "True", reason, message, 20),
                         evicted("Preempted", "True", preempted ? preempted : "", message, 20)};
    observe_conditions(m, out, preempted ? 4 : 3, 20.1);
    a.asked_to_go = 20;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 20.2);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 22);
    const char *queued[] = {fake_condition("QuotaReserved", "False", "Pending", 23),
                            fake_condition("Admitted", "False", "NoReservation", 23), out[2], out[3]};
    observe_conditions(m, queued, preempted ? 4 : 3, 23.1);
    const char *back[] = {fake_condition("QuotaReserved", "True", "QuotaReserved", 50),
                          fake_condition("Admitted", "True", "Admitted", 50),
                          evicted("Evicted", "False", "QuotaReserved", "Previously: evicted", 50),
                          evicted("Preempted", "False", "QuotaReserved", "Previously: preempted", 50)};
    observe_conditions(m, back, preempted ? 4 : 3, 50.1);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 53.1);
    char *s = replay_status(m, "ns", "js", fake_ms(60), NULL);
    model_free(m);
    return s;
}

TEST(kueue_evicts_in_each_of_its_reasons) {
    for (size_t k = 0; k < ARRAY_SIZE(reasons); k++) {
        CLEANUP_FREE char *s = life(k);
        char path[200];
        CHECK_INT(status_int(s, "interruptions.total"), 1);
        CHECK_TEXT(status_text(s, "executions[number=1].cause"), reasons[k].cause);
        CHECK(strstr(status_text(s, "executions[number=1].evidence"), reasons[k].message) != NULL);
        CHECK_INT(status_int(s, "executions[number=1].waitMilliseconds"), 30000);
        CHECK_INT(status_int(s, "executions[number=1].rescheduleMilliseconds"), 2000); /* created and bound */
        snprintf(path, sizeof path, "badput[bucket=%s].milliseconds", reasons[k].bucket);
        CHECK_INT(status_int(s, path), 30000);
        CHECK_INT(status_int(s, "badput[bucket=QueueWait].milliseconds"), 4000);
        CHECK_INT(status_int(s, "badput[bucket=Rescheduling].milliseconds"), 2000);
        CHECK_INT(status_int(s, "interruptions.excluded"), 1); /* from the means: Kueue's doing, or a person's */
    }
}

/* Topology-aware scheduling replaces a failed node: the Workload stays admitted (status.unhealthyNodes); the new pod
 * waits at its gate; one that was assigned a node that cannot take it is ended by Kueue (TerminatedByKueue), unbound.
 */
TEST(a_node_that_is_replaced_while_admitted_is_a_node_failure) {
    struct model *m = begin();
    const char *admitted[] = {fake_condition("QuotaReserved", "True", "QuotaReserved", 4),
                              fake_condition("Admitted", "True", "Admitted", 4)};
    observe_conditions(m, admitted, 2, 4.1);
    fake_observe_node(m, "n0", "True", -100, "", "", 0.5);
    fake_observe_node(m, "n1", "True", -100, "", "", 0.5);
    struct fake_pod a = running("a", "n0", 5, 6);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 7.1);
    fake_observe_node(m, "n0", "Unknown", 100, "", "", 100.1);
    a.asked_to_go = 105;
    a.disruption = "DeletionByTaintManager";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 105.1);
    struct fake_pod b = fake_pod("b", 0, 106); /* assigned to a node that is full */
    b.unschedulable = 106;
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 106.1);
    b.phase = "Failed";
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 120.1);
    fake_observe_pod(m, &b, OBSERVED_DELETED, 120.5);
    struct fake_pod c = running("c", "n1", 121, 125);
    fake_observe_pod(m, &c, OBSERVED_PRESENT, 127);
    char *s = replay_status(m, "ns", "js", fake_ms(200), NULL);
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "NodeFailure");
    CHECK_TEXT(status_text(s, "executions[number=1].node"), "n0");
    CHECK_INT(status_int(s, "executions[number=1].rescheduleMilliseconds"),
              25000); /* from 100 to 125: all of it is scheduling's */
    CHECK_INT(status_int(s, "executions[number=1].waitMilliseconds"), 0);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 94000 + 75000);
    CHECK_TEXT(status_text(s, "phase"), "Training");
    free(s);
    model_free(m);
}

/* Evicted in the second after all were there again: that is the next interruption's cause. */
TEST(an_eviction_after_all_were_there_is_of_the_next_interruption) {
    struct model *m = begin();
    const char *held[] = {fake_condition("QuotaReserved", "True", "QuotaReserved", 1),
                          fake_condition("Admitted", "True", "Admitted", 1),
                          evicted("Evicted", "True", "PodsReadyTimeout", "Exceeded the PodsReady timeout", 52)};
    observe_conditions(m, held, 2, 1.1);
    struct fake_pod a = running("a", "n0", 2, 3);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 4.1);
    a.asked_to_go = 40;
    fake_observe_pod(m, &a, OBSERVED_DELETED, 40.5);
    struct fake_pod b = running("b", "n1", 45, 51);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 51.5);
    observe_conditions(m, held, 3, 52.1);
    fake_observe_jobset(m, 1, ",\"suspend\":true", "", 53);
    b.asked_to_go = 54;
    fake_observe_pod(m, &b, OBSERVED_DELETED, 54.5);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(60), NULL);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "PodDeleted");
    CHECK_TEXT(status_text(s, "executions[number=2].cause"), "KueueEviction/PodsReadyTimeout");
    model_free(m);
}

static void observe_check(struct model *m, const char *state, const char *message, bool is_by_provisioner, double at) {
    bool is_ready = strcmp(state, "Ready") == 0;
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"wl\",\"uid\":\"uid-wl\",\"creationTimestamp\":%s,"
        "\"ownerReferences\":[{\"kind\":\"JobSet\",\"name\":\"js\",\"uid\":\"uid-js\",\"controller\":true}],"
        "\"managedFields\":[{\"manager\":\"kueue-admission\"}%s]},\"spec\":{\"active\":true,\"queueName\":\"q\"},"
        "\"status\":{\"conditions\":[%s%s%s],\"admissionChecks\":[{\"name\":\"capacity\",\"state\":\"%s\","
        "\"message\":\"%s\"}]}}",
        fake_time(0), is_by_provisioner ? ",{\"manager\":\"kueue.x-k8s.io/provisioning-request\"}" : "",
        fake_condition("QuotaReserved", "True", "QuotaReserved", 4), is_ready ? "," : "",
        is_ready ? fake_condition("Admitted", "True", "Admitted", 34) : "", state, message);
    fake_observe(m, RESOURCE_WORKLOAD, OBSERVED_PRESENT, "wl", "uid-wl", json, at);
}

/* 30 s of an admission check in which the autoscaler said something after `message_s` seconds; in what bucket they are.
 */
static void check_passes(bool is_by_provisioner, double message_s, const char *bucket, const char *evidence) {
    struct model *m = begin();
    struct fake_pod a = running("a", "n0", 35, 36);
    char path[100];
    observe_check(m, "Pending", "", false, 4.1);
    if (message_s < 30)
        observe_check(m, "Pending", "Capacity is not found", is_by_provisioner, 4 + message_s);
    observe_check(m, "Ready", "Capacity is found", is_by_provisioner, 34.1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 37.1);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(60), NULL);
    snprintf(path, sizeof path, "badput[bucket=%s].milliseconds", bucket);
    CHECK_INT(status_int(s, path), strcmp(bucket, "QueueWait") == 0 ? 34000 : 30000);
    snprintf(path, sizeof path, "badput[bucket=%s].evidence", bucket);
    CHECK_TEXT(status_text(s, path), evidence);
    model_free(m);
}

/* The story `provisioning` of tests/cluster: neither the check's name nor the autoscaler's words say what it is. */
TEST(a_check_that_asks_for_a_provisioning_request_is_known_by_who_wrote_it) {
    check_passes(true, 1, "Provisioning", "Workload wl: admission check capacity: Capacity is not found");
    check_passes(true, 30, "Provisioning", "Workload wl: admission check capacity: pending");
    check_passes(false, 1, "QueueWait", "Workload wl: admission check capacity: Capacity is not found");
}

/* A person sets spec.active to false at 50 and to true at 80; Kueue admits the Workload again at 90. */
TEST(a_person_who_deactivates_a_workload_suspends_the_job) {
    struct model *m = begin();
    struct fake_pod a = running("a", "n0", 4, 5), b = running("b", "n0", 90, 91);
    CLEANUP_FREE char *admitted = mem_format("%s,%s", fake_condition("QuotaReserved", "True", "QuotaReserved", 4),
                                             fake_condition("Admitted", "True", "Admitted", 4));
    CLEANUP_FREE char *off = mem_format("%s,%s,%s", fake_condition("Evicted", "True", "Deactivated", 50),
                                        fake_condition("QuotaReserved", "False", "Pending", 50),
                                        fake_condition("Admitted", "False", "NoReservation", 50));
    CLEANUP_FREE char *on = mem_format("%s,%s", off, fake_condition("Requeued", "True", "Reactivated", 80));
    CLEANUP_FREE char *again = mem_format("%s,%s,%s,%s", fake_condition("QuotaReserved", "True", "QuotaReserved", 90),
                                          fake_condition("Admitted", "True", "Admitted", 90),
                                          fake_condition("Evicted", "False", "QuotaReserved", 90),
                                          fake_condition("Requeued", "True", "Reactivated", 80));
    CLEANUP_FREE char *suspended = mem_format("\"conditions\":[%s]", fake_condition("Suspended", "True", "", 50));
    CLEANUP_FREE char *resumed = mem_format("\"conditions\":[%s]", fake_condition("Suspended", "False", "", 90));
    fake_observe_workload(m, admitted, 4.1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 6.1);
    fake_observe_workload_inactive(m, off, 50.1);
    fake_observe_jobset(m, 1, ",\"suspend\":true", suspended, 50.2);
    a.asked_to_go = 50;
    fake_observe_pod(m, &a, OBSERVED_DELETED, 51);
    fake_observe_workload(m, on, 80.1);
    fake_observe_workload(m, again, 90.1);
    fake_observe_jobset(m, 1, "", resumed, 90.2);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 92.1);
    CLEANUP_FREE char *s = fake_finish(m, 120);
    CHECK_INT(status_int(s, "badput[bucket=Suspended].milliseconds"), 30000);
    CHECK_TEXT(status_text(s, "badput[bucket=Suspended].evidence"), "Workload wl: spec.active=false");
    CHECK_INT(status_int(s, "badput[bucket=QueueWait].milliseconds"), 4000 + 10000);
    CHECK_INT(status_int(s, "interruptions.byCause[cause=UserSuspend].count"), 1);
}

/* Kueue evicts nothing where nothing was admitted: only spec.active changes, at 50 and at 80. */
TEST(a_person_who_deactivates_a_waiting_workload_suspends_it_from_then_on) {
    struct model *m = begin();
    struct fake_pod a = running("a", "n0", 90, 91);
    CLEANUP_FREE char *waits = mem_strdup(fake_condition("QuotaReserved", "False", "Pending", 0));
    CLEANUP_FREE char *admitted = mem_format("%s,%s", fake_condition("QuotaReserved", "True", "QuotaReserved", 90),
                                             fake_condition("Admitted", "True", "Admitted", 90));
    fake_observe_workload(m, waits, 0.1);
    fake_observe_workload_inactive(m, waits, 50);
    fake_observe_workload(m, waits, 80);
    fake_observe_workload(m, admitted, 90.1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 92.1);
    CLEANUP_FREE char *s = fake_finish(m, 120);
    CHECK_INT(status_int(s, "badput[bucket=Suspended].milliseconds"), 30000);
    CHECK_INT(status_int(s, "badput[bucket=QueueWait].milliseconds"), 60000);
}

/* spec.active changes first, Evicted follows with the next version: until then and afterwards, what was before is as it
 * was. */
TEST(a_deactivation_changes_nothing_before_it) {
    struct model *m = begin();
    struct fake_pod a = running("a", "n0", 4, 5);
    CLEANUP_FREE char *admitted = mem_format("%s,%s", fake_condition("QuotaReserved", "True", "QuotaReserved", 4),
                                             fake_condition("Admitted", "True", "Admitted", 4));
    CLEANUP_FREE char *evicted = mem_format("%s,%s", admitted, fake_condition("Evicted", "True", "Deactivated", 50));
    CLEANUP_FREE char *suspended = mem_format("\"conditions\":[%s]", fake_condition("Suspended", "True", "", 51));
    fake_observe_node(m, "n0", "True", 0, "", "", 0.3);
    fake_observe_workload(m, admitted, 4.1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 6.1);
    fake_observe_workload_inactive(m, admitted, 50.7);
    CLEANUP_FREE char *first = fake_status(m, 50.8);
    CHECK_INT(status_int(first, "badput[bucket=QueueWait].milliseconds"), 4000);
    fake_observe_workload_inactive(m, evicted, 50.9);
    fake_observe_jobset(m, 1, ",\"suspend\":true", suspended, 51.2);
    a.asked_to_go = 51;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 51.3);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 52);
    CLEANUP_FREE char *s = fake_status(m, 60);
    CHECK_INT(status_int(s, "badput[bucket=QueueWait].milliseconds"), 4000);
    CHECK_INT(status_int(s, "badput[bucket=Suspended].milliseconds"), 9000);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "UserSuspend");
    model_free(m);
}

static void observe_slice(struct model *m, const char *name, int created, const char *replaces, const char *conditions,
                          double at) {
    CLEANUP_FREE char *uid = mem_format("uid-%s", name);
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\",\"creationTimestamp\":%s,"
        "\"annotations\":{\"kueue.x-k8s.io/elastic-job\":\"true\"%s},\"ownerReferences\":[{\"kind\":"
        "\"JobSet\",\"name\":\"js\",\"uid\":\"uid-js\",\"controller\":true}]},\"spec\":{\"queueName\":\"q\"},"
        "\"status\":{\"conditions\":[%s]}}",
        name, uid, fake_time(created), replaces, conditions);
    fake_observe(m, RESOURCE_WORKLOAD, OBSERVED_PRESENT, name, uid, json, at);
}

/* An elastic job grows from two pods to three. Its new Workload waits 20 s for quota, then replaces the first, whose
 * pods run on. Where the spec asks for no third pod, all
 * slots stay available meanwhile. Shapes from source, not recorded: kueue v0.16.2
 * pkg/workloadslicing and pkg/scheduler/scheduler.go (replaceWorkloadSlice). */
TEST(a_workload_slice_that_replaces_another_interrupts_nothing) {
    for (int grows = 0; grows < 2; grows++) {
        struct model *m = fake_model("");
        fake_observe_node(m, "n0", "True", 0, "", "", 0);
        fake_observe_jobset(m, 2, "", "", 0.2);
        CLEANUP_FREE char *quota = mem_format("%s,%s", fake_condition("QuotaReserved", "True", "QuotaReserved", 4),
                                              fake_condition("Admitted", "True", "Admitted", 4));
        CLEANUP_FREE char *replaced =
            mem_format("%s,%s", quota, fake_condition("Finished", "True", "WorkloadSliceReplaced", 60));
        CLEANUP_FREE char *quota_again =
            mem_format("%s,%s", fake_condition("QuotaReserved", "True", "QuotaReserved", 60),
                       fake_condition("Admitted", "True", "Admitted", 60));
        static const char replaces[] = ",\"kueue.x-k8s.io/workload-slice-replacement-for\":\"ns/wl-1\"";
        observe_slice(m, "wl-1", 0, "", quota, 4.1);
        struct fake_pod a = fake_started("a", 0, 4, 4, 4), b = fake_started("b", 1, 4, 4, 4);
        a.node = b.node = "n0";
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 5);
        fake_observe_pod(m, &b, OBSERVED_PRESENT, 5);
        if (grows)
            fake_observe_jobset(m, 3, "", "", 40);
        observe_slice(m, "wl-2", 40, replaces, "", 40.1);
        CLEANUP_FREE char *waiting = fake_status(m, 50);
        CHECK_TEXT(status_text(waiting, "phase"), grows ? "Queued" : "Training");
        observe_slice(m, "wl-2", 40, replaces, quota_again, 60.1);
        observe_slice(m, "wl-1", 0, "", replaced, 60.1);
        struct fake_pod c = fake_started("c", 2, 60, 60, 60);
        c.node = "n0";
        if (grows)
            fake_observe_pod(m, &c, OBSERVED_PRESENT, 61);
        CLEANUP_FREE char *s = fake_status(m, 100);
        CHECK_INT(status_int(s, "interruptions.total"), 0);
        CHECK_INT(status_int(s, "badput[bucket=QueueWait].milliseconds"), grows ? 24000 : 4000);
        CHECK_INT(status_int(s, "time.availableMilliseconds"), grows ? 76000 : 96000);
        CHECK(strstr(s, "PreemptedWait") == NULL);
        model_free(m);
    }
}

/* A flavor decides on which nodes a job runs, not how many chips it has: quota may be of what Kueue makes of a resource
 * (resources.transformations), or of a name that no table of chips has. The nodes of the flavor name the chip. */
TEST(chips_are_those_that_pods_ask_for_whatever_the_flavor_counts) {
    static const char *const usages[] = {
        "\"google.com/tpu\":\"4\"",
        "\"example.com/credits\":\"40\"",
        "\"example.com/credits\":\"40\",\"google.com/tpu\":\"4\",\"nvidia.com/gpu\":\"16\"",
    };
    for (size_t i = 0; i < ARRAY_SIZE(usages); i++) {
        struct model *m = begin();
        struct fake_pod a = running("a", "n0", 4, 5);
        CLEANUP_FREE char *waits = mem_strdup(fake_condition("QuotaReserved", "False", "Pending", 1));
        CLEANUP_FREE char *admitted =
            mem_format("%s,%s", fake_condition("QuotaReserved", "True", "QuotaReserved", 3600),
                       fake_condition("Admitted", "True", "Admitted", 3600));
        CLEANUP_FREE char *assigned =
            mem_format(",\"admission\":{\"clusterQueue\":\"cq\",\"podSetAssignments\":[{\"name\":\"slice\",\"count\":1,"
                       "\"flavors\":{\"google.com/tpu\":\"spot\"},\"resourceUsage\":{%s}}]}",
                       usages[i]);
        fake_observe_workload(m, waits, 1.1);
        CLEANUP_FREE char *queued = fake_status(m, 3600);
        CHECK_INT(status_int(queued, "target.chips"), 4);
        CHECK_TEXT(status_text(queued, "acceleratorHours.waiting"), "4.000");
        fake_observe_workload_status(m, admitted, assigned, 3600.1);
        fake_observe_node(m, "n0", "True", 0, "\"cloud.google.com/gke-tpu-accelerator\":\"tpu-v5-lite-podslice\"", "",
                          3600.2);
        a.created = 3600;
        a.bound = a.started = a.ready = 3600;
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 3601);
        CLEANUP_FREE char *s = fake_status(m, 7200);
        CHECK_INT(status_int(s, "target.chips"), 4);
        CHECK_TEXT(status_text(s, "target.accelerator"), "TPU v5e");
        CHECK_TEXT(status_text(s, "acceleratorHours.waiting"), "4.000");
        CHECK_TEXT(status_text(s, "acceleratorHours.allocated"), "4.000");
        model_free(m);
    }
}
