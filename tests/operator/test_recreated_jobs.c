/* What an index, a deletion and a refusal mean for the slot when Jobs are made again, made smaller, or resumed. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

static struct model *begin(int pods) {
    struct model *m = fake_successor(NULL);
    if (pods > 0)
        fake_observe_jobset(m, pods, "", "", 0.2);
    return m;
}

/* Bound a second later. */
static struct fake_pod show_pod(struct model *m, const char *name, int index, int created, double at) {
    struct fake_pod p = fake_started(name, index, created, created + 1, created + 2);
    p.job_uid = "uid-job";
    fake_observe_pod(m, &p, OBSERVED_PRESENT, at);
    return p;
}

static void observe_deleted(struct model *m, struct fake_pod *p, int asked) {
    p->asked_to_go = asked;
    fake_observe_pod(m, p, OBSERVED_DELETED, asked + 0.5);
}

static void check(struct model *m, int now, const char *path, int expected) {
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(now), NULL);
    int64_t got = status_int(s, path);
    if (got != expected)
        harness_fail(__FILE__, __LINE__, "%s is %lld, not %d", path, (long long)got, expected);
}

TEST(a_pod_that_an_elastic_job_needs_again_at_once_stays) {
    struct model *m = begin(2);
    fake_observe_job(m, 1, 1.1);
    show_pod(m, "a", 0, 2, 4.1);
    struct fake_pod b = show_pod(m, "b", 1, 2, 4.2);
    fake_observe_jobset(m, 1, "", "", 20.2);
    fake_observe_jobset(m, 2, "", "", 20.8);
    check(m, 60, "time.availableMilliseconds", 57000);
    observe_deleted(m, &b, 70);
    check(m, 80, "time.availableMilliseconds", 67000);
    check(m, 80, "interruptions.total", 1);
    model_free(m);
}

/* b is one too many from 20 on and ends at 29; a is deleted by a person, in the second in which its Job fails by that.
 */
TEST(a_pod_that_a_smaller_job_does_not_need_fails_nothing) {
    CLEANUP_FREE char *failing = mem_format("\"failed\":1,\"conditions\":[%s]",
                                            fake_condition("FailureTarget", "True", "BackoffLimitExceeded", 30));
    struct model *m = begin(2);
    fake_observe_job(m, 1, 1.1);
    struct fake_pod a = show_pod(m, "a", 0, 2, 4.1), b = show_pod(m, "b", 1, 2, 4.2);
    fake_observe_jobset(m, 1, "", "", 20.2);
    observe_deleted(m, &b, 29);
    a.asked_to_go = 30;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 30.2);
    fake_observe_job_status(m, 1, failing, 30.4);
    observe_deleted(m, &a, 30);
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
    fake_observe_job(m, 1, 1.1);
    struct fake_pod a = show_pod(m, "a", 0, 2, 4.1);
    fake_observe_jobset(m, 1, ",\"suspend\":true", off, 40.1);
    fake_observe_job_status(m, 1, off, 40.2);
    observe_deleted(m, &a, 40);
    fake_observe_jobset(m, 1, "", on, 60.1);
    fake_observe_job_status(m, 1, on, 60.2);
    struct fake_pod b = fake_pod("b", 0, 60);
    b.job_uid = "uid-job";
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 60.3);
    observe_deleted(m, &b, 60);
    show_pod(m, "c", 0, 62, 64);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(80), NULL);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "PodDeleted");
    model_free(m);
}

/* a is still there, on a node that does not answer, when the Job is refused another in its place. */
TEST(a_deleted_pod_does_not_end_a_refusal) {
    struct model *m = begin(1);
    fake_observe_job(m, 1, 1.1);
    struct fake_pod a = show_pod(m, "a", 0, 2, 4.1);
    a.asked_to_go = 20;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 20.5);
    fake_observe_job_event(m, "FailedCreate", "Error creating: pods \\\"x\\\" is forbidden: exceeded quota: chips", 30,
                           38);
    model_watermark(m, RESOURCE_POD, fake_ms(40), false);
    check(m, 40, "badput[bucket=QueueWait].milliseconds", 10000);
    model_free(m);
}

static void observe_kube_job(struct model *m, const char *uid, int created, const char *attempt, const char *status,
                             enum observed what, double at) {
    struct fake_job j = {.uid = uid, .created = created, .attempt = attempt, .status = status};
    fake_observe_job_of(m, &j, what, at);
}

static void observe_kube_job_deleted(struct model *m, const char *uid, int deletion) {
    struct fake_job j = {.uid = uid, .created = 1, .deletion = deletion};
    fake_observe_job_of(m, &j, OBSERVED_DELETED, deletion + 0.5);
}

/* Index 0 was done when 1 failed; the Job is made again, and index 0 with it, which is refused for a while. */
TEST(an_index_that_was_done_is_not_done_in_the_next_job) {
    struct model *m = begin(2);
    observe_kube_job(m, "uid-job", 1, "0", "", OBSERVED_PRESENT, 1.1);
    struct fake_pod a = show_pod(m, "a", 0, 2, 4.1), b = show_pod(m, "b", 1, 2, 4.2);
    a.phase = "Succeeded";
    a.finished = 30;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 30.5);
    b.phase = "Failed";
    b.finished = 40;
    b.exit_code = 1;
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 40.5);
    observe_kube_job_deleted(m, "uid-job", 42);
    observe_kube_job(m, "uid-new", 43, "1", "", OBSERVED_PRESENT, 43.1);
    struct fake_pod c = fake_pod("c", 1, 44), d = fake_pod("d", 0, 60);
    c.bound = 45;
    d.bound = 61;
    c.job_uid = d.job_uid = "uid-new";
    fake_observe_pod(m, &c, OBSERVED_PRESENT, 45.1);
    fake_observe_pod(m, &d, OBSERVED_PRESENT, 61.1);
    model_watermark(m, RESOURCE_POD, fake_ms(70), false);
    check(m, 70, "time.availableMilliseconds", 37000 + 9000); /* 3 to 40, 61 to 70 */
    check(m, 70, "interruptions.total", 1);
    model_free(m);
}
