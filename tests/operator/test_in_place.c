/* Restarts of a container in its pod, which keeps its slot: by the pod's restartPolicy, or by rules of the container
 * in a pod that never restarts otherwise (restartPolicyRules, on which JobSet's in-place restart is built: KEP-467). */
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

#define RULES                                                                                                          \
    ",\"restartPolicy\":\"Never\",\"restartPolicyRules\":[{\"action\":\"RestartAllContainers\",\"exitCodes\":{"        \
    "\"operator\":\"In\",\"values\":[42]}}]"

static struct fake_pod trainer(const char *name, int index, const char *policy, const char *more) {
    struct fake_pod p = fake_started(name, index, 1, 2, 3);
    p.restart_policy = policy;
    p.container_more = more;
    return p;
}

static void restart(const char *policy, const char *more) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 2, "", "", 0.2);
    struct fake_pod a = trainer("a", 0, policy, more), b = trainer("b", 1, policy, more);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 4.1);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 4.2);
    b.finished = 20;
    b.exit_code = 42;
    b.reason = "Error";
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 20.5);
    char *s = replay_status(m, "ns", "js", fake_ms(22), NULL);
    CHECK_INT(status_int(s, "availability.available"), 2); /* it holds its slot */
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    free(s);
    b.last_finished = 20;
    b.last_exit_code = 42;
    b.restart_count = 1;
    b.finished = -1;
    b.exit_code = 0;
    b.reason = NULL;
    b.started = 25;
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 25.5);
    s = replay_status(m, "ns", "js", fake_ms(60), NULL);
    CHECK_INT(status_int(s, "availability.available"), 2);
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    CHECK_INT(status_int(s, "badput[bucket=ContainerStart].milliseconds"), 1000 + 5000);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "ApplicationError");
    free(s);
    model_free(m);
}

TEST(a_pod_that_restarts_its_containers_keeps_its_slot) {
    restart("OnFailure", "");
}

TEST(a_pod_whose_containers_restart_by_rules_keeps_its_slot) {
    restart("Never", RULES);
}

TEST(a_pod_with_an_empty_list_of_rules_is_lost) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = trainer("a", 0, "Never", ",\"restartPolicyRules\":[]");
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 4.1);
    a.finished = 20;
    a.exit_code = 42;
    a.reason = "Error";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 20.5);
    char *s = replay_status(m, "ns", "js", fake_ms(22), NULL);
    CHECK_INT(status_int(s, "availability.available"), 0);
    free(s);
    model_free(m);
}
