/* A pod that is lost and replaced while the log of another shows that steps continue: no time is lost, and the
 * interruption stays. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

struct life {
    struct model *m;
    int64_t total; /* interruptions of the last status */
};

/* The number of interruptions in the status never decreases. */
static void check_total(struct life *l, double at) {
    CLEANUP_FREE char *s = replay_status(l->m, "ns", "js", fake_ms(at), NULL);
    int64_t total = status_int(s, "interruptions.total");
    if (total < l->total)
        harness_fail(__FILE__, __LINE__, "at %.1f: %lld interruptions, before %lld", at, (long long)total,
                     (long long)l->total);
    l->total = total;
}

/* Steps of 10 s; the line of a step comes when it ends. */
static void train(struct life *l, int from, int to) {
    for (int at = from; at <= to; at += 10) {
        CLEANUP_FREE char *line =
            mem_format("completed step: %d, seconds: 10.000, TFLOP/s/device: 1.0, loss: 1.0", at / 10);
        fake_log_line(l->m, "a", at, line);
        check_total(l, at + 0.5);
    }
}

static struct fake_pod observe_running(struct model *m, const char *name, int index, int created) {
    struct fake_pod p = fake_running(name, "n0", created);
    p.index = index;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, created + 2.1);
    return p;
}

static void observe_failed(struct life *l, struct fake_pod *p, int at) {
    p->finished = at;
    p->exit_code = 1;
    p->phase = "Failed";
    fake_observe_pod(l->m, p, OBSERVED_PRESENT, at + 0.6);
    check_total(l, at + 0.7);
}

static struct life begin(int pods) {
    struct model_options options = {0};
    struct life l = {.m = model_new(&options)};
    replay_jobgoodput(l.m, "ns", "js", "PodLog", "", fake_ms(0));
    fake_observe_jobset(l.m, pods, "", "", 0.2);
    fake_observe_node(l.m, "n0", "True", 0, "", "", 0.3);
    observe_running(l.m, "a", 0, 1);
    return l;
}

static void check_end(struct life *l, int at, int64_t total) {
    replay_watermarks(l->m, fake_ms(at));
    CLEANUP_FREE char *s = replay_status(l->m, "ns", "js", fake_ms(at), NULL);
    CHECK_INT(status_int(s, "interruptions.total"), total);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "ApplicationError");
    CHECK_INT(status_int(s, "executions[number=3].number"), total > 1 ? 3 : -1);
    CHECK_INT(status_int(s, "badput[bucket=Rescheduling].milliseconds"), -1);
    model_free(l->m);
}

TEST(a_replaced_pod_is_an_interruption_while_the_log_continues) {
    struct life l = begin(2);
    struct fake_pod b = observe_running(l.m, "b", 1, 1);
    train(&l, 20, 100);
    observe_failed(&l, &b, 103);
    CHECK_INT(l.total, 1);
    train(&l, 110, 110);
    observe_running(l.m, "c", 1, 114);
    check_total(&l, 116.5);
    train(&l, 120, 200);
    check_end(&l, 205, 1);
}

/* Until all slots are available again it is one. */
TEST(two_pods_replaced_while_the_log_continues_are_one_interruption) {
    struct life l = begin(3);
    struct fake_pod b = observe_running(l.m, "b", 1, 1), c = observe_running(l.m, "c", 2, 1);
    train(&l, 20, 100);
    observe_failed(&l, &b, 103);
    train(&l, 110, 110);
    observe_failed(&l, &c, 113);
    observe_running(l.m, "d", 1, 114);
    check_total(&l, 116.5);
    train(&l, 120, 130);
    observe_running(l.m, "e", 2, 134);
    train(&l, 140, 200);
    check_end(&l, 205, 1);
}

/* Each time all slots were available in between. */
TEST(a_pod_replaced_twice_while_the_log_continues_is_two_interruptions) {
    struct life l = begin(2);
    struct fake_pod b = observe_running(l.m, "b", 1, 1);
    train(&l, 20, 100);
    observe_failed(&l, &b, 103);
    b = observe_running(l.m, "c", 1, 104);
    train(&l, 110, 200);
    observe_failed(&l, &b, 203);
    observe_running(l.m, "d", 1, 204);
    train(&l, 210, 300);
    check_end(&l, 305, 2);
}
