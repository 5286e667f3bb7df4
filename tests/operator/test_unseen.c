/* What is known of time that nobody watched: how far counters and conditions of what is left prove that a slot was
 * empty. What they do not prove is not told as a wait: the slot counts as held, and the time as Unattributed. And what
 * an index, a deletion and a refusal mean for the slot when Jobs are made anew, made smaller, or resumed. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

static struct model *begin(int pods) {
    struct model_options options = {.version = "test", .keeps_checkpoints = true};
    struct model *m = model_new(&options);
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    if (pods > 0)
        fake_tell_jobset(m, pods, "", "", 0.2);
    return m;
}

/* Bound a second later. */
static struct fake_pod tell_pod(struct model *m, const char *name, int index, int created, double at) {
    struct fake_pod p = fake_pod(name, index, created);
    p.bound = created + 1;
    p.started = created + 2;
    p.phase = "Running";
    p.job_uid = "uid-job";
    fake_tell_pod(m, &p, OBSERVED_PRESENT, at);
    return p;
}

static void tell_gone(struct model *m, struct fake_pod *p, int asked) {
    p->asked_to_go = asked;
    fake_tell_pod(m, p, OBSERVED_DELETED, asked + 0.5);
}

static void check(struct model *m, int now, const char *path, int expected) {
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(now), NULL);
    int64_t got = status_int(s, path);
    if (got != expected)
        harness_fail(__FILE__, __LINE__, "%s is %lld, not %d", path, (long long)got, expected);
}

/* The gap is from 45 to 100. In it b took the place of a, and another pod if the Job counts one more as failed. */
static struct model *gap_with_failures(int failures) {
    char status[32];
    struct model *m = begin(1);
    fake_tell_job(m, 1, 1.1);
    struct fake_pod a = tell_pod(m, "a", 0, 2, 4.1);
    tell_gone(m, &a, 40);
    fake_tell_job_status(m, 1, "\"failed\":1", 41);
    model_watermark(m, RESOURCE_POD, fake_ms(45), false);
    snprintf(status, sizeof status, "\"failed\":%d", failures);
    fake_tell_job_status(m, 1, status, 100);
    tell_pod(m, "b", 0, 60, 100);
    model_watermark(m, RESOURCE_POD, fake_ms(100), false);
    return m;
}

TEST(a_job_that_counts_no_more_failures_had_no_more_pods) {
    struct model *m = gap_with_failures(1);
    check(m, 100, "badput[bucket=Rescheduling].ms", 21000); /* 40 to 61 */
    check(m, 100, "interruptions.total", 1);
    model_free(m);
    m = gap_with_failures(2);
    check(m, 100, "badput[bucket=Rescheduling].ms", 6000); /* 40 to 45, 60 to 61 */
    check(m, 100, "interruptions.total", 2);
    model_free(m);
}

/* Found at 100: the Job counts one as failed, and b is asked to go in that second. It is not the one. */
TEST(a_pod_that_goes_as_the_watch_begins_does_not_stand_for_another) {
    struct model *m = begin(0);
    fake_tell_jobset(m, 2, "", "", 100);
    fake_tell_job_status(m, 1, "\"failed\":1", 100);
    tell_pod(m, "a", 0, 50, 100);
    struct fake_pod b = tell_pod(m, "b", 1, 2, 100);
    model_watermark(m, RESOURCE_POD, fake_ms(100), false);
    tell_gone(m, &b, 100);
    fake_tell_job_status(m, 1, "\"failed\":2", 101);
    tell_pod(m, "c", 1, 102, 104);
    check(m, 120, "badput[bucket=Binding].ms", 3000);      /* until b was bound: who held the other slot is not known */
    check(m, 120, "badput[bucket=Rescheduling].ms", 4000); /* 50 to 51, 100 to 103 */
    model_free(m);
}

TEST(a_pod_that_an_elastic_job_wants_again_at_once_stays) {
    struct model *m = begin(2);
    fake_tell_job(m, 1, 1.1);
    tell_pod(m, "a", 0, 2, 4.1);
    struct fake_pod b = tell_pod(m, "b", 1, 2, 4.2);
    fake_tell_jobset(m, 1, "", "", 20.2);
    fake_tell_jobset(m, 2, "", "", 20.8);
    check(m, 60, "time.availableMs", 57000);
    tell_gone(m, &b, 70);
    check(m, 80, "time.availableMs", 67000);
    check(m, 80, "interruptions.total", 1);
    model_free(m);
}

