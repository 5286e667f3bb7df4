/* Time that no controller watched: what objects and Events prove of it, and that all else is Unobserved. A predecessor
 * is killed at 50, and the lists come at 100; or nothing was watched before that. Everything of "a", "b" is slot 0. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define QUOTA "Error creating: pods \\\"x\\\" is forbidden: exceeded quota: chips"

static struct fake_pod running(const char *name, int created) {
    struct fake_pod p = fake_running(name, "n0", created);
    p.job_uid = "uid-job";
    return p;
}

static void observe_all(struct model *m, double at) {
    for (int r = 0; r < RESOURCE_COUNT; r++)
        model_watermark(m, (enum resource)r, fake_ms(at), r == RESOURCE_NODE_LEASE);
}

/* A pod runs from 3 on; the status of 50 is found. */
static struct model *killed_at_50(void) {
    struct model *m = fake_successor(NULL);
    struct fake_pod a = running("a", 2);
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_job(m, 1, 1.1);
    fake_observe_node(m, "n0", "True", -100, "", "", 1.2);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 4.1);
    CLEANUP_FREE char *status = replay_status(m, "ns", "js", fake_ms(50), NULL);
    model_free(m);
    return fake_successor(status);
}

static void observe_lists(struct model *m, const char *jobset_status, const char *job_status) {
    fake_observe_jobset(m, 1, "", jobset_status, 100);
    fake_observe_job_status(m, 1, job_status, 100);
    fake_observe_node(m, "n0", "True", -100, "", "", 100);
}

static int64_t sum_of(const char *status) {
    int64_t sum = 0;
    const char *at = strstr(status, "\"badput\":["), *end = at ? strchr(at, ']') : NULL;
    while (at && (at = strstr(at, "\"milliseconds\":")) != NULL && at < end)
        sum += strtoll(at += strlen("\"milliseconds\":"), NULL, 10);
    return sum;
}

static char *status_at(struct model *m, int at) {
    observe_all(m, at);
    char *s = replay_status(m, "ns", "js", fake_ms(at), NULL);
    CHECK_INT(sum_of(s), status_int(s, "time.wallMilliseconds"));
    return s;
}

struct expected {
    int available_s, unobserved_s, rescheduling_s, interruptions;
};

static void check(const char *what, const char *s, struct expected e) {
    int64_t unobserved_ms = status_int(s, "badput[bucket=Unobserved].milliseconds"),
            total = status_int(s, "interruptions.total");
    int64_t again_ms = status_int(s, "badput[bucket=Rescheduling].milliseconds");
    if (status_int(s, "time.availableMilliseconds") != e.available_s * 1000 ||
        unobserved_ms != (e.unobserved_s ? e.unobserved_s * 1000 : -1) ||
        again_ms != (e.rescheduling_s ? e.rescheduling_s * 1000 : -1) || total != e.interruptions)
        harness_fail(__FILE__, __LINE__, "%s: available %lld, unobserved %lld, rescheduling %lld, interruptions %lld",
                     what, (long long)status_int(s, "time.availableMilliseconds"), (long long)unobserved_ms,
                     (long long)again_ms, (long long)total);
}

TEST(a_pod_that_was_there_before_and_after_held_its_slot) {
    struct model *m = killed_at_50();
    struct fake_pod a = running("a", 2);
    observe_lists(m, "", "");
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 100);
    CLEANUP_FREE char *s = status_at(m, 120);
    check("the same pod", s, (struct expected){117, 0, 0, 0});
    CHECK_INT(status_int(s, "goodputPPM.schedulingUpperBound"), -1);
    model_free(m);
}

