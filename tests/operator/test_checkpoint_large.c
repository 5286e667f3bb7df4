/* Of a job with thousands of pods a checkpoint holds less than all of them (checkpoint.c: first_extent): the cluster
 * shows the pods that still exist, and sums replace most of the deleted ones. Where that is impossible it names only
 * the target, and the status says so. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PODS 4200 /* more than MANY_PODS */

/* The pods of one generation, made at `created`: as far as they are by `at`, and ended with exit code 1 at `finished`.
 */
static void observe_pods(struct model *m, int from, int to, int created, int finished, enum observed what, double at) {
    for (int i = from; i < to; i++) {
        char name[32];
        snprintf(name, sizeof name, "p-%d-%d", created, i);
        struct fake_pod p = fake_started(name, i, created, created + 2, created + 4);
        p.node = "n";
        p.phase = finished < 0 ? "Running" : "Failed";
        p.finished = finished;
        p.exit_code = finished < 0 ? 0 : 1;
        fake_observe_pod(m, &p, what, at);
    }
}

static void replace(struct model *m, int from, int to, int old, int at) {
    observe_pods(m, from, to, old, at, OBSERVED_PRESENT, at + 0.5);
    observe_pods(m, from, to, old, at, OBSERVED_DELETED, at + 1);
    observe_pods(m, from, to, at + 2, -1, OBSERVED_PRESENT, at + 7);
}

/* A job of PODS pods that is watched from then on; its pods run since 5. */
static struct model *begin_large(double watched_from) {
    struct model *m = fake_successor(NULL);
    fake_observe_jobset(m, PODS, "", "", watched_from);
    fake_observe_node(m, "n", "True", 0, "", "", watched_from);
    observe_pods(m, 0, PODS, 1, -1, OBSERVED_PRESENT, watched_from < 6 ? 6 : watched_from);
    return m;
}

/* A successor that found this status, and has listed all but the pods. */
static struct model *begin_next(const char *left, double at) {
    struct model *m = fake_successor(left);
    fake_observe_jobset(m, PODS, "", "", at);
    fake_observe_node(m, "n", "True", 0, "", "", at);
    return m;
}

static void check_checkpoint(const char *status) {
    const char *checkpoint = strstr(status, ",\"checkpoint\":\"");
    REQUIRE(checkpoint != NULL);
    CHECK(strlen(checkpoint) < 8192);
}

/* The successor's status is that of one that was never killed. Heap. */
static char *same_at(struct model *whole, struct model *next, double at) {
    CLEANUP_FREE char *expected = fake_status(whole, at);
    char *found = fake_status(next, at);
    fake_cut_checkpoint(expected);
    fake_cut_checkpoint(found);
    CHECK_TEXT(found, expected);
    return found;
}

TEST(the_checkpoint_of_a_large_job_holds_its_deleted_pods) {
    struct model *whole = begin_large(0.5);
    replace(whole, 7, 10, 1, 100);
    CLEANUP_FREE char *left = fake_status(whole, 200);
    REQUIRE(strstr(left, ",\"checkpoint\":\"") != NULL);

    struct model *next = begin_next(left, 210);
    observe_pods(next, 0, 7, 1, -1, OBSERVED_PRESENT, 210);
    observe_pods(next, 7, 10, 102, -1, OBSERVED_PRESENT, 210);
    observe_pods(next, 10, PODS, 1, -1, OBSERVED_PRESENT, 210);
    CLEANUP_FREE char *found = same_at(whole, next, 300);
    CHECK_INT(status_int(found, "interruptions.total"), 1);
    CHECK_INT(status_int(found, "time.availableMilliseconds"), 300000 - 3000 - 4000);
    CHECK_INT(status_int(found, "executions[number=1].rescheduleMilliseconds"), 4000);

    /* What follows is an interruption more, with its cause, and no restart of the count. */
    replace(whole, 20, 21, 1, 400);
    replace(next, 20, 21, 1, 400);
    free(found);
    found = same_at(whole, next, 500);
    CHECK_INT(status_int(found, "interruptions.total"), 2);
    model_free(whole);
    model_free(next);
}

TEST(of_a_large_job_that_restarted_whole_what_its_pods_did_is_in_the_checkpoint) {
    struct model *whole = begin_large(0.5);
    replace(whole, 0, PODS, 1, 100);
    CLEANUP_FREE char *left = fake_status(whole, 200);
    check_checkpoint(left);

    struct model *next = begin_next(left, 210);
    observe_pods(next, 0, PODS, 102, -1, OBSERVED_PRESENT, 210);
    CLEANUP_FREE char *found = same_at(whole, next, 300);
    CHECK_INT(status_int(found, "interruptions.total"), 1);
    CHECK_TEXT(status_text(found, "executions[number=1].cause"), "ApplicationError");
    CHECK_INT(status_int(found, "time.availableMilliseconds"), 300000 - 3000 - 4000);
    model_free(whole);
    model_free(next);
}