/* b is one too many from 20 on and ends at 29; a is deleted by a person, in the second in which its Job fails by that.
 */
TEST(a_pod_that_a_smaller_job_does_not_want_fails_nothing) {
    CLEANUP_FREE char *failing = mem_format("\"failed\":1,\"conditions\":[%s]",
                                            fake_condition("FailureTarget", "True", "BackoffLimitExceeded", 30));
    struct model *m = begin(2);
    fake_tell_job(m, 1, 1.1);
    struct fake_pod a = tell_pod(m, "a", 0, 2, 4.1), b = tell_pod(m, "b", 1, 2, 4.2);
    fake_tell_jobset(m, 1, "", "", 20.2);
    tell_gone(m, &b, 29);
    a.asked_to_go = 30;
    fake_tell_pod(m, &a, OBSERVED_PRESENT, 30.2);
    fake_tell_job_status(m, 1, failing, 30.4);
    tell_gone(m, &a, 30);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(40), NULL);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "PodDeleted");
    model_free(m);
}

/* Resumed at 60 by the stamps, as b was made and deleted: not by the suspension, which was over. */
TEST(a_pod_that_goes_in_the_second_of_the_resumption_was_deleted) {
    CLEANUP_FREE char *off =
        mem_format("\"conditions\":[%s]", fake_condition("Suspended", "True", "SuspendedJobs", 40));
    CLEANUP_FREE char *on = mem_format("\"conditions\":[%s]", fake_condition("Suspended", "False", "ResumeJobs", 60));
    struct model *m = begin(1);
    fake_tell_job(m, 1, 1.1);
    struct fake_pod a = tell_pod(m, "a", 0, 2, 4.1);
    fake_tell_jobset(m, 1, ",\"suspend\":true", off, 40.1);
    fake_tell_job_status(m, 1, off, 40.2);
    tell_gone(m, &a, 40);
    fake_tell_jobset(m, 1, "", on, 60.1);
    fake_tell_job_status(m, 1, on, 60.2);
    struct fake_pod b = fake_pod("b", 0, 60);
    b.job_uid = "uid-job";
    fake_tell_pod(m, &b, OBSERVED_PRESENT, 60.3);
    tell_gone(m, &b, 60);
    tell_pod(m, "c", 0, 62, 64);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(80), NULL);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "PodDeleted");
    model_free(m);
}

/* a is still there, on a node that does not answer, when the Job is refused another in its place. */
TEST(a_pod_that_goes_does_not_end_a_refusal) {
    struct model *m = begin(1);
    fake_tell_job(m, 1, 1.1);
    struct fake_pod a = tell_pod(m, "a", 0, 2, 4.1);
    a.asked_to_go = 20;
    fake_tell_pod(m, &a, OBSERVED_PRESENT, 20.5);
    fake_tell_job_event(m, "FailedCreate", "Error creating: pods \\\"x\\\" is forbidden: exceeded quota: chips", 30,
                        38);
    model_watermark(m, RESOURCE_POD, fake_ms(40), false);
    check(m, 40, "badput[bucket=QueueWait].ms", 10000);
    model_free(m);
}

/* ---- Kueue ---- */

static void tell_workload(struct model *m, int since, bool is_admitted, const char *evicted, int evictions, double at) {
    const char *status = is_admitted ? "True" : "False";
    CLEANUP_FREE char *all = mem_format(
        "%s,%s%s%s", fake_condition("QuotaReserved", status, is_admitted ? "QuotaReserved" : "Pending", since),
        fake_condition("Admitted", status, is_admitted ? "Admitted" : "NoReservation", since), evicted ? "," : "",
        evicted ? evicted : "");
    CLEANUP_FREE char *more =
        mem_format(",\"schedulingStats\":{\"evictions\":[{\"reason\":\"Preempted\",\"count\":%d}]}", evictions);
    fake_tell_workload_status(m, all, more, at);
}

/* From 20 to 85 nobody watched; it was admitted at 80, not for the first time if Kueue has counted an eviction. */
TEST(an_eviction_that_was_only_counted_means_that_it_had_been_admitted) {
    for (int evictions = 0; evictions < 2; evictions++) {
        struct model *m = begin(0);
        tell_workload(m, 1, false, NULL, 0, 1.1);
        fake_tell_jobset(m, 1, ",\"suspend\":true", "", 1.2);
        model_watermark(m, RESOURCE_POD, fake_ms(20), false);
        const char *over = evictions > 0 ? fake_condition("Evicted", "False", "QuotaReserved", 80) : NULL;
        tell_workload(m, 80, true, over, evictions, 85);
        fake_tell_jobset(m, 1, "", "", 85);
        fake_tell_job(m, 1, 85);
        tell_pod(m, "a", 0, 81, 85);
        model_watermark(m, RESOURCE_POD, fake_ms(85), false);
        CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(100), NULL);
        int64_t waited_ms = status_int(s, "badput[bucket=QueueWait].ms");
        CHECK(evictions == 0 ? waited_ms == 80000 : waited_ms > 0 && waited_ms <= 20000);
        model_free(m);
    }
}

