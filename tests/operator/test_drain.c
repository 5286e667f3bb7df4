/* A drain of a whole Job whose trainer handles SIGTERM and exits 0: its pods are Succeeded, and the Job controller
 * counts their indexes as completed while it already fails the Job for them. Nothing is done by that. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <string.h>

static struct model *begin(struct fake_pod pods[2]) {
    static const char *const names[] = {"a", "b"};
    struct model *m = fake_model("");
    fake_observe_jobset(m, 2, "", "", 0.2);
    fake_observe_job(m, 1, 1.1);
    for (int i = 0; i < 2; i++) {
        pods[i] = fake_pod(names[i], i, 2);
        pods[i].bound = 3;
        pods[i].started = 4;
        pods[i].phase = "Running";
        pods[i].job_uid = "uid-job";
        fake_observe_pod(m, &pods[i], OBSERVED_PRESENT, 4.1);
    }
    return m;
}

static void ask_to_go(struct model *m, struct fake_pod *p, const char *disruption, int at) {
    p->asked_to_go = at;
    p->grace = 30;
    p->disruption = disruption;
    fake_observe_pod(m, p, OBSERVED_PRESENT, at + 0.1);
}

static void exit_0(struct model *m, struct fake_pod *p, int at) {
    p->finished = at;
    p->exit_code = 0;
    p->phase = "Succeeded";
    fake_observe_pod(m, p, OBSERVED_PRESENT, at + 0.3);
}

/* deletion: 0: it is not deleted. */
static void observe_job_version(struct model *m, const char *completed, const char *condition, int deletion,
                                enum observed what, double at) {
    CLEANUP_FREE char *status =
        mem_format("\"completedIndexes\":\"%s\",\"failed\":1,\"conditions\":[%s]", completed, condition);
    fake_observe_job_of(m, &(struct fake_job){.created = 1, .deletion = deletion, .status = status}, what, at);
}

static void observe_job(struct model *m, const char *completed, const char *condition, double at) {
    observe_job_version(m, completed, condition, 0, OBSERVED_PRESENT, at);
}

/* The status at 60: when the only interruption began and ended, and why. */
static void check_lost(struct model *m, const char *cause, int reschedule_ms) {
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(60), NULL);
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), cause);
    CHECK_INT(status_int(s, "badput[bucket=Rescheduling].milliseconds"), reschedule_ms);
}

static void observe_next_pods(struct model *m) {
    for (int i = 0; i < 2; i++) {
        struct fake_pod p = fake_started(i == 0 ? "c" : "d", i, 40, 41, 42);
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 42.1);
    }
}

TEST(a_drained_job_whose_trainer_exits_0_is_lost_when_it_was_asked) {
    struct fake_pod pods[2];
    struct model *m = begin(pods);
    ask_to_go(m, &pods[0], "EvictionByEvictionAPI", 20);
    observe_job(m, "", fake_condition("FailureTarget", "True", "BackoffLimitExceeded", 20), 20.3);
    ask_to_go(m, &pods[1], NULL, 20);
    exit_0(m, &pods[0], 22);
    exit_0(m, &pods[1], 22);
    observe_job(m, "0,1", fake_condition("FailureTarget", "True", "BackoffLimitExceeded", 20), 22.5);
    observe_job_version(m, "0,1", fake_condition("FailureTarget", "True", "BackoffLimitExceeded", 20), 33,
                        OBSERVED_DELETED, 33.5);
    observe_next_pods(m);
    check_lost(m, "Eviction", 21000);
    model_free(m);
}

/* The completed indexes are observed before the failure. */
TEST(an_index_completed_by_a_failing_job_is_not_done_in_whatever_order_that_is_observed) {
    struct fake_pod pods[2];
    struct model *m = begin(pods);
    ask_to_go(m, &pods[0], "EvictionByEvictionAPI", 20);
    exit_0(m, &pods[0], 22);
    observe_job(m, "0", fake_condition("Suspended", "False", "", 2), 22.4);
    observe_job(m, "0", fake_condition("FailureTarget", "True", "BackoffLimitExceeded", 20), 22.5);
    check_lost(m, "Eviction", 40000);
    model_free(m);
}

/* JobSet restarts the whole set: it deletes the Job, whose pods exit 0, and which still counts them. */
TEST(an_index_completed_by_a_deleted_job_is_not_done) {
    struct fake_pod pods[2];
    struct model *m = begin(pods);
    observe_job_version(m, "", fake_condition("Suspended", "False", "", 2), 20, OBSERVED_PRESENT, 20.05);
    for (int i = 0; i < 2; i++)
        ask_to_go(m, &pods[i], NULL, 20);
    for (int i = 0; i < 2; i++)
        exit_0(m, &pods[i], 25);
    observe_job_version(m, "0,1", fake_condition("Suspended", "False", "", 2), 20, OBSERVED_DELETED, 26);
    observe_next_pods(m);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(60), NULL);
    CHECK_INT(status_int(s, "badput[bucket=Rescheduling].milliseconds"), 21000);
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    model_free(m);
}

/* An index that Kubernetes counts as completed, of a Job that continues, is done when its pod has ended. */
TEST(an_index_that_a_healthy_job_counts_as_completed_is_done) {
    struct fake_pod pods[2];
    struct model *m = begin(pods);
    ask_to_go(m, &pods[0], NULL, 20);
    exit_0(m, &pods[0], 22);
    observe_job(m, "0", fake_condition("Suspended", "False", "", 2), 22.4);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(60), NULL);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 55000); /* 3 to 20, 22 to 60 */
    model_free(m);
}

/* And what was completed before the Job began to fail. */
TEST(an_index_completed_before_the_job_fails_is_done_until_the_job_is_deleted) {
    struct fake_pod pods[2];
    struct model *m = begin(pods);
    exit_0(m, &pods[0], 10);
    observe_job(m, "0", fake_condition("Suspended", "False", "", 2), 10.4);
    ask_to_go(m, &pods[1], "EvictionByEvictionAPI", 20);
    observe_job(m, "0", fake_condition("FailureTarget", "True", "BackoffLimitExceeded", 20), 20.4);
    exit_0(m, &pods[1], 22);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(60), NULL);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 17000);
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    model_free(m);
}

/* Asked to go and ended in the same second: an end that was observed before the request is a completion. Of both at
 * once the request was first. */
TEST(within_a_second_the_order_of_observation_decides_what_an_exit_0_is) {
    static const struct {
        double ended, asked;
        int available_ms, interruptions;
    } cases[] = {{20.2, 20.4, 57000, 0}, {20.4, 20.2, 17000, 1}, {20.2, 20.2, 17000, 1}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct model *m = fake_model("");
        fake_observe_jobset(m, 1, "", "", 0.2);
        fake_observe_job(m, 1, 1.1);
        struct fake_pod p = fake_started("a", 0, 2, 3, 4);
        p.phase = "Running";
        p.job_uid = "uid-job";
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 4.1);
        for (int k = 0; k < 2; k++) {
            double at = (k == 0) == (cases[i].ended < cases[i].asked) ? cases[i].ended : cases[i].asked;
            if (at == cases[i].ended) {
                p.finished = 20;
                p.phase = "Succeeded";
            }
            if (at == cases[i].asked)
                p.asked_to_go = 20;
            fake_observe_pod(m, &p, OBSERVED_PRESENT, at);
        }
        CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(60), NULL);
        CHECK_INT(status_int(s, "time.availableMilliseconds"), cases[i].available_ms);
        CHECK_INT(status_int(s, "interruptions.total"), cases[i].interruptions);
        model_free(m);
    }
}
