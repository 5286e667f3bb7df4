/* An event of a pod, and the evaluation after it, cost the same in a large job as in a small one: counted in pods and
 * lives that are looked at, not in time, which a busy machine changes. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "ledger/ledger_internal.h"
#include "operator/job/job.h"
#include "operator/model/model_internal.h"
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

static void pod_lost(struct model *m, int index, double at) {
    char name[32], node[32];
    struct fake_pod p = pod_of(name, node, index);
    p.asked_to_go = (int)at;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, at);
}

struct looked {
    int64_t observed; /* pods that were made facts of */
    int64_t visited;
};

static struct looked looked_so_far(struct model *m) {
    const struct model_job *job = model_job_find(m, "ns", "js");
    return (struct looked){m->jobs.pods_recorded, m->jobs.pods_looked_at + job->ledger->occupancies_visited};
}

/* The pods and occupancies visited for EVENTS events, each evaluated by itself, of a job of N pods; all of them run,
 * but the first one only if is_whole. */
static struct looked looked_at(int pods, bool is_whole, void (*event)(struct model *m, int number, double at)) {
    struct model *m = model_new(&(struct model_options){0});
    char name[32], node[32];
    replay_jobgoodput(m, "ns", "js", "PodLog", "", fake_ms(0));
    fake_observe_jobset(m, pods, "", "", 0.2);
    for (int i = is_whole ? 0 : 1; i < pods; i++) {
        struct fake_pod p = pod_of(name, node, i);
        fake_observe_node(m, node, "True", 0, "", "", 1);
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 4);
    }
    evaluate(m, 5);
    pod_lost(m, 60, 5.2);
    evaluate(m, 5.5);
    struct looked before = looked_so_far(m);
    for (int k = 0; k < EVENTS; k++) {
        event(m, k, 6 + k);
        evaluate(m, 6.5 + k);
    }
    struct looked after = looked_so_far(m);
    model_free(m);
    return (struct looked){after.observed - before.observed, after.visited - before.visited};
}

static void pod_event(struct model *m, int number, double at) {
    char name[32], node[32];
    struct fake_pod p = pod_of(name, node, number % 50 + 1);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, at);
}

static void pod_goes(struct model *m, int number, double at) {
    char name[32], node[32];
    struct fake_pod p = pod_of(name, node, number % 50 + 1);
    p.asked_to_go = (int)at;
    fake_observe_pod(m, &p, number < 50 ? OBSERVED_PRESENT : OBSERVED_DELETED, at);
}

static void pod_comes(struct model *m, int number, double at) {
    char name[32], node[32], other[32];
    struct fake_pod p = pod_of(name, node, number % 50 + 1);
    snprintf(other, sizeof other, "again%d", number);
    p.name = other;
    p.created = (int)at;
    p.bound = p.started = 0;
    p.node = NULL;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, at);
}

static void node_event(struct model *m, int number, double at) {
    char node[32];
    snprintf(node, sizeof node, "n%d", number % 50 + 1);
    fake_observe_node(m, node, number < 50 ? "Unknown" : "True", (int)at, "", "", at);
}

TEST(an_event_looks_at_its_own_pod_alone) {
    static void (*const events[])(struct model * m, int number, double at) = {pod_event, pod_goes, pod_comes,
                                                                              node_event};
    for (size_t i = 0; i < ARRAY_SIZE(events); i++)
        for (int is_whole = 0; is_whole < 2; is_whole++) {
            struct looked few = looked_at(64, is_whole, events[i]);
            CHECK_INT(few.observed, EVENTS);
            for (int pods = 512; pods <= 4096; pods *= 8) {
                struct looked many = looked_at(pods, is_whole, events[i]);
                CHECK_INT(many.observed, EVENTS);
                CHECK_INT(many.visited, few.visited);
            }
        }
}

/* Pods of a Job that is not indexed, or of a kind of job that numbers none, are placed by their creation. */
TEST(pods_without_indexes_are_placed_at_once) {
    enum { PODS = 10000 };
    struct model *m = model_new(&(struct model_options){0});
    char name[32], node[32];
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_observe_jobset(m, PODS, "", "", 0.2);
    for (int i = 0; i < PODS; i++) {
        struct fake_pod p = pod_of(name, node, i);
        p.index = -1;
        fake_observe_node(m, node, "True", 0, "", "", 1);
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 4);
    }
    evaluate(m, 5);
    int64_t recorded = m->jobs.pods_recorded, looked_at = m->jobs.places_looked_at;
    CHECK_INT(recorded, PODS);
    CHECK(looked_at < 32 * PODS);
    struct fake_pod lost = pod_of(name, node, 60);
    lost.index = -1;
    lost.asked_to_go = 20;
    fake_observe_pod(m, &lost, OBSERVED_PRESENT, 20.5);
    char next_name[32];
    struct fake_pod next = pod_of(next_name, node, PODS);
    next.index = -1;
    next.created = next.bound = next.started = 24;
    fake_observe_node(m, node, "True", 0, "", "", 21);
    fake_observe_pod(m, &next, OBSERVED_PRESENT, 25);
    CLEANUP_FREE char *s = fake_status(m, 30);
    CHECK_INT(m->jobs.pods_recorded - recorded, 2); /* it has the place of the lost one, and no other pod moves */
    CHECK_INT(status_int(s, "availability.available"), PODS);
    CHECK_INT(status_int(s, "badput[bucket=Rescheduling].milliseconds"), 4000);
    model_free(m);
}