/* Evicted at 40, which was seen; admitted again at 80, for the first time since unless Kueue has counted two. */
TEST(a_second_eviction_lies_between) {
    for (int evictions = 1; evictions < 3; evictions++) {
        struct model *m = begin(0);
        tell_workload(m, 1, true, NULL, 0, 1.1);
        fake_tell_jobset(m, 1, "", "", 1.2);
        fake_tell_job(m, 1, 1.3);
        struct fake_pod a = tell_pod(m, "a", 0, 2, 4.1);
        tell_workload(m, 1, true, fake_condition("Evicted", "True", "Preempted", 40), 1, 40.1);
        fake_tell_jobset(m, 1, ",\"suspend\":true", "", 40.2);
        CLEANUP_FREE char *off =
            mem_format("\"conditions\":[%s]", fake_condition("Suspended", "True", "JobSuspended", 40));
        fake_tell_job_status(m, 1, off, 40.4);
        tell_gone(m, &a, 41);
        tell_workload(m, 42, false, fake_condition("Evicted", "True", "Preempted", 40), 1, 42.1);
        model_watermark(m, RESOURCE_POD, fake_ms(50), false);
        tell_workload(m, 80, true, fake_condition("Evicted", "False", "QuotaReserved", 80), evictions, 100);
        fake_tell_jobset(m, 1, "", "", 100);
        CLEANUP_FREE char *on =
            mem_format("\"conditions\":[%s]", fake_condition("Suspended", "False", "JobResumed", 80));
        fake_tell_job_status(m, 1, on, 100);
        tell_pod(m, "b", 0, 81, 100);
        model_watermark(m, RESOURCE_POD, fake_ms(100), false);
        CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(110), NULL);
        CHECK_INT(status_int(s, "badput[bucket=PreemptedWait].ms"), evictions == 1 ? 39000 : 9000); /* from 41 */
        model_free(m);
    }
}

/* ---- Jobs ---- */

static void tell_kube_job(struct model *m, const char *uid, int created, int attempt, const char *status,
                          enum observed what, double at) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js-slice-0\",\"uid\":\"%s\",\"creationTimestamp\":%s,"
        "\"labels\":{\"jobset.sigs.k8s.io/jobset-uid\":\"uid-js\",\"jobset.sigs.k8s.io/jobset-name\":\"js\","
        "\"jobset.sigs.k8s.io/replicatedjob-name\":\"slice\",\"jobset.sigs.k8s.io/job-index\":\"0\","
        "\"jobset.sigs.k8s.io/restart-attempt\":\"%d\"}},\"spec\":{},\"status\":{%s}}",
        uid, fake_time(created), attempt, status);
    CHECK_INT(model_observe(m, RESOURCE_JOB, what, SLICE("ns"), SLICE("js-slice-0"), slice_of(uid), slice_of(json),
                            fake_ms(at)),
              0);
}

static void tell_kube_job_gone(struct model *m, const char *uid, int deletion) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js-slice-0\",\"uid\":\"%s\",\"creationTimestamp\":%s,"
        "\"deletionTimestamp\":%s,\"deletionGracePeriodSeconds\":0,"
        "\"labels\":{\"jobset.sigs.k8s.io/jobset-uid\":\"uid-js\",\"jobset.sigs.k8s.io/jobset-name\":\"js\","
        "\"jobset.sigs.k8s.io/replicatedjob-name\":\"slice\",\"jobset.sigs.k8s.io/job-index\":\"0\"}},\"spec\":{},"
        "\"status\":{}}",
        uid, fake_time(1), fake_time(deletion));
    CHECK_INT(model_observe(m, RESOURCE_JOB, OBSERVED_DELETED, SLICE("ns"), SLICE("js-slice-0"), slice_of(uid),
                            slice_of(json), fake_ms(deletion + 0.5)),
              0);
}

