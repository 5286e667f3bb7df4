/* A trainer that hung and was then killed, by whatever hand: the cause is Hang, with the last step and its time. What
 * objects explain better, too short a silence, or a log with lines missing: the cause that it had. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define HANG_AFTER_S 120
#define LAST_STEP_S 50 /* steps 0 to 4, 10 s each */

enum hand { PERSON, PROBE, WATCHDOG, DRAIN };

static void train(struct model *m) {
    fake_log_steps(m, "a", 0, 4, 10, 10);
}

/* What the objects show once it was killed. */
static void kill_pod(struct fake_pod *p, enum hand hand, int at) {
    if (hand == PERSON || hand == DRAIN)
        p->asked_to_go = at;
    if (hand == DRAIN)
        p->disruption = "EvictionByEvictionAPI";
    if (hand == PROBE) { /* the kubelet kills the container and starts it again */
        p->last_finished = at;
        p->last_exit_code = 137;
        p->restart_count = 1;
        p->started = at + 2;
        return;
    }
    p->finished = at;
    p->exit_code = hand == WATCHDOG ? 134 : 137;
    p->phase = "Failed";
}

static char *life(enum hand hand, int killed, const char *lost, bool is_killed_last) {
    struct model_options options = {.keeps_checkpoints = true};
    struct model *m = model_new(&options);
    char spec[64];
    snprintf(spec, sizeof spec, ",\"hangAfterSeconds\":%d", HANG_AFTER_S);
    replay_jobgoodput(m, "ns", "js", "PodLog", spec, fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    a.restart_policy = hand == PROBE ? "Always" : "Never";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    train(m);
    for (int i = 0; i < 2; i++) /* the end of the log and the objects come in either order */
        if ((i == 0) == is_killed_last) {
            model_job_log_end(model_job_find(m, "ns", "js"), "uid-a", 0, lost);
        } else {
            kill_pod(&a, hand, killed);
            fake_observe_pod(m, &a, OBSERVED_PRESENT, killed + 0.5);
        }
    if (hand != PROBE) {
        fake_observe_pod(m, &a, OBSERVED_DELETED, killed + 1);
        struct fake_pod b = fake_pod("b", 0, killed + 1);
        b.bound = killed + 2;
        b.started = killed + 3;
        b.phase = "Running";
        fake_observe_pod(m, &b, OBSERVED_PRESENT, killed + 3.1);
    }
    char *s = replay_status(m, "ns", "js", fake_ms(killed + 10), NULL);
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    model_free(m);
    return s;
}

static void check(enum hand hand, int killed, const char *lost, const char *cause) {
    for (int order = 0; order < 2; order++) {
        char *s = life(hand, killed, lost, order == 1);
        CHECK_TEXT(status_text(s, "executions[number=1].cause"), cause);
        free(s);
    }
}

TEST(whoever_kills_a_trainer_that_hung_the_cause_is_hang) {
    static const struct {
        enum hand hand;
        const char *then;
    } cases[] = {{PERSON, "; then Pod a: deleted"},
                 {PROBE, "; then Pod a: container train restarted in place after exit 137"},
                 {WATCHDOG, "; then Pod a: container train terminated with exit 134"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check(cases[i].hand, 350, NULL, "Hang");
        char *s = life(cases[i].hand, 350, NULL, true);
        const char *evidence = status_text(s, "executions[number=1].evidence");
        const char *expected = "a: step 4 at 2026-11-21T02:00:50Z was the last for 300 s (hangAfter 120 s)";
        CHECK(strncmp(evidence, expected, strlen(expected)) == 0);
        CHECK(strstr(evidence, cases[i].then) != NULL);
        free(s);
    }
}

TEST(a_short_silence_is_not_a_hang) {
    check(PERSON, LAST_STEP_S + HANG_AFTER_S, NULL, "PodDeleted");
    check(PERSON, LAST_STEP_S + HANG_AFTER_S + 1, NULL, "Hang");
    check(WATCHDOG, LAST_STEP_S + 60, NULL, "ApplicationError");
}

TEST(a_log_with_lines_missing_proves_no_hang) {
    check(PERSON, 350, "the log was rotated away", "PodDeleted");
    check(WATCHDOG, 350, "the log was rotated away", "ApplicationError");
}

TEST(a_silence_that_objects_explain_is_not_a_hang) {
    check(DRAIN, 350, NULL, "Eviction");
}

/* What the alert GoodputJobHangs compares: the numbers follow the clock only after hangAfter without a record. */
TEST(the_status_shows_a_hang_while_it_lasts) {
    static const struct {
        int at_s;
        const char *through;
    } cases[] = {{LAST_STEP_S + HANG_AFTER_S - 10, "2026-11-21T02:00:50.000Z"}, {400, "2026-11-21T02:06:40.000Z"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model *m = model_new(&(struct model_options){0});
        replay_jobgoodput(m, "ns", "js", "PodLog", ",\"hangAfterSeconds\":120", fake_ms(0));
        fake_observe_jobset(m, 1, "", "", 0.2);
        struct fake_pod a = fake_started("a", 0, 1, 2, 3);
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
        train(m);
        char *s = replay_status(m, "ns", "js", fake_ms(cases[i].at_s), NULL);
        CHECK_TEXT(status_text(s, "phase"), "Training");
        CHECK_TEXT(status_text(s, "time.observedThrough"), cases[i].through);
        CHECK_TEXT(status_text(s, "steps.lastRecordTime"), "2026-11-21T02:00:50.000Z");
        CHECK_INT(status_int(s, "steps.hangAfterMilliseconds"), HANG_AFTER_S * 1000);
        free(s);
        model_free(m);
    }
}