/* Who held the slot between the last that is known of a and the creation of b is not known. */
TEST(a_pod_that_was_replaced_is_one_interruption_at_an_unknown_time) {
    struct model *m = killed_at_50();
    struct fake_pod b = running("b", 80);
    observe_lists(m, "", "\"failed\":1");
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 100);
    CLEANUP_FREE char *s = status_at(m, 120);
    check("another pod", s, (struct expected){47 + 39, 30, 1, 1});
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "Unknown");
    CHECK_INT(status_int(s, "executions[number=1].rescheduleMilliseconds"), 1000);
    CHECK_INT(status_int(s, "interruptions.meanTimeBetweenSeconds"), 86);
    CHECK_INT(status_int(s, "goodputPPM.schedulingUpperBound"), 966667); /* (86 + 30) / 120 */
    CHECK_TEXT(status_text(s, "badput[bucket=Unobserved].basis"), "Derived");
    CHECK_TEXT(status_text(s, "topBadput"), "Unattributed");
    model_free(m);
}

TEST(what_a_pod_that_is_there_still_says_of_itself_is_known) {
    struct model *m = killed_at_50();
    struct fake_pod a = running("a", 2), b = running("b", 110);
    observe_lists(m, "", "");
    a.asked_to_go = 60;
    a.grace = 60;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 100);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 105);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 112);
    CLEANUP_FREE char *s = status_at(m, 120);
    check("terminating", s, (struct expected){57 + 9, 40, 11, 1});
    CHECK_TEXT(status_text(s, "executions[number=1].end"), "2026-11-21T02:01:00.000Z");
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "PodDeleted");
    model_free(m);
}

/* The taint manager marks it at 60 because of its node, which was silent since some time before. */
TEST(a_pod_marked_for_its_node_in_the_gap_is_not_known_to_have_held_its_slot) {
    struct model *m = killed_at_50();
    struct fake_pod a = running("a", 2), b = running("b", 101);
    observe_lists(m, "", "");
    a.asked_to_go = 60;
    a.grace = 45;
    a.disruption = "DeletionByTaintManager";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 100);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 101);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 104);
    CLEANUP_FREE char *s = status_at(m, 120);
    check("marked", s, (struct expected){47 + 18, 50, 2, 1});
    model_free(m);
}

/* A kubelet that was cut off stops its containers when it is back: its Event does not prove the slot held until then.
 */
TEST(a_container_stopped_in_the_gap_does_not_prove_its_slot_held_until_then) {
    struct model *m = killed_at_50();
    struct fake_pod b = running("b", 80);
    observe_lists(m, "", "\"failed\":1");
    fake_observe_event(m, "a", "Killing", "Stopping container train", 70);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 100);
    CLEANUP_FREE char *s = status_at(m, 120);
    check("stopped", s, (struct expected){47 + 39, 30, 1, 1});
    model_free(m);
}

TEST(a_slot_that_is_found_empty_is_not_held_from_then_on) {
    struct model *m = killed_at_50();
    observe_lists(m, "", "");
    CLEANUP_FREE char *s = status_at(m, 120);
    check("no pod", s, (struct expected){47, 50, 20, 1});
    model_free(m);
}

/* The same, where it was the watch that was cut. */
TEST(a_watch_that_was_cut_is_a_gap_as_well) {
    for (int has_vanished = 0; has_vanished < 2; has_vanished++) {
        struct model *m = fake_successor(NULL);
        struct fake_pod a = running("a", 2), b = running("b", 80);
        fake_observe_jobset(m, 1, "", "", 0.2);
        fake_observe_node(m, "n0", "True", -100, "", "", 1.2);
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 4.1);
        observe_all(m, 50);
        if (has_vanished) {
            fake_observe(m, RESOURCE_POD, OBSERVED_VANISHED, "a", "uid-a", NULL, 100);
            fake_observe_pod(m, &b, OBSERVED_PRESENT, 100);
        } else {
            model_unwatched(m, fake_ms(50), fake_ms(100));
            fake_observe_pod(m, &a, OBSERVED_PRESENT, 100);
        }
        CLEANUP_FREE char *s = status_at(m, 120);
        check("cut", s, has_vanished ? (struct expected){47 + 39, 30, 1, 1} : (struct expected){117, 0, 0, 0});
        model_free(m);
    }
}

/* ---- a JobGoodput, or a controller, that comes late ---- */