/* a failed its Job at 40; nobody watched from 45 to 100; what is there then is a Job made at 80. */
static struct model *restarted_unseen(const char *set_status, int attempt) {
    CLEANUP_FREE char *failing =
        mem_format("\"conditions\":[%s]", fake_condition("FailureTarget", "True", "BackoffLimitExceeded", 40));
    struct model *m = begin(1);
    tell_kube_job(m, "uid-job", 1, 0, "", OBSERVED_PRESENT, 1.1);
    struct fake_pod a = tell_pod(m, "a", 0, 2, 4.1);
    tell_gone(m, &a, 40);
    tell_kube_job(m, "uid-job", 1, 0, failing, OBSERVED_PRESENT, 41);
    model_watermark(m, RESOURCE_POD, fake_ms(45), false);
    fake_tell_jobset(m, 1, "", set_status, 100);
    CHECK_INT(model_observe(m, RESOURCE_JOB, OBSERVED_VANISHED, SLICE("ns"), SLICE("js-slice-0"), SLICE("uid-job"),
                            SLICE(""), fake_ms(100)),
              0);
    tell_kube_job(m, "uid-new", 80, attempt, "", OBSERVED_PRESENT, 100);
    struct fake_pod b = fake_pod("b", 0, 80);
    b.bound = 81;
    b.started = 82;
    b.phase = "Running";
    b.job_uid = "uid-new";
    fake_tell_pod(m, &b, OBSERVED_PRESENT, 100);
    model_watermark(m, RESOURCE_POD, fake_ms(100), false);
    return m;
}

TEST(what_failed_is_not_there_until_its_next_job_is_made) {
    static const char *const statuses[] = {"\"replicatedJobsStatus\":[{\"name\":\"slice\",\"jobRestarts\":[1]}]",
                                           "\"replicatedJobsStatus\":[{\"name\":\"slice\",\"jobRestarts\":[2]}]"};
    for (int i = 0; i < 2; i++) { /* restarted twice, one of the Jobs is not known */
        struct model *m = restarted_unseen(statuses[i], 0);
        check(m, 110, "badput[bucket=Rescheduling].ms", i == 0 ? 41000 : 6000);
        model_free(m);
    }
}

TEST(nor_until_the_next_attempt_but_there_may_have_been_one_between) {
    for (int restarts = 1; restarts < 3; restarts++) {
        CLEANUP_FREE char *status = mem_format("\"restarts\":%d,\"conditions\":[%s]", restarts,
                                               fake_condition("RestartingJobSet", "True", "DefaultFailurePolicy", 79));
        struct model *m = restarted_unseen(status, restarts);
        CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(110), NULL);
        int64_t ms = status_int(s, "badput[bucket=Rescheduling].ms");
        CHECK(restarts == 1 ? ms == 41000 : ms >= 5000 && ms <= 8000);
        model_free(m);
    }
}

/* The node of a was lost at 40, and nobody watched from 45 to 100. What is there then is b, of a Job made at 80. */
static struct model *node_lost_unseen(int created) {
    CLEANUP_FREE char *status = mem_format("\"restarts\":1,\"conditions\":[%s]",
                                           fake_condition("RestartingJobSet", "True", "DefaultFailurePolicy", 79));
    struct fake_pod a = fake_running("a", "n0", 2), b = fake_running("b", "n1", created);
    struct model *m = begin(1);
    fake_tell_node(m, "n0", "True", -100, "", "", 0.5);
    fake_tell_node(m, "n1", "True", -100, "", "", 0.5);
    tell_kube_job(m, "uid-job", 1, 0, "", OBSERVED_PRESENT, 1.1);
    a.job_uid = "uid-job";
    fake_tell_pod(m, &a, OBSERVED_PRESENT, 4.1);
    fake_tell_node(m, "n0", "False", 40, "", "", 40.5);
    model_watermark(m, RESOURCE_POD, fake_ms(45), false);
    fake_tell_jobset(m, 1, "", status, 100);
    CHECK_INT(model_observe(m, RESOURCE_JOB, OBSERVED_VANISHED, SLICE("ns"), SLICE("js-slice-0"), SLICE("uid-job"),
                            SLICE(""), fake_ms(100)),
              0);
    tell_kube_job(m, "uid-new", 80, 1, "\"failed\":1", OBSERVED_PRESENT, 100);
    b.job_uid = "uid-new";
    fake_tell_pod(m, &b, OBSERVED_PRESENT, 100);
    CHECK_INT(model_observe(m, RESOURCE_POD, OBSERVED_VANISHED, SLICE("ns"), SLICE("a"), SLICE("uid-a"), SLICE(""),
                            fake_ms(100)),
              0);
    model_watermark(m, RESOURCE_POD, fake_ms(100), false);
    return m;
}

