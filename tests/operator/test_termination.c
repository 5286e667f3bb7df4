/* Whether a trainer saved a checkpoint when it got a signal to stop: it did, it did not, or that is unknown. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define SIGNAL_S 60

struct ending {
    const char *what;
    double saved;              /* when its log has the end of a save; 0: never */
    int finished, exit_code;   /* 0: its end was never observed */
    bool is_asked, is_kubelet; /* by deletion; by the kubelet that shuts its node down */
    bool has_started;          /* a save after the signal of which nothing says that it was over */
    bool is_silent;            /* its log never mentions checkpoints */
    bool is_unread;            /* the end of its log */
    const char *lost;
    int expected; /* 1, 0; -1: absent */
};

static const struct ending endings[] = {
    {.what = "saved in the grace period",
     .saved = 63,
     .finished = 65,
     .exit_code = 143,
     .is_asked = true,
     .expected = 1},
    {.what = "and ended well", .saved = 63, .finished = 65, .is_asked = true, .expected = 1},
    {.what = "by the kubelet", .saved = 63, .finished = 65, .exit_code = 143, .is_kubelet = true, .expected = 1},
    {.what = "saved, and the end of its log is lost",
     .saved = 63,
     .finished = 65,
     .exit_code = 143,
     .is_asked = true,
     .lost = "gone",
     .expected = 1},
    {.what = "no save after the signal", .finished = 65, .exit_code = 143, .is_asked = true},
    {.what = "killed at the end of the grace period", .finished = 90, .exit_code = 137, .is_asked = true},
    {.what = "by the kubelet, no save", .finished = 65, .exit_code = 143, .is_kubelet = true},
    {.what = "a save that was cut", .finished = 90, .exit_code = 137, .is_asked = true, .has_started = true},
    {.what = "saved before the signal", .saved = 59.5, .finished = 65, .exit_code = 143, .is_asked = true},
    {.what = "saved within the second of the signal",
     .saved = 60.4,
     .finished = 65,
     .exit_code = 143,
     .is_asked = true,
     .expected = -1},
    {.what = "log lost", .finished = 65, .exit_code = 143, .is_asked = true, .lost = "gone", .expected = -1},
    {.what = "log not read to its end",
     .finished = 65,
     .exit_code = 143,
     .is_asked = true,
     .is_unread = true,
     .expected = -1},
    {.what = "a log that mentions no checkpoints",
     .finished = 65,
     .exit_code = 143,
     .is_asked = true,
     .is_silent = true,
     .expected = -1},
    {.what = "the node is deleted, and how the pod ended is unknown", .is_asked = true, .expected = -1},
    {.what = "kill -9: no signal came before", .finished = 60, .exit_code = 137, .expected = -1},
    {.what = "it failed, and its pod was deleted then",
     .finished = 55,
     .exit_code = 1,
     .is_asked = true,
     .expected = -1},
};

static const char lines_of_regex[] =
    ",\"stepLog\":{\"source\":\"PodLog\",\"format\":\"Regex\",\"regex\":{\"step\":\"^step (?<step>\\\\d+)\","
    "\"checkpointStart\":\"^save (?<step>\\\\d+)\",\"checkpointSaved\":\"^saved (?<step>\\\\d+)\"}}";

static struct model *new_model(const char *status) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
    fake_observe_jobgoodput(m, &(struct fake_jobgoodput){.step_log = "", .more = lines_of_regex, .status = status}, 0);
    fake_observe_jobset(m, 1, "", "", 0.2);
    return m;
}

static void print(struct model *m, const char *pod, double at, const char *word, int step) {
    char line[64];
    snprintf(line, sizeof line, "%s %d", word, step);
    fake_log_line(m, pod, at, line);
}

static void feed_log(struct model *m, const struct ending *e) {
    for (int step = 1; step <= 5; step++)
        print(m, "a", 5 + 10 * step, "step", step);
    if (!e->is_silent)
        print(m, "a", 46, "saved", 4);
    if (e->saved > 0)
        print(m, "a", e->saved, "saved", 5);
    if (e->has_started)
        print(m, "a", 62, "save", 5);
    if (!e->is_unread)
        model_job_log_end(model_job_find(m, "ns", "js"), "uid-a", 0, e->lost);
}

static void observe_end(struct model *m, struct fake_pod a, const struct ending *e) {
    if (e->finished && e->finished < SIGNAL_S) {
        a.finished = e->finished;
        a.exit_code = e->exit_code;
        fake_observe_pod(m, &a, OBSERVED_PRESENT, e->finished + 0.5);
    }
    a.asked_to_go = e->is_asked || e->is_kubelet ? SIGNAL_S : -1;
    a.grace = e->is_asked ? 30 : 0;
    a.disruption = e->is_kubelet ? "TerminationByKubelet" : NULL;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, SIGNAL_S + 0.2);
    if (e->finished) {
        a.finished = e->finished;
        a.exit_code = e->exit_code;
        a.phase = e->exit_code ? "Failed" : "Succeeded";
        fake_observe_pod(m, &a, OBSERVED_PRESENT, e->finished + 0.5);
    }
    fake_observe_pod(m, &a, OBSERVED_DELETED, 91);
}

static struct fake_pod running(const char *name, int created) {
    return fake_started(name, 0, created, created + 1, created + 2);
}

/* The status once the next pod has trained for long; a successor takes over before that. */
static char *life(const struct ending *e, bool is_log_first, bool has_successor) {
    struct model *m = new_model(NULL);
    struct fake_pod a = running("a", 1), b = running("b", 92);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    if (is_log_first)
        feed_log(m, e);
    observe_end(m, a, e);
    if (!is_log_first)
        feed_log(m, e);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 94.1);
    if (has_successor) {
        CLEANUP_FREE char *status = replay_status(m, "ns", "js", fake_ms(95), NULL);
        model_free(m);
        m = new_model(status);
        fake_observe_pod(m, &b, OBSERVED_PRESENT, 95.1);
    }
    for (int step = 6; step < 60; step++)
        print(m, "b", 50 + 10 * step, "step", step);
    free(replay_status(m, "ns", "js", fake_ms(500), NULL)); /* the ledger settles */
    char *s = replay_status(m, "ns", "js", fake_ms(640), NULL);
    model_free(m);
    return s;
}

TEST(a_checkpoint_on_termination_was_saved_or_not_or_is_unknown) {
    for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
        for (int k = 0; k < 4; k++) {
            CLEANUP_FREE char *s = life(&endings[i], k & 1, k & 2);
            bool is_true = strstr(s, "\"savedOnTermination\":true") != NULL;
            int found = is_true ? 1 : strstr(s, "\"savedOnTermination\":false") ? 0 : -1;
            if (found != endings[i].expected)
                harness_fail(__FILE__, __LINE__, "%s (%d): %d, not %d", endings[i].what, k, found, endings[i].expected);
            CHECK_INT(status_int(s, "interruptions.total"), 1);
        }
}

/* Without a log, and of an interruption that struck another pod only, nothing is said. */
TEST(a_trainer_that_got_no_signal_has_no_savedOnTermination) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = running("a", 1), b = running("b", 92);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    observe_end(m, a, &endings[0]);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 94.1);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(200), NULL);
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    CHECK(strstr(s, "savedOnTermination") == NULL);
    model_free(m);
}