TEST(before_the_first_known_pod_time_is_unobserved) {
    struct model *m = fake_successor(NULL);
    struct fake_pod b = running("b", 80);
    observe_lists(m, "", "");
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 100);
    CLEANUP_FREE char *s = status_at(m, 120);
    check("late", s, (struct expected){39, 80, 0, 0});
    CHECK_INT(status_int(s, "badput[bucket=Binding].milliseconds"), 1000);
    model_free(m);
    m = fake_successor(NULL); /* made with its JobSet: there was none before it */
    b = running("b", 1);
    observe_lists(m, "", "");
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 100);
    CLEANUP_FREE char *first = status_at(m, 120);
    check("late, of a job that runs since the start", first, (struct expected){118, 0, 0, 0});
    model_free(m);
}

static void show_workload(struct model *m, const char *evicted, int evictions, int reserved, int admitted) {
    CLEANUP_FREE char *all =
        mem_format("%s,%s%s%s", fake_condition("QuotaReserved", "True", "", reserved),
                   fake_condition("Admitted", "True", "", admitted), evicted ? "," : "", evicted ? evicted : "");
    CLEANUP_FREE char *more =
        mem_format(",\"schedulingStats\":{\"evictions\":[{\"reason\":\"Preempted\",\"count\":%d}]}", evictions);
    fake_observe_workload_status(m, all, more, 100);
}

TEST(a_workload_that_was_never_evicted_held_nothing_before_it_was_admitted) {
    struct fake_pod b = running("b", 75);
    struct model *m = fake_successor(NULL);
    observe_lists(m, "", "");
    show_workload(m, NULL, 0, 70, 75);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 100);
    CLEANUP_FREE char *s = status_at(m, 120);
    check("never evicted", s, (struct expected){44, 0, 0, 0});
    CHECK_INT(status_int(s, "badput[bucket=QueueWait].milliseconds"), 75000);
    model_free(m);
    m = fake_successor(NULL);
    observe_lists(m, "", "");
    show_workload(m, fake_condition("Evicted", "False", "QuotaReserved", 70), 2, 70, 75);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 100);
    CLEANUP_FREE char *evicted = status_at(m, 120);
    check("evicted before", evicted, (struct expected){44, 70, 0, 2});
    CHECK_INT(status_int(evicted, "interruptions.byCause[cause=KueueEviction].count"), 2);
    CHECK_INT(status_int(evicted, "interruptions.onlyCounted"), 2);
    CHECK_INT(status_int(evicted, "interruptions.meanTimeBetweenSeconds"), -1);
    model_free(m);
}

/* Out of its eviction at 40 and waiting for a check; admitted and evicted again, at 90, while the watch is cut. */
TEST(an_admission_that_came_and_went_in_the_gap_is_not_a_wait) {
    struct model *m = fake_successor(NULL);
    struct fake_pod b = running("b", 111);
    CLEANUP_FREE char *reserved = mem_format("%s,%s,%s", fake_condition("QuotaReserved", "True", "", 40),
                                             fake_condition("Admitted", "False", "", 31),
                                             fake_condition("Evicted", "False", "QuotaReserved", 40));
    CLEANUP_FREE char *evicted =
        mem_format("%s,%s,%s", fake_condition("QuotaReserved", "False", "Pending", 91),
                   fake_condition("Admitted", "False", "", 91), fake_condition("Evicted", "True", "Preempted", 90));
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_workload(m, reserved, 45);
    observe_all(m, 50);
    model_unwatched(m, fake_ms(50), fake_ms(100));
    fake_observe_workload(m, evicted, 100);
    show_workload(m, fake_condition("Evicted", "False", "QuotaReserved", 110), 2, 110, 110);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 114);
    CLEANUP_FREE char *s = status_at(m, 120);
    CHECK_INT(status_int(s, "badput[bucket=Unobserved].milliseconds"), 40000);
    model_free(m);
}

/* ---- counters ---- */

