/* Each interruption is one notice, announced when it is observed, again when all of it is known, and no more. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

static struct model *begin(const char *source) {
    struct model_options options = {0};
    struct model *m = model_new(&options);
    replay_jobgoodput(m, "ns", "js", source, "", fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    return m;
}

/* The notices of a status at that time: "ID reason: note" a line (heap). */
static char *announced(struct model *m, double at) {
    struct buf out;
    const struct model_notice *n;
    buf_init(&out, 1 << 16);
    free(replay_status(m, "ns", "js", fake_ms(at), NULL));
    while ((n = model_job_next_notice(model_job_find(m, "ns", "js"))) != NULL) {
        CHECK(n->first_ms >= fake_ms(0) && n->last_ms >= n->first_ms && n->last_ms <= fake_ms(at));
        buf_format(&out, "%s %s: %s\n", n->id, n->reason, n->note);
    }
    char *text = mem_strdup(buf_text(&out));
    buf_done(&out);
    return text;
}

static void check_announced(struct model *m, double at, const char *expected) {
    char *text = announced(m, at);
    CHECK_TEXT(text, expected);
    free(text);
    text = announced(m, at + 1);
    CHECK_TEXT(text, ""); /* each thing once */
    free(text);
}

static struct fake_pod run(struct model *m, const char *name, int created) {
    struct fake_pod p = fake_pod(name, 0, created);
    p.bound = created + 1;
    p.started = created + 2;
    p.phase = "Running";
    fake_observe_pod(m, &p, OBSERVED_PRESENT, created + 2.2);
    return p;
}

static void fail(struct model *m, struct fake_pod *p, int at) {
    p->finished = at;
    p->exit_code = 134;
    p->phase = "Failed";
    fake_observe_pod(m, p, OBSERVED_PRESENT, at + 0.1);
}

#define FIRST "uid-js.interruption-1 Interrupted: ApplicationError n0"
#define WHY ". Pod a: container train terminated with exit 134 (Error) on node n0\n"
#define ROOT_CAUSE                                                                                                     \
    "uid-js.rootcause-1 RootCause: CrashSignal (SIGABRT); owner Unknown; first failed slot slice/0/0, container "      \
    "train, node n0\n"

TEST(an_interruption_is_announced_when_observed_and_when_over) {
    struct model *m = begin("None");
    struct fake_pod a = run(m, "a", 1);
    check_announced(m, 10, "");
    fail(m, &a, 100);
    check_announced(m, 101, FIRST WHY ROOT_CAUSE);
    run(m, "b", 199);
    check_announced(m, 210, FIRST "; rescheduled in 1m40s" WHY);
    model_free(m);
}

TEST(a_starting_controller_announces_no_old_interruption) {
    for (int late = 0; late < 2; late++) {
        struct model *m = begin("None");
        struct fake_pod a = run(m, "a", 1);
        fail(m, &a, 100);
        run(m, "b", 199);
        check_announced(m, late ? 3900 : 3700, late ? "" : FIRST "; rescheduled in 1m40s" WHY);
        model_free(m);
    }
}

static void steps(struct model *m, const char *uid, double from, int first, int last) {
    struct model_job *job = model_job_find(m, "ns", "js");
    for (int step = first; step <= last; step++, from += 10) {
        char line[160];
        snprintf(
            line, sizeof line,
            "completed step: %d, seconds: 10.000, TFLOP/s/device: 0.001, Tokens/s/device: 1.000, total_weights: 1, "
            "loss: 1.0",
            step);
        model_job_log_line(job, uid, 0, fake_ms(from) * 1000000, slice_of(line));
    }
}

TEST(lost_steps_are_announced_when_training_resumes) {
    struct model *m = begin("PodLog");
    struct fake_pod a = run(m, "a", 1);
    steps(m, "uid-a", 20, 0, 9);
    char *text = announced(m, 112);
    CHECK(strstr(text, "uid-js.started TrainingStarted: the first step is in; steps are read as MaxText\n") != NULL);
    free(text);
    fail(m, &a, 120);
    check_announced(m, 125, FIRST WHY ROOT_CAUSE);
    run(m, "b", 139);
    text = announced(m, 145);
    CHECK_TEXT(text, ""); /* the slots are back, but not what training resumes from */
    free(text);
    steps(m, "uid-b", 160, 0, 2);
    text = announced(m, 200);
    CHECK(strstr(text, FIRST "; lost 10 steps (") == text);
    CHECK(strstr(text, "; rescheduled in 20s" WHY) != NULL);
    free(text);
    model_free(m);
}