/* One that the next Job made later than its first ones has replaced another, which may have held the slot before. */
TEST(a_pod_of_a_lost_node_is_followed_by_the_first_of_the_next_job) {
    for (int i = 0; i < 2; i++) {
        struct model *m = node_lost_unseen(i == 0 ? 80 : 92);
        check(m, 110, "badput[bucket=Rescheduling].ms", i == 0 ? 41000 : 6000);
        model_free(m);
    }
}

/* Index 0 was done when 1 failed; the Job is made anew, and index 0 with it, which is refused for a while. */
TEST(an_index_that_was_done_is_not_done_in_the_next_job) {
    struct model *m = begin(2);
    tell_kube_job(m, "uid-job", 1, 0, "", OBSERVED_PRESENT, 1.1);
    struct fake_pod a = tell_pod(m, "a", 0, 2, 4.1), b = tell_pod(m, "b", 1, 2, 4.2);
    a.phase = "Succeeded";
    a.finished = 30;
    fake_tell_pod(m, &a, OBSERVED_PRESENT, 30.5);
    b.phase = "Failed";
    b.finished = 40;
    b.exit_code = 1;
    fake_tell_pod(m, &b, OBSERVED_PRESENT, 40.5);
    tell_kube_job_gone(m, "uid-job", 42);
    tell_kube_job(m, "uid-new", 43, 1, "", OBSERVED_PRESENT, 43.1);
    struct fake_pod c = fake_pod("c", 1, 44), d = fake_pod("d", 0, 60);
    c.bound = 45;
    d.bound = 61;
    c.job_uid = d.job_uid = "uid-new";
    fake_tell_pod(m, &c, OBSERVED_PRESENT, 45.1);
    fake_tell_pod(m, &d, OBSERVED_PRESENT, 61.1);
    model_watermark(m, RESOURCE_POD, fake_ms(70), false);
    check(m, 70, "time.availableMs", 37000 + 9000); /* 3 to 40, 61 to 70 */
    check(m, 70, "interruptions.total", 1);
    model_free(m);
}

/* Refused from 30 on; found at 100 still without one of its pods, and refused until 150. */
TEST(what_was_refused_before_and_after_was_not_there) {
    static const char quota[] = "Error creating: pods \\\"x\\\" is forbidden: exceeded quota: chips";
    struct model *m = begin(2);
    fake_tell_job(m, 1, 1.1);
    struct fake_pod a = tell_pod(m, "a", 0, 2, 4.1), c = tell_pod(m, "c", 1, 2, 4.2);
    tell_gone(m, &a, 25);
    tell_gone(m, &c, 26);
    model_watermark(m, RESOURCE_POD, fake_ms(29), false);
    fake_tell_job_event(m, "FailedCreate", quota, 30, 90);
    fake_tell_job_status(m, 1, "\"failed\":4", 100);
    tell_pod(m, "d", 1, 60, 100);
    model_watermark(m, RESOURCE_POD, fake_ms(100), false);
    fake_tell_job_event(m, "FailedCreate", quota, 30, 150);
    tell_pod(m, "b", 0, 160, 163);
    model_watermark(m, RESOURCE_POD, fake_ms(170), false);
    check(m, 170, "badput[bucket=QueueWait].ms", 130000);
    check(m, 170, "time.availableMs", 22000 + 9000);
    check(m, 170, "interruptions.total", 1);
    model_free(m);
}

/* Found at 100: refused until 33 for all that is known, and a made at 50, which was the first unless one had failed. */
TEST(after_the_last_refusal_pods_may_have_come_and_gone) {
    for (int failures = 0; failures < 2; failures++) {
        char status[32];
        struct model *m = begin(0);
        snprintf(status, sizeof status, "\"failed\":%d", failures);
        fake_tell_jobset(m, 1, "", "", 100);
        fake_tell_job_status(m, 1, status, 100);
        fake_tell_job_event(m, "FailedCreate", "Error creating: pods \\\"x\\\" is forbidden: exceeded quota: chips", 2,
                            33);
        tell_pod(m, "a", 0, 50, 100);
        model_watermark(m, RESOURCE_POD, fake_ms(100), false);
        check(m, 100, "badput[bucket=QueueWait].ms", failures == 0 ? 48000 : 31000);
        model_free(m);
    }
}