/* Whether the controller was killed or its watch was cut, what Job.status.failed moved by meanwhile counts. */
TEST(a_counter_that_moved_while_the_watch_was_cut_counts) {
    for (int is_observed_first = 0; is_observed_first < 2; is_observed_first++) {
        struct model *m = fake_successor(NULL);
        struct fake_pod a = running("a", 2);
        fake_observe_jobset(m, 1, "", "", 0.2);
        fake_observe_job_status(m, 1, "\"failed\":0", 1.1);
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 4.1);
        observe_all(m, 50);
        if (is_observed_first) /* the watch of Jobs was not cut */
            fake_observe_job_status(m, 1, "\"failed\":1", 70);
        model_unwatched(m, fake_ms(50), fake_ms(100));
        if (!is_observed_first)
            fake_observe_job_status(m, 1, "\"failed\":1", 100);
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 100);
        CLEANUP_FREE char *s = status_at(m, 120);
        CHECK_INT(status_int(s, "interruptions.total"), 1);
        CHECK_INT(status_int(s, "interruptions.onlyCounted"), 1);
        model_free(m);
    }
}

/* A JobSet with a startup policy keeps Suspended=True until all its Jobs have started: it proves nothing of a gap. */
TEST(a_jobset_that_starts_in_order_is_not_proved_suspended_by_its_condition) {
    struct model *m = fake_successor(NULL);
    CLEANUP_FREE char *suspended =
        mem_format("\"conditions\":[%s]", fake_condition("Suspended", "True", "SuspendedJobs", 1));
    fake_observe_jobset(m, 1, ",\"startupPolicy\":{\"startupPolicyOrder\":\"InOrder\"},\"suspend\":true", suspended,
                        100);
    CLEANUP_FREE char *s = status_at(m, 120);
    CHECK_INT(status_int(s, "badput[bucket=Unobserved].milliseconds"), 100000);
    model_free(m);
}

/* Resumed at 10, as its condition says, and suspended again just before it was first observed. */
TEST(a_jobset_first_observed_as_it_is_suspended_was_not_so_from_the_start) {
    struct model *m = fake_successor(NULL);
    CLEANUP_FREE char *resumed =
        mem_format("\"conditions\":[%s]", fake_condition("Suspended", "False", "ResumeJobs", 10));
    fake_observe_jobset(m, 1, ",\"suspend\":true", resumed, 100);
    CLEANUP_FREE char *s = status_at(m, 120);
    CHECK_INT(status_int(s, "badput[bucket=Unobserved].milliseconds"), 100000);
    model_free(m);
}

/* Two restarts are counted; the Job of the second shows when it was. */
TEST(a_counter_adds_what_it_has_more_than_is_known) {
    struct model *m = fake_successor(NULL);
    struct fake_pod b = running("b", 80);
    observe_lists(m, "\"restarts\":2", "\"failed\":3");
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 100);
    CLEANUP_FREE char *s = status_at(m, 120);
    CHECK_INT(status_int(s, "interruptions.total"), 2 + 3);
    CHECK_INT(status_int(s, "interruptions.byCause[cause=Unknown].count"), 5);
    CHECK_INT(status_int(s, "interruptions.meanTimeBetweenSeconds"), -1);
    CHECK_INT(status_int(s, "executions[number=2].number"), -1);
    observe_lists(m, "\"restarts\":2", "\"failed\":3");
    CLEANUP_FREE char *again = status_at(m, 120);
    CHECK_INT(status_int(again, "interruptions.total"), 5);
    model_free(m);
}