/* While no pod has taken their place either. */
TEST(of_a_large_job_that_waits_for_pods_what_the_last_ones_did_is_in_the_checkpoint) {
    struct model *whole = begin_large(0.5);
    observe_pods(whole, 0, PODS, 1, 100, OBSERVED_PRESENT, 100.5);
    observe_pods(whole, 0, PODS, 1, 100, OBSERVED_DELETED, 101);
    CLEANUP_FREE char *left = fake_status(whole, 200);
    CHECK_TEXT(status_text(left, "availability.message"), "slice 0 host 0: no pod yet");
    struct model *next = begin_next(left, 200);
    observe_pods(whole, 0, PODS, 205, -1, OBSERVED_PRESENT, 210);
    observe_pods(next, 0, PODS, 205, -1, OBSERVED_PRESENT, 210);
    CLEANUP_FREE char *found = same_at(whole, next, 300);
    CHECK_INT(status_int(found, "interruptions.total"), 1);
    CHECK_INT(status_int(found, "time.availableMilliseconds"), 300000 - 3000 - 107000);
    model_free(whole);
    model_free(next);
}

/* A pod that waits for a node, by the scheduler's words, which no object shows later; then as it runs. */
static struct fake_pod observe_waiting(struct model *m, const char *name, int index, int created, int bound) {
    struct fake_pod p = fake_pod(name, index, created);
    p.unschedulable = created + 1;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, created + 5);
    p = fake_started(name, index, created, bound, bound + 2);
    p.node = "n";
    p.phase = "Running";
    fake_observe_pod(m, &p, OBSERVED_PRESENT, bound + 3);
    return p;
}

TEST(of_a_large_job_why_pods_waited_is_in_the_checkpoint) {
    struct model *whole = fake_successor(NULL);
    fake_observe_jobset(whole, PODS, "", "", 0.5);
    fake_observe_node(whole, "n", "True", 0, "", "", 0.5);
    observe_pods(whole, 1, PODS, 1, -1, OBSERVED_PRESENT, 6);
    struct fake_pod first = observe_waiting(whole, "p-1-0", 0, 1, 30);
    observe_pods(whole, 9, 10, 1, 100, OBSERVED_PRESENT, 100.5);
    observe_pods(whole, 9, 10, 1, 100, OBSERVED_DELETED, 101);
    struct fake_pod later = observe_waiting(whole, "p-102-9", 9, 102, 120); /* shorter: the evidence names the first */
    CLEANUP_FREE char *left = fake_status(whole, 200);
    REQUIRE(strstr(left, ",\"checkpoint\":\"") != NULL);

    struct model *next = begin_next(left, 210);
    observe_pods(next, 1, 9, 1, -1, OBSERVED_PRESENT, 210);
    observe_pods(next, 10, PODS, 1, -1, OBSERVED_PRESENT, 210);
    fake_observe_pod(next, &first, OBSERVED_PRESENT, 210);
    fake_observe_pod(next, &later, OBSERVED_PRESENT, 210);
    CLEANUP_FREE char *found = same_at(whole, next, 300);
    CHECK_INT(status_int(found, "badput[bucket=Provisioning].milliseconds"), 28000 + 17000);
    CHECK_INT(status_int(found, "time.availableMilliseconds"), 300000 - 30000 - 20000);
    model_free(whole);
    model_free(next);
}

/* Until 60 it is not watched. */
TEST(of_a_large_job_that_was_not_watched_from_the_start_the_same_is_in_the_checkpoint) {
    struct model *whole = begin_large(60);
    replace(whole, 0, PODS, 1, 100);
    CLEANUP_FREE char *left = fake_status(whole, 200);
    check_checkpoint(left);

    struct model *next = begin_next(left, 210);
    observe_pods(next, 0, PODS, 102, -1, OBSERVED_PRESENT, 210);
    CLEANUP_FREE char *found = same_at(whole, next, 300);
    CHECK_INT(status_int(found, "time.availableMilliseconds"), 300000 - 3000 - 4000);
    CHECK_INT(status_int(found, "interruptions.total"), 1);
    model_free(whole);
    model_free(next);
}
