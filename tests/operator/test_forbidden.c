/* Permissions that the controller lacks: which job says so, and what is counted without them. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define WORDS(what) what " is forbidden: User \"controller\" cannot list resource \"" what "\""

static void forbid(struct model *m, enum resource resource, const char *words) {
    model_forbidden(m, resource, slice_of(""), words, TIME_UNKNOWN);
}

static void check_words(struct model *m, double at, const char *words) {
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(at), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=PermissionMissing].message"), words);
    CHECK_TEXT(status_text(s, "conditions[type=PermissionMissing].status"), words[0] ? "True" : "");
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "Accounted");
    CHECK(status_int(s, "goodputPPM.scheduling") > 0);
}

TEST(a_forbidden_resource_is_reported_until_it_can_be_read) {
    struct model *m = fake_model("");
    struct fake_pod p = fake_running("p", "n0", 1);
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 4);
    replay_watermarks(m, fake_ms(100));
    check_words(m, 100, "");
    forbid(m, RESOURCE_NODE, WORDS("nodes"));
    check_words(m, 100, WORDS("nodes"));
    forbid(m, RESOURCE_EVENT, WORDS("events"));
    check_words(m, 100, WORDS("nodes") "; " WORDS("events"));
    forbid(m, RESOURCE_WORKLOAD, WORDS("workloads")); /* it is in no queue */
    forbid(m, RESOURCE_STEPLOGFORMAT, WORDS("steplogformats"));
    forbid(m, RESOURCE_JOBGOODPUT, WORDS("jobgoodputs"));
    check_words(m, 100, WORDS("nodes") "; " WORDS("events"));
    model_forbidden(m, RESOURCE_POD, SLICE("elsewhere"), WORDS("pods"), TIME_UNKNOWN);
    check_words(m, 100, WORDS("nodes") "; " WORDS("events"));
    forbid(m, RESOURCE_NODE, NULL);
    check_words(m, 100, WORDS("events"));
    forbid(m, RESOURCE_EVENT, NULL);
    check_words(m, 100, "");
    model_free(m);
}

/* A JobSet of one pod in queue q, which Kueue made suspended. */
static void observe_queued(struct model *m, bool is_suspended, double at) {
    CLEANUP_FREE char *status =
        mem_format("\"conditions\":[%s]", fake_condition("Suspended", is_suspended ? "True" : "False", "x", (int)at));
    struct fake_jobset s = {.more_meta = ",\"labels\":{\"kueue.x-k8s.io/queue-name\":\"q\"}",
                            .more_spec = is_suspended ? ",\"suspend\":true" : ",\"suspend\":false",
                            .status = status};
    fake_observe_jobset_of(m, &s, at);
}

TEST(a_workload_that_may_not_be_read_is_not_one_that_is_missing) {
    struct model *m = fake_model("");
    forbid(m, RESOURCE_WORKLOAD, WORDS("workloads"));
    observe_queued(m, true, 0);
    replay_watermarks(m, fake_ms(20));
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(20), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=PermissionMissing].message"), WORDS("workloads"));
    CHECK_TEXT(status_text(s, "availability.message"),
               "JobSet js: suspended, in queue q; its Workload may not be read");
    CHECK_TEXT(status_text(s, "badput[bucket=QueueWait].basis"), "Assumed");
    observe_queued(m, false, 30);
    struct fake_pod p = fake_running("p", "n0", 40);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 44);
    replay_watermarks(m, fake_ms(100));
    CLEANUP_FREE char *running = replay_status(m, "ns", "js", fake_ms(100), NULL);
    CHECK_INT(status_int(running, "badput[bucket=QueueWait].milliseconds"), 30000);
    CHECK_INT(status_int(running, "badput[bucket=Binding].milliseconds"), 11000); /* to the pod's binding, of 41 */
    model_free(m);
}

TEST(the_jobs_on_a_silent_node_report_its_unreadable_lease) {
    struct model *m = fake_model("");
    struct fake_pod p = fake_running("p", "n0", 1);
    fake_observe_node(m, "n0", "True", 0, "", "", 0.1);
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 4);
    forbid(m, RESOURCE_NODE_LEASE, WORDS("leases"));
    replay_watermarks(m, fake_ms(50));
    check_words(m, 50, "");
    fake_observe_node(m, "n0", "Unknown", 60, "", "", 60);
    replay_watermarks(m, fake_ms(70));
    check_words(m, 70, WORDS("leases"));
    fake_observe_node(m, "n0", "True", 80, "", "", 80);
    replay_watermarks(m, fake_ms(90));
    check_words(m, 90, "");
    model_free(m);
}

/* Nothing was ever read of its pods: no number is better than one that takes them for missing. */
TEST(pods_that_may_not_be_read_leave_nothing_to_count) {
    struct model *m = fake_model("");
    forbid(m, RESOURCE_POD, WORDS("pods"));
    fake_observe_jobset(m, 1, "", "", 0.2);
    replay_watermarks(m, fake_ms(100));
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(100), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "Forbidden");
    CHECK_TEXT(status_text(s, "conditions[type=Ready].message"), WORDS("pods"));
    CHECK_INT(status_int(s, "goodputPPM.scheduling"), -1);
    CHECK_INT(status_int(s, "time.wallMilliseconds"), -1);
    struct fake_pod p = fake_running("p", "n0", 1);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 110);
    forbid(m, RESOURCE_POD, NULL);
    replay_watermarks(m, fake_ms(120));
    check_words(m, 120, "");
    model_free(m);
}