/* a is lost, and its Job fails, at 40; the JobSet restarts, which the successor finds. */
TEST(a_restart_whose_start_a_predecessor_observed_is_counted_once) {
    struct model *m = fake_successor(NULL);
    struct fake_pod a = running("a", 2), b = running("b", 80);
    fake_observe_jobset(m, 1, "", "\"restarts\":0", 0.2);
    fake_observe_job(m, 1, 1.1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 4.1);
    a.phase = "Failed";
    a.finished = 40;
    a.exit_code = 3;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 40.5);
    CLEANUP_FREE char *status = replay_status(m, "ns", "js", fake_ms(50), NULL);
    CHECK_INT(status_int(status, "interruptions.total"), 1);
    model_free(m);
    m = fake_successor(status);
    CLEANUP_FREE char *restarted = mem_format("\"restarts\":1,\"conditions\":[%s]",
                                              fake_condition("RestartingJobSet", "True", "DefaultFailurePolicy", 79));
    fake_observe_jobset(m, 1, "", restarted, 100);
    b.job_uid = "uid-new";
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 100);
    CLEANUP_FREE char *s = status_at(m, 120);
    check("restarted", s, (struct expected){37 + 39, 30, 11, 1});
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "ApplicationError");
    model_free(m);
}

/* ---- a target that is made again ---- */

static void observe_other_jobset(struct model *m, int created, double at) {
    fake_observe_jobset_of(m, &(struct fake_jobset){.uid = "uid-other", .created = created}, at);
}

TEST(what_was_published_of_a_target_that_was_made_again_meanwhile_is_kept) {
    struct model *m = killed_at_50();
    observe_other_jobset(m, 90, 100);
    CLEANUP_FREE char *s = status_at(m, 120);
    CHECK_TEXT(status_text(s, "target.uid"), "uid-other");
    const char *previous = strstr(s, "\"previous\":");
    REQUIRE(previous != NULL);
    CHECK(strstr(previous, "\"wallMilliseconds\":90000,\"availableMilliseconds\":47000") != NULL); /* it ended by 90 */
    model_free(m);
}

/* ---- the size of the job changes nothing ---- */

static char *refused(int pods, bool is_late) {
    struct model *m = fake_successor(NULL);
    fake_observe_jobset(m, pods, "", "", 100);
    fake_observe_job_status(m, 1, "\"failed\":3", 100);
    for (int i = 0; i < pods; i++) {
        char name[32];
        snprintf(name, sizeof name, "p%d", i);
        struct fake_pod p = running(name, 66);
        p.index = i;
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 100);
    }
    if (is_late)
        free(replay_status(m, "ns", "js", fake_ms(101), NULL));
    fake_observe_job_event(m, "FailedCreate", QUOTA, 2, 34);
    struct fake_pod p = running("p0", 66);
    p.ready = 105;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 105.5);
    char *s = replay_status(m, "ns", "js", fake_ms(110), NULL);
    char *checkpoint = strstr(s, ",\"checkpoint\":");
    if (checkpoint)
        memcpy(checkpoint, "}", 2);
    model_free(m);
    return s;
}

TEST(a_late_event_counts_the_same_for_any_number_of_pods) {
    static const int sizes[] = {1, 512, 513, 1000};
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        CLEANUP_FREE char *first = refused(sizes[i], false), *late = refused(sizes[i], true);
        CHECK_TEXT(late, first);
        CHECK_INT(status_int(first, "badput[bucket=Unobserved].milliseconds"), 66000);
        CHECK_INT(status_int(first, "time.availableMilliseconds"), 43000);
    }
}

/* ---- the API server is away ---- */

/* From 40 to 65; n0 shows as not Ready from 66 to 70. */
static struct model *outage(bool is_known) {
    struct model *m = fake_successor(NULL);
    struct fake_pod a = running("a", 2);
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_node(m, "n0", "True", -100, "", "", 0.5);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 4.1);
    fake_observe_lease(m, "n0", 38);
    if (is_known)
        model_unreachable(m, fake_ms(40), fake_ms(65));
    fake_observe_node(m, "n0", "Unknown", 66, "", "", 66.2);
    return m;
}

TEST(while_the_api_server_was_away_a_silent_node_proves_nothing) {
    for (int is_known = 0; is_known < 2; is_known++) {
        struct model *m = outage(is_known);
        CLEANUP_FREE char *during = status_at(m, 68);
        check("not Ready yet", during, is_known ? (struct expected){62, 3, 0, 0} : (struct expected){35, 30, 0, 0});
        fake_observe_node(m, "n0", "True", 70, "", "", 70.2);
        CLEANUP_FREE char *s = status_at(m, 100);
        check("back", s, (struct expected){97, 0, 0, 0});
        model_free(m);
    }
}

