/* A suspension that came and went while no controller ran: the objects tell when it was over, the Job's Event Suspended
 * when it began. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define STATUS "\"conditions\":[%s]"

static struct model *new_model(void) {
    struct model_options options = {.version = "test", .keeps_checkpoints = true};
    return model_new(&options);
}

static struct fake_pod pod(const char *name, int created) {
    struct fake_pod p = fake_pod(name, 0, created);
    p.bound = created + 1;
    p.started = created + 2;
    p.phase = "Running";
    p.job_uid = "uid-job";
    return p;
}

/* The status of one that ran from 4 on, was watched until 50, and has a successor that knows no more than that. */
static struct model *killed_at_50(void) {
    struct model *m = new_model();
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_tell_jobset(m, 1, "", "", 0.2);
    fake_tell_job(m, 1, 1.1);
    struct fake_pod a = pod("a", 2);
    fake_tell_pod(m, &a, OBSERVED_PRESENT, 4.1);
    CLEANUP_FREE char *before = replay_status(m, "ns", "js", fake_ms(50), NULL);
    model_free(m);
    CLEANUP_FREE char *more = replay_left(before);
    m = new_model();
    replay_jobgoodput(m, "ns", "js", "None", more, fake_ms(0));
    return m;
}

static void tell_event(struct model *m, const char *reason, int first, int last) {
    fake_tell_job_event(m, reason, "Job suspended", first, last);
}

/* What the lists show at 100: resumed at 80, with another pod since. */
static char *status_at_100(struct model *m) {
    struct fake_pod b = pod("b", 80);
    CLEANUP_FREE char *status = mem_format(STATUS, fake_condition("Suspended", "False", "JobResumed", 80));
    CLEANUP_FREE char *of_set = mem_format(STATUS, fake_condition("Suspended", "False", "ResumeJobs", 80));
    fake_tell_jobset(m, 1, "", of_set, 100);
    fake_tell_job_status(m, 1, status, 100);
    fake_tell_pod(m, &b, OBSERVED_PRESENT, 100);
    model_watermark(m, RESOURCE_POD, fake_ms(100), false);
    return replay_status(m, "ns", "js", fake_ms(100), NULL);
}

TEST(an_event_tells_when_an_unseen_suspension_began) {
    for (int is_event_first = 0; is_event_first < 2; is_event_first++) {
        struct model *m = killed_at_50();
        if (is_event_first)
            tell_event(m, "Suspended", 60, 60);
        CLEANUP_FREE char *before = status_at_100(m);
        if (!is_event_first)
            tell_event(m, "Suspended", 60, 60);
        CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(100), NULL);
        CHECK_INT(status_int(s, "badput[bucket=Suspended].ms"), 20000);
        CHECK_INT(status_int(s, "time.wallMs"), 100000);
        CHECK_INT(status_int(s, "time.availableMs"), 57000 + 19000);
        CHECK_TEXT(status_text(s, "executions[number=1].cause"), "UserSuspend");
        if (is_event_first)
            CHECK_TEXT(before, s);
        model_free(m);
    }
}

/* The same Event is told again with each suspension: its last time is the one that counts. */
TEST(of_two_suspensions_the_last_is_known) {
    struct model *m = killed_at_50();
    tell_event(m, "Suspended", 55, 70);
    CLEANUP_FREE char *s = status_at_100(m);
    CHECK_INT(status_int(s, "badput[bucket=Suspended].ms"), 10000);
    model_free(m);
}

TEST(without_an_event_nobody_knows_when_it_began) {
    struct model *m = killed_at_50();
    tell_event(m, "Suspended", 90, 90); /* of later */
    tell_event(m, "Suspended", 40, 40); /* it was seen to run after that */
    tell_event(m, "Resumed", 60, 60);
    CLEANUP_FREE char *s = status_at_100(m);
    CHECK_INT(status_int(s, "badput[bucket=Suspended].ms"), -1);
    CHECK_INT(status_int(s, "time.availableMs"), 77000 + 19000);
    model_free(m);
}

static void tell_workload(struct model *m, const char *reserved, const char *admitted, const char *evicted, double at) {
    CLEANUP_FREE char *all = mem_format("%s,%s%s%s", reserved, admitted, evicted ? "," : "", evicted ? evicted : "");
    fake_tell_workload(m, all, at);
}

static void tell_suspension(struct model *m, const char *is_on, int since, double at) {
    CLEANUP_FREE char *of_set = mem_format(STATUS, fake_condition("Suspended", is_on, "AsKueueWants", since));
    CLEANUP_FREE char *of_job = mem_format(STATUS, fake_condition("Suspended", is_on, "AsKueueWants", since));
    fake_tell_jobset(m, 1, "", of_set, at);
    fake_tell_job_status(m, 1, of_job, at);
}

/* Evicted at 20, and on its way back (quota at 30, a check is open) when the watch is cut at 40. At 200 its conditions
 * tell of a way back again, which has quota since `back` and is admitted since 160. */
static char *status_after_cut(int back) {
    struct model *m = new_model();
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    tell_suspension(m, "False", 4, 4.1);
    tell_workload(m, fake_condition("QuotaReserved", "True", "", 4), fake_condition("Admitted", "True", "", 4), NULL,
                  4.1);
    struct fake_pod a = pod("a", 5), b = pod("b", 160);
    fake_tell_pod(m, &a, OBSERVED_PRESENT, 7.1);
    tell_workload(m, fake_condition("QuotaReserved", "True", "", 4), fake_condition("Admitted", "True", "", 4),
                  fake_condition("Evicted", "True", "Preempted", 20), 20.1);
    a.asked_to_go = 20;
    fake_tell_pod(m, &a, OBSERVED_PRESENT, 20.2);
    tell_suspension(m, "True", 20, 20.3);
    fake_tell_pod(m, &a, OBSERVED_DELETED, 22);
    tell_workload(m, fake_condition("QuotaReserved", "True", "", 30), fake_condition("Admitted", "False", "", 23),
                  fake_condition("Evicted", "False", "QuotaReserved", 30), 30.1);
    model_watermark(m, RESOURCE_POD, fake_ms(40), false);
    tell_suspension(m, "False", 160, 200);
    tell_workload(m, fake_condition("QuotaReserved", "True", "", back), fake_condition("Admitted", "True", "", 160),
                  fake_condition("Evicted", "False", "QuotaReserved", back), 200);
    fake_tell_pod(m, &b, OBSERVED_PRESENT, 200);
    model_watermark(m, RESOURCE_POD, fake_ms(200), false);
    char *s = replay_status(m, "ns", "js", fake_ms(200), NULL);
    model_free(m);
    return s;
}

TEST(a_second_way_back_proves_an_eviction_that_nobody_saw) {
    CLEANUP_FREE char *same = status_after_cut(30), *other = status_after_cut(150);
    CHECK_INT(status_int(same, "badput[bucket=PreemptedWait].ms"), 140000); /* 20 to 160 */
    CHECK_INT(status_int(same, "time.availableMs"), 14000 + 39000);
    /* Between 40 and 150 it may have run, until it was evicted again: that is Unattributed. */
    CHECK_INT(status_int(other, "badput[bucket=PreemptedWait].ms"), 30000);
    CHECK_INT(status_int(other, "time.availableMs"), 14000 + 110000 + 39000);
}