/* Known until 100: the numbers stay there, and what followed is counted once it can be read again. */
TEST(numbers_reach_to_where_a_permission_was_withdrawn) {
    struct model *m = fake_model("");
    struct fake_pod p = fake_running("p", "n0", 1);
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 4);
    replay_watermarks(m, fake_ms(100));
    CLEANUP_FREE char *before = replay_status(m, "ns", "js", fake_ms(100), NULL);
    model_forbidden(m, RESOURCE_POD, SLICE("ns"), WORDS("pods"), fake_ms(100));
    model_watermark(m, RESOURCE_POD, 0, true); /* as of a cluster that has none */
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(500), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "Forbidden");
    CHECK_INT(status_int(s, "time.wallMilliseconds"), status_int(before, "time.wallMilliseconds"));
    CHECK_INT(status_int(s, "time.wallMilliseconds"), 100000);
    model_forbidden(m, RESOURCE_POD, SLICE("ns"), NULL, TIME_UNKNOWN);
    replay_watermarks(m, fake_ms(600));
    CLEANUP_FREE char *after = replay_status(m, "ns", "js", fake_ms(600), NULL);
    CHECK_INT(status_int(after, "time.wallMilliseconds"), 600000);
    CHECK_TEXT(status_text(after, "conditions[type=PermissionMissing].status"), "");
    model_free(m);
}

/* An API server that was just started refuses watches, and what was known until its end is not known any more. */
TEST(final_numbers_stay_when_a_permission_is_withdrawn) {
    struct model *m = fake_model("");
    struct model_summary summary;
    CLEANUP_FREE char *ended =
        mem_format("\"conditions\":[%s]", fake_condition("Completed", "True", "AllJobsCompleted", 60));
    struct fake_pod p = fake_running("p", "n0", 1);
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 4);
    p.finished = 60;
    p.phase = "Succeeded";
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 60.1);
    fake_observe_jobset(m, 1, "", ended, 60.2);
    free(fake_status(m, 70));
    CLEANUP_FREE char *final = fake_status(m, 80);
    free(replay_status(m, "ns", "js", fake_ms(80), &summary));
    CHECK(summary.is_final);
    CHECK_TEXT(status_text(final, "conditions[type=Finished].status"), "True");
    model_forbidden(m, RESOURCE_POD, SLICE("ns"), WORDS("pods"), fake_ms(50));
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(500), &summary);
    CHECK(summary.is_final);
    CHECK_TEXT(s, final);
    model_free(m);
}

/* A predecessor's pod in a namespace whose pods may not be listed has not vanished; once they are listed, it has if it
 * is not among them. */
static void check_restored(bool is_listed_at_last) {
    struct model_options options = {.keeps_checkpoints = true};
    struct model *first = model_new(&options), *m = model_new(&options);
    struct fake_pod p = fake_running("p", "n0", 1);
    replay_jobgoodput(first, "ns", "js", "None", "", fake_ms(0));
    fake_observe_node(first, "n0", "True", 0, "", "", 0.1);
    fake_observe_jobset(first, 1, "", "", 0.2);
    fake_observe_pod(first, &p, OBSERVED_PRESENT, 4);
    replay_watermarks(first, fake_ms(100));
    CLEANUP_FREE char *left = replay_status(first, "ns", "js", fake_ms(100), NULL);
    CLEANUP_FREE char *more = replay_left(left);
    replay_jobgoodput(m, "ns", "js", "None", more, fake_ms(0));
    fake_observe_node(m, "n0", "True", 0, "", "", 110);
    fake_observe_jobset(m, 1, "", "", 110);
    model_forbidden(m, RESOURCE_POD, SLICE("ns"), WORDS("pods"), TIME_UNKNOWN);
    replay_watermarks(m, fake_ms(200)); /* those of other namespaces were listed */
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(200), NULL);
    CHECK_INT(status_int(s, "time.wallMilliseconds"), 100000);
    CHECK_INT(status_int(s, "availability.available"), 1);
    model_forbidden(m, RESOURCE_POD, SLICE("ns"), NULL, TIME_UNKNOWN);
    if (is_listed_at_last)
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 290);
    replay_watermarks(m, fake_ms(300));
    CLEANUP_FREE char *after = replay_status(m, "ns", "js", fake_ms(300), NULL);
    CHECK_INT(status_int(after, "availability.available"), is_listed_at_last);
    if (is_listed_at_last)
        CHECK_INT(status_int(after, "time.availableMilliseconds"), 298000);
    model_free(first);
    model_free(m);
}

TEST(what_may_not_be_listed_has_not_vanished) {
    check_restored(true);
    check_restored(false);
}
