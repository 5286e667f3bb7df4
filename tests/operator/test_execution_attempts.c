/* JobSet's own count of executions, status.executionAttempts and the pods' annotation execution-attempt: restarts and
 * resumptions. No release that has them is at hand: the shape is that of keps/1282-execution-attempts/README.md of
 * kubernetes-sigs/jobset at 08dbdfdb (after v0.12), which plans them for 0.13. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

static void observe_jobset(struct model *m, bool is_suspended, int since, const char *counts, double at) {
    CLEANUP_FREE char *status = mem_format(
        "\"conditions\":[%s]%s", fake_condition("Suspended", is_suspended ? "True" : "False", "S", since), counts);
    fake_observe_jobset_of(
        m,
        &(struct fake_jobset){.more_spec = is_suspended ? ",\"suspend\":true" : ",\"suspend\":false", .status = status},
        at);
}

/* A person suspends it from 100 to 200; all is watched. */
static char *watched_life(bool is_counted) {
    struct model *m = fake_model("");
    struct fake_pod a = fake_running("a", "n0", 1), b = fake_running("b", "n0", 201);
    a.more_meta = is_counted ? ",\"annotations\":{\"jobset.sigs.k8s.io/execution-attempt\":\"0\"}" : "";
    b.more_meta = is_counted ? ",\"annotations\":{\"jobset.sigs.k8s.io/execution-attempt\":\"1\"}" : "";
    fake_observe_node(m, "n0", "True", 0, "", "", 0);
    fake_observe_jobset_of(m, &(struct fake_jobset){.status = is_counted ? "\"executionAttempts\":0" : ""}, 0.2);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.5);
    observe_jobset(m, true, 100, is_counted ? ",\"executionAttempts\":0" : "", 100.2);
    a.asked_to_go = 100;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 100.5);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 102);
    observe_jobset(m, false, 200, is_counted ? ",\"executionAttempts\":1" : "", 200.2);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 203.5);
    return fake_finish(m, 300);
}

TEST(what_jobset_counts_and_was_watched_changes_nothing) {
    CLEANUP_FREE char *counted = watched_life(true), *uncounted = watched_life(false);
    CHECK_INT(status_int(uncounted, "interruptions.total"), 1);
    CHECK_TEXT(counted, uncounted);
}

/* A controller that starts at 500. */
static char *late(const char *counts, const char *pods_annotation, int evictions) {
    struct model *m = fake_model("");
    struct fake_pod p = fake_running("p", "n0", 301);
    CLEANUP_FREE char *annotations =
        mem_format(",\"annotations\":{\"jobset.sigs.k8s.io/execution-attempt\":\"%s\"}", pods_annotation);
    CLEANUP_FREE char *stats =
        mem_format(",\"schedulingStats\":{\"evictions\":[{\"reason\":\"Preempted\",\"underlyingCause\":"
                   "\"\",\"count\":%d}]}",
                   evictions);
    p.more_meta = pods_annotation[0] ? annotations : "";
    fake_observe_node(m, "n0", "True", 0, "", "", 500);
    observe_jobset(m, false, 300, counts, 500);
    if (evictions > 0)
        fake_observe_workload_status(m, fake_condition("QuotaReserved", "True", "Q", 300), stats, 500);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 500);
    return fake_finish(m, 600);
}

TEST(resumptions_that_only_jobset_counted_are_interruptions_without_a_time) {
    static const struct {
        const char *counts, *annotation;
        int evictions, only_counted;
    } cases[] = {
        {"", "", 0, -1},
        {",\"executionAttempts\":0", "", 0, -1},
        {",\"executionAttempts\":2", "", 0, 2},
        {",\"executionAttempts\":3,\"restarts\":1", "", 0, 3}, /* a restart, and two resumptions */
        {",\"executionAttempts\":2,\"restarts\":2", "", 0, 2},
        {",\"executionAttempts\":1,\"restarts\":2", "", 0, 2}, /* the feature gate was off for a while */
        {",\"executionAttempts\":2", "", 1, 2},                /* Kueue counts one of them */
        {",\"executionAttempts\":1", "", 3, 3},
        {"", "2", 0, 2},                         /* the status is not written yet */
        {",\"executionAttempts\":2", "1", 0, 2}, /* a pod of an earlier execution */
        {",\"executionAttempts\":-1", "x", 0, -1},
        {",\"executionAttempts\":99999999999", "-1", 0, -1},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CLEANUP_FREE char *s = late(cases[i].counts, cases[i].annotation, cases[i].evictions);
        if (status_int(s, "interruptions.onlyCounted") != cases[i].only_counted)
            harness_fail(__FILE__, __LINE__, "case %zu: %lld", i,
                         (long long)status_int(s, "interruptions.onlyCounted"));
        CHECK_INT(status_int(s, "interruptions.meanTimeBetweenSeconds"), -1);
    }
}
