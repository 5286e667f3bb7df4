/* A JobSet of several replicated jobs of which only some train, that is over once one that does not train says so. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
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
