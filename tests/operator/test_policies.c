/* Success policies: a JobSet of several replicated jobs of which only some train, that is over once one that does not
 * train says so; a Job that is over once some of its indexes succeeded. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "kinds.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

static void show_jobset(struct model *m, const char *status, double at) {
    struct fake_jobset s = {
        .pods = 2,
        .status = status,
        .more_spec = ",\"successPolicy\":{\"operator\":\"Any\",\"targetReplicatedJobs\":[\"driver\"]}",
        .more_jobs = "{\"name\":\"driver\",\"replicas\":1,\"template\":{\"spec\":{\"parallelism\":1,\"completions\":1,"
                     "\"template\":{\"spec\":{\"containers\":[{\"name\":\"drive\"}]}}}}},"};
    fake_observe_jobset_of(m, &s, at);
}

/* phase and, where it ended, when. */
static void observe_driver(struct model *m, const char *name, int created, const char *phase, int deleted, double at) {
    struct fake_pod p = fake_pod(name, 0, created);
    p.replicated_job = "driver";
    p.container = "drive";
    p.chips = 0;
    p.node = "n9";
    p.bound = created;
    p.phase = phase;
    p.asked_to_go = deleted;
    fake_observe_pod(m, &p, deleted < 0 ? OBSERVED_PRESENT : OBSERVED_DELETED, at);
}

static struct fake_pod trainer(const char *name, int index, int created) {
    struct fake_pod p = fake_pod(name, index, created);
    p.bound = created + 1;
    p.started = created + 2;
    p.phase = "Running";
    return p;
}

TEST(only_what_trains_is_required_and_the_success_policy_ends_it) {
    struct model *m = fake_model("");
    show_jobset(m, "", 0.2);
    observe_driver(m, "d1", 1, "Running", -1, 1.5);
    struct fake_pod a = trainer("a", 0, 2), b = trainer("b", 1, 2);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 4.1);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 4.2);
    /* the driver comes and goes: nobody trains there */
    observe_driver(m, "d1", 1, "Running", 50, 50.1);
    char *s = replay_status(m, "ns", "js", fake_ms(55), NULL);
    CHECK_INT(status_int(s, "availability.required"), 2);
    CHECK_INT(status_int(s, "availability.available"), 2);
    CHECK_TEXT(status_text(s, "phase"), "Training");
    CHECK_INT(status_int(s, "interruptions.total"), 0);
    free(s);
    observe_driver(m, "d2", 60, "Running", -1, 61);
    observe_driver(m, "d2", 60, "Succeeded", -1, 100.2);
    /* then JobSet is done, and deletes what still trains: in the order in which a controller may see it */
    a.asked_to_go = b.asked_to_go = 100;
    a.grace = b.grace = 30;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 100.4);
    char status[512];
    snprintf(status, sizeof status, "\"conditions\":[%s]",
             fake_condition("Completed", "True", "AllJobsCompleted", 100));
    show_jobset(m, status, 100.6);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 100.8);
    s = replay_status(m, "ns", "js", fake_ms(140), NULL);
    CHECK_TEXT(status_text(s, "phase"), "Completed");
    CHECK_INT(status_int(s, "interruptions.total"), 0);
    CHECK_INT(status_int(s, "time.wallMilliseconds"), 100000);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 97000); /* from 3 on */
    free(s);
    model_free(m);
}

static char *pod_of_job(int index, int attempt) {
    (void)attempt;
    return mem_format("\"labels\":{\"batch.kubernetes.io/job-completion-index\":\"%d\"},\"ownerReferences\":[{"
                      "\"controller\":true,\"kind\":\"Job\",\"name\":\"js\",\"uid\":\"uid-js\"}]",
                      index);
}

static const struct kind_shape job_shape = {"batch", "Job", RESOURCE_JOB, NULL, pod_of_job, NULL};

static void show_job(struct model *m, const char *conditions, double at) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"creationTimestamp\":%s,\"name\":\"js\",\"namespace\":\"ns\",\"uid\":\"uid-js\"},\"spec\":{"
        "\"completionMode\":\"Indexed\",\"parallelism\":2,\"completions\":2,\"successPolicy\":{\"rules\":[{"
        "\"succeededIndexes\":\"0\"}]},\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}},"
        "\"status\":{\"conditions\":[%s]}}",
        fake_time(0), conditions);
    fake_observe(m, RESOURCE_JOB, OBSERVED_PRESENT, "js", "uid-js", json, at);
}

/* Index 0 succeeds at 100. The Job controller says so at once, deletes the other pod, which takes its grace period, and
 * then says that the Job is complete (Kubernetes v1.36 pkg/controller/job/job_controller.go, KEP-3998). */
TEST(a_job_ends_when_its_success_policy_is_met) {
    CLEANUP_FREE char *met = mem_strdup(fake_condition("SuccessCriteriaMet", "True", "SuccessPolicy", 100)),
                      *both = mem_format("%s,%s", met, fake_condition("Complete", "True", "SuccessPolicy", 130));
    for (int is_late = 0; is_late < 2; is_late++) {
        struct model *m = kind_model(&job_shape);
        show_job(m, "", 0.2);
        struct fake_pod a = fake_started("a", 0, 1, 2, 3), b = fake_started("b", 1, 1, 2, 3);
        kind_observe_pod(m, &job_shape, &a, 0, OBSERVED_PRESENT, 3.5);
        kind_observe_pod(m, &job_shape, &b, 0, OBSERVED_PRESENT, 3.5);
        a.finished = 99;
        a.phase = "Succeeded";
        a.exit_code = 0;
        kind_observe_pod(m, &job_shape, &a, 0, OBSERVED_PRESENT, 99.5);
        if (!is_late)
            show_job(m, met, 100.2);
        b.asked_to_go = 100;
        b.grace = 30;
        kind_observe_pod(m, &job_shape, &b, 0, OBSERVED_PRESENT, 100.5);
        CLEANUP_FREE char *ending = fake_status(m, 110);
        CHECK_INT(status_int(ending, "interruptions.total"), is_late);
        b.finished = 129;
        b.exit_code = 143;
        b.phase = "Failed";
        kind_observe_pod(m, &job_shape, &b, 0, OBSERVED_DELETED, 129.5);
        show_job(m, both, 130.2);
        CLEANUP_FREE char *s = fake_status(m, 200);
        CHECK_TEXT(status_text(s, "phase"), "Completed");
        CHECK_INT(status_int(s, "time.wallMilliseconds"), 100000);
        CHECK_INT(status_int(s, "time.availableMilliseconds"), 98000);
        CHECK_INT(status_int(s, "interruptions.total"), 0);
        model_free(m);
    }
}
