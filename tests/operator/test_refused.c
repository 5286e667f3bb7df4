/* Pods that are missing because the API server refuses them: what the Job's FailedCreate Events say. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define QUOTA "Error creating: pods \\\"js-slice-0-0-x\\\" is forbidden: exceeded quota: chips, used: 4, limited: 4"
#define WEBHOOK "Error creating: admission webhook \\\"images.example\\\" denied the request: unsigned image"

static struct model *begin(void) {
    struct model *m = fake_successor(NULL);
    fake_observe_jobset(m, 1, "", "", 0.2);
    return m;
}

static struct fake_pod pod(const char *name, int created) {
    struct fake_pod p = fake_pod(name, 0, created);
    p.bound = created + 1;
    p.started = created + 2;
    p.phase = "Running";
    p.job_uid = "uid-job";
    return p;
}

TEST(a_quota_that_is_used_up_is_a_queue) {
    for (int is_event_first = 0; is_event_first < 2; is_event_first++) {
        struct model *m = begin();
        if (is_event_first)
            fake_observe_job_event(m, "FailedCreate", QUOTA, 2, 2);
        fake_observe_job(m, 1, 1.1);
        fake_observe_job_event(m, "FailedCreate", QUOTA, 2, 34);
        char *s = replay_status(m, "ns", "js", fake_ms(36), NULL);
        CHECK_TEXT(status_text(s, "phase"), "Queued");
        CHECK(strstr(status_text(s, "availability.message"), "Job js-slice-0: FailedCreate: Error creating") != NULL);
        free(s);
        struct fake_pod a = pod("a", 66);
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 68.5);
        s = replay_status(m, "ns", "js", fake_ms(100), NULL);
        CHECK_INT(status_int(s, "badput[bucket=QueueWait].milliseconds"),
                  64000); /* the last refusal was not the end of it */
        CHECK_INT(status_int(s, "badput[bucket=Binding].milliseconds"), 3000);
        CHECK(strstr(status_text(s, "badput[bucket=QueueWait].evidence"), "exceeded quota: chips") != NULL);
        free(s);
        /* an hour later it was still that, and what comes then is not */
        a.asked_to_go = 4000;
        fake_observe_pod(m, &a, OBSERVED_DELETED, 4000.5);
        struct fake_pod b = pod("b", 4010);
        fake_observe_pod(m, &b, OBSERVED_PRESENT, 4013);
        s = replay_status(m, "ns", "js", fake_ms(4020), NULL);
        CHECK_INT(status_int(s, "badput[bucket=QueueWait].milliseconds"), 64000);
        CHECK_INT(status_int(s, "badput[bucket=Rescheduling].milliseconds"), 11000);
        free(s);
        model_free(m);
    }
}

TEST(a_quota_within_an_interruption_is_its_wait) {
    struct model *m = begin();
    fake_observe_job(m, 1, 1.1);
    struct fake_pod a = pod("a", 2), b = pod("b", 150);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 4.1);
    a.asked_to_go = 100;
    fake_observe_pod(m, &a, OBSERVED_DELETED, 100.5);
    fake_observe_job_event(m, "FailedCreate", QUOTA, 101, 133);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 152.1);
    char *s = replay_status(m, "ns", "js", fake_ms(200), NULL);
    CHECK_INT(status_int(s, "badput[bucket=QueueWait].milliseconds"), 49000);
    CHECK_INT(status_int(s, "executions[number=1].waitMilliseconds"), 49000);
    CHECK_INT(status_int(s, "executions[number=1].rescheduleMilliseconds"), 2000);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "PodDeleted");
    free(s);
    model_free(m);
}

/* Other refusals are reported where people look for them; their time has no separate bucket. */
TEST(pods_that_a_webhook_refuses_are_missing) {
    struct model *m = begin();
    fake_observe_job(m, 1, 1.1);
    fake_observe_job_event(m, "FailedCreate", WEBHOOK, 2, 34);
    char *s = replay_status(m, "ns", "js", fake_ms(40), NULL);
    CHECK_INT(status_int(s, "badput[bucket=Binding].milliseconds"), 40000);
    CHECK(
        strstr(status_text(s, "availability.message"), "no pod yet: FailedCreate: Error creating: admission webhook"));
    free(s);
    model_free(m);
}

/* Events are deleted after an hour: the next controller knows of them from the checkpoint. */
TEST(a_refusal_outlives_its_events) {
    struct model *m = begin();
    fake_observe_job(m, 1, 1.1);
    fake_observe_job_event(m, "FailedCreate", QUOTA, 2, 34);
    struct fake_pod a = pod("a", 66);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 68.5);
    CLEANUP_FREE char *before = replay_status(m, "ns", "js", fake_ms(100), NULL);
    model_free(m);
    struct model_options options = {.keeps_checkpoints = true};
    m = model_new(&options);
    fake_observe_jobgoodput(m, &(struct fake_jobgoodput){.status = before}, 4000);
    fake_observe_jobset(m, 1, "", "", 4000);
    fake_observe_job(m, 1, 4000);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 4000);
    CLEANUP_FREE char *after = replay_status(m, "ns", "js", fake_ms(4001), NULL);
    CHECK_INT(status_int(after, "badput[bucket=QueueWait].milliseconds"), 64000);
    model_free(m);
}
