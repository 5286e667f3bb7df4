/* status.byOwner and executions[].owner: who owns lost time, by default and by a site's policy. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

/* A pod trains from 5 on; its node, of the pool "old", fails it at 1000; the next one runs at 1030. */
static char *status_of_failure(const char *policy, const char *reason) {
    struct model *m = model_new(&(struct model_options){.owner_policy = policy});
    struct fake_pod a = fake_running("a", "n0", 5), next = fake_running("a2", "n0", 1030);
    fake_observe_node(m, "n0", "True", 0, "\"cloud.google.com/gke-nodepool\":\"old\"", "", 1);
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_workload(m, fake_condition("QuotaReserved", "True", "QuotaReserved", 0), 0.3);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 8);
    a.finished = 1000;
    a.exit_code = 137;
    a.reason = reason;
    a.phase = "Failed";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 1006);
    fake_observe_pod(m, &next, OBSERVED_PRESENT, 1033);
    return fake_finish(m, 1100);
}

TEST(what_an_interruption_caused_belongs_to_its_owner) {
    CLEANUP_FREE char *s = status_of_failure(NULL, "OOMKilled");
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "OutOfMemory");
    CHECK_TEXT(status_text(s, "executions[number=1].owner"), "Tenant");
    CHECK_TEXT(status_text(s, "executions[number=2].owner"), "");
    int64_t lost = status_int(s, "executions[number=1].lostMilliseconds");
    CHECK_INT(lost, 100000); /* a wait too, and without a log what follows is not known to train */
    CHECK_INT(status_int(s, "byOwner[owner=Tenant].milliseconds"), lost);
    CHECK_INT(status_int(s, "byOwner[owner=Tenant].interruptions"), 1);
    CHECK_TEXT(status_text(s, "badput[bucket=QueueWait].owner"), "Scheduler");
    CHECK_INT(status_int(s, "badput[bucket=QueueWait].milliseconds"), 37000);
    CHECK_INT(status_int(s, "badput[bucket=QueueWait].interruptionMilliseconds"), 31000);
    CHECK_INT(status_int(s, "byOwner[owner=Scheduler].milliseconds"), 6000);
    CHECK_TEXT(status_text(s, "topOwner"), "Unknown"); /* Unattributed before it */
}

TEST(a_policy_names_another_owner_by_cause_node_pool_and_queue) {
    static const struct {
        const char *policy, *owner;
    } cases[] = {
        {"cause\tOutOfMemory\told\t*\tProvider", "Provider"},
        {"cause\tOutOfMemory\tnew\t*\tProvider", "Tenant"},
        {"cause\tOutOfMemory\t*\tq\tPlatform\ncause\t*\t*\t*\tProvider", "Platform"},
        {"cause\tOutOfMemory\t*\tanother\tPlatform\ncause\t*\t*\t*\tScheduler", "Scheduler"},
        {"bucket\tQueueWait\t*\t*\tProvider", "Tenant"}, /* the interruption owns it */
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CLEANUP_FREE char *s = status_of_failure(cases[i].policy, "OOMKilled");
        if (strcmp(status_text(s, "executions[number=1].owner"), cases[i].owner) != 0)
            harness_fail(__FILE__, __LINE__, "%s: %s", cases[i].policy, status_text(s, "executions[number=1].owner"));
    }
    CLEANUP_FREE char *s = status_of_failure("bucket\tUnattributed\t*\tq\tTenant", "OOMKilled");
    CHECK_TEXT(status_text(s, "badput[bucket=Unattributed].owner"), "Tenant");
    CHECK_TEXT(status_text(s, "topOwner"), "Tenant");
}

TEST(an_exit_alone_does_not_say_whose_fault_it_was) {
    CLEANUP_FREE char *s = status_of_failure(NULL, "Error");
    CHECK_TEXT(status_text(s, "executions[number=1].owner"), "Unknown");
}