/* An exit code is stronger than what the node shows: the cause that was published stays. */
TEST(a_published_cause_is_not_overwritten_by_a_node_that_was_not_ready) {
    struct model *m = fake_successor(NULL);
    struct fake_pod a = running("a", 2);
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_node(m, "n0", "True", -100, "", "", 0.5);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 4.1);
    fake_observe_lease(m, "n0", 38);
    a.phase = "Failed";
    a.finished = 39;
    a.exit_code = 3;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 39.5);
    CLEANUP_FREE char *before = status_at(m, 40);
    CHECK_TEXT(status_text(before, "executions[number=1].cause"), "ApplicationError");
    fake_observe_node(m, "n0", "Unknown", 66, "", "", 66.2);
    a.asked_to_go = 67;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 67.1);
    CLEANUP_FREE char *s = status_at(m, 100);
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "ApplicationError");
    CHECK_TEXT(status_text(s, "executions[number=1].end"), "2026-11-21T02:00:39.000Z");
    model_free(m);
}

/* Index 0 of two is complete, and its pod was deleted before the first list: its slot is done from that list on, also
 * for a successor, until its Job is deleted. */
TEST(a_completed_index_without_a_pod_is_done_from_the_first_list_on) {
    struct model *m = fake_successor(NULL);
    struct fake_pod b = running("b", 2);
    b.index = 1;
    for (int start = 100; start <= 200; start += 100) {
        fake_observe_jobset(m, 2, "", "", start);
        fake_observe_job_status(m, 1, "\"completedIndexes\":\"0\"", start);
        fake_observe_node(m, "n0", "True", -100, "", "", start);
        fake_observe_pod(m, &b, OBSERVED_PRESENT, start);
        observe_all(m, start);
        CLEANUP_FREE char *s = status_at(m, start + 60);
        CHECK_INT(status_int(s, "time.availableMilliseconds"), (start - 40) * 1000);
        CHECK_INT(status_int(s, "badput[bucket=Unobserved].milliseconds"),
                  97000 - 1); /* a pod is created 1 ms before it ends */
        CHECK_INT(status_int(s, "interruptions.total"), 0);
        if (start == 200)
            break;
        model_free(m);
        m = fake_successor(s);
    }
    fake_observe_job_deleted(m, 1, 300);
    CLEANUP_FREE char *s = status_at(m, 360);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 200000);
    model_free(m);
}

/* The watches of Jobs and pods are apart: that a Job lists an index as completed may come before its pod does, and
 * before the pod's end. The ledger is that of the other order. */
TEST(an_index_that_completes_before_its_pod_is_observed_has_that_pod) {
    for (int pods_first = 0; pods_first < 2; pods_first++) {
        struct model *m = fake_model("");
        struct fake_pod a = running("a", 2), b = running("b", 2);
        b.index = 1;
        a.phase = "Succeeded";
        a.finished = 50;
        fake_observe_jobset(m, 2, "", "", 0.2);
        fake_observe_job(m, 1, 1.1);
        fake_observe_node(m, "n0", "True", -100, "", "", 1.2);
        fake_observe_pod(m, &b, OBSERVED_PRESENT, 4.1);
        observe_all(m, 49);
        if (pods_first)
            fake_observe_pod(m, &a, OBSERVED_PRESENT, 50.1);
        fake_observe_job_status(m, 1, "\"completedIndexes\":\"0\"", 50.2);
        observe_all(m, 50.3);
        if (!pods_first)
            fake_observe_pod(m, &a, OBSERVED_PRESENT, 51);
        CLEANUP_FREE char *s = status_at(m, 100);
        CHECK_INT(status_int(s, "time.availableMilliseconds"), 97000);
        CHECK_INT(status_int(s, "badput[bucket=Unobserved].milliseconds"), -1);
        CHECK_INT(status_int(s, "interruptions.total"), 0);
        model_free(m);
    }
}
