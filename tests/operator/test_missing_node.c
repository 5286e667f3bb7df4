/* A pod on a node that no list of the nodes shows: the node was deleted before anybody looked. Whoever looks first, now
 * or after a restart, and in whatever order the lists come, says the same. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define LISTED_S 100

enum { NODES_FIRST = 1, RESTARTED = 2, SEEN_BEFORE_THE_LIST = 4, WAYS = 8 };

static void observe_pods(struct model *m, double at) {
    struct fake_pod p[2];
    for (int i = 0; i < 2; i++) {
        p[i] = fake_started(i == 0 ? "a" : "b", i, 1, 2, 3);
        p[i].node = i == 0 ? "n0" : "n1";
        fake_observe_pod(m, &p[i], OBSERVED_PRESENT, at);
    }
    model_watermark(m, RESOURCE_POD, fake_ms(at), false);
}

/* n1 is there, n0 is not. */
static void observe_nodes(struct model *m, double at) {
    fake_observe_node(m, "n1", "True", -100, "", "", at);
    model_watermark(m, RESOURCE_NODE, fake_ms(at), false);
}

static void observe_lists(struct model *m, int way, double at) {
    fake_observe_jobset(m, 2, "", "", at);
    if (way & NODES_FIRST)
        observe_nodes(m, at);
    observe_pods(m, at);
    if (!(way & NODES_FIRST))
        observe_nodes(m, at);
}

static char *status_at(struct model *m, double at, bool has_nodes) {
    model_watermark(m, RESOURCE_POD, fake_ms(at), false);
    model_watermark(m, RESOURCE_NODE, fake_ms(at), !has_nodes);
    return replay_status(m, "ns", "js", fake_ms(at), NULL);
}

static char *life(int way) {
    struct model *m = fake_successor(NULL);
    if (way & SEEN_BEFORE_THE_LIST) { /* the pods are watched, the nodes are not yet */
        fake_observe_jobset(m, 2, "", "", 0.2);
        observe_pods(m, 3.2);
    }
    observe_lists(m, way, LISTED_S);
    if (way & RESTARTED) {
        CLEANUP_FREE char *status = status_at(m, 110, true);
        model_free(m);
        m = fake_successor(status);
        observe_lists(m, way, 111);
    }
    char *s = status_at(m, 200, true);
    model_free(m);
    return s;
}

TEST(a_pod_on_a_node_that_is_not_there_is_not_known_to_hold_its_slot_before_a_restart_as_after) {
    for (int way = 0; way < WAYS; way++) {
        CLEANUP_FREE char *s = life(way);
        if (status_int(s, "interruptions.total") != 0 || status_int(s, "time.availableMilliseconds") != 98000)
            harness_fail(__FILE__, __LINE__, "way %d: %.300s", way, s);
        CHECK_INT(status_int(s, "badput[bucket=Unobserved].milliseconds"), 100000);
        CHECK_TEXT(status_text(s, "availability.message"),
                   "slice 0 host 0: node n0 gives no sign of life for 100s; pod a is not known to be lost");
    }
}

/* Its Node may be observed a moment later than a pod that was just bound to it. */
TEST(a_pod_that_was_just_bound_is_not_on_a_missing_node) {
    struct model *m = fake_successor(NULL);
    fake_observe_jobset(m, 2, "", "", 0.2);
    observe_nodes(m, 3);
    observe_pods(m, 3.2);
    fake_observe_node(m, "n0", "True", -50, "", "", 3.3);
    observe_pods(m, 50);
    CLEANUP_FREE char *s = status_at(m, 200, true);
    CHECK_INT(status_int(s, "interruptions.total"), 0);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 198000);
    model_free(m);
}

/* Nobody may read the nodes: then nothing is known of any. */
TEST(where_nodes_are_not_served_none_is_missing) {
    struct model *m = fake_successor(NULL);
    fake_observe_jobset(m, 2, "", "", 0.2);
    observe_pods(m, 100);
    model_watermark(m, RESOURCE_NODE, fake_ms(100), true);
    observe_pods(m, 150);
    CLEANUP_FREE char *s = status_at(m, 200, false);
    CHECK_INT(status_int(s, "interruptions.total"), 0);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 198000);
    model_free(m);
}
