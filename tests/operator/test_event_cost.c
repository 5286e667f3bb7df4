/* An event of a pod costs the same in a large job as in a small one: counted in pods that are looked at, not in time,
 * which a busy machine changes. What an evaluation costs grows with the job; how often there is one does not
 * (tests/runtime/test_cadence.c). */
#include "fake.h"
#include "harness.h"
#include "operator/store/store.h"
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>

enum { EVENTS = 100 };

static struct fake_pod pod_of(char name[static 32], char node[static 32], int index) {
    snprintf(name, 32, "p%d", index);
    snprintf(node, 32, "n%d", index);
    struct fake_pod p = fake_pod(name, index, 1);
    p.node = node;
    p.bound = 2;
    p.started = 3;
    return p;
}

static void evaluate(struct model *m, double at) {
    free(replay_status(m, "ns", "js", fake_ms(at), NULL));
}

/* How many pods are looked at for so many events, each evaluated by itself, among so many pods that run. */
static int64_t looked_at(int pods, void (*event)(struct model *m, int number, double at)) {
    struct model *m = model_new(&(struct model_options){.version = "test"});
    char name[32], node[32];
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_tell_jobset(m, pods, "", "", 0.2);
    for (int i = 0; i < pods; i++) {
        struct fake_pod p = pod_of(name, node, i);
        fake_tell_node(m, node, "True", 0, "", "", 1);
        fake_tell_pod(m, &p, OBSERVED_PRESENT, 4);
    }
    evaluate(m, 5);
    int64_t before = m->pods_told;
    for (int k = 0; k < EVENTS; k++) {
        event(m, k, 6 + k);
        evaluate(m, 6.5 + k);
    }
    int64_t told = m->pods_told - before;
    model_free(m);
    return told;
}

static void pod_event(struct model *m, int number, double at) {
    char name[32], node[32];
    struct fake_pod p = pod_of(name, node, number % 50);
    fake_tell_pod(m, &p, OBSERVED_PRESENT, at);
}

static void pod_goes(struct model *m, int number, double at) {
    char name[32], node[32];
    struct fake_pod p = pod_of(name, node, number % 50);
    p.asked_to_go = (int)at;
    fake_tell_pod(m, &p, number < 50 ? OBSERVED_PRESENT : OBSERVED_DELETED, at);
}

static void node_event(struct model *m, int number, double at) {
    char node[32];
    snprintf(node, sizeof node, "n%d", number % 50);
    fake_tell_node(m, node, number < 50 ? "Unknown" : "True", (int)at, "", "", at);
}

TEST(an_event_looks_at_its_own_pod_alone) {
    static void (*const events[])(struct model * m, int number, double at) = {pod_event, pod_goes, node_event};
    for (size_t i = 0; i < ARRAY_SIZE(events); i++)
        for (int pods = 64; pods <= 4096; pods *= 8)
            CHECK_INT(looked_at(pods, events[i]), EVENTS);
}
