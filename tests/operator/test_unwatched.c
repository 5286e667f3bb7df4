/* A node that was away, and a pod that was stopped, while nobody watched: the Node shows its last transition only and
 * the pod is gone, but Events are kept for an hour. The watch is cut at 40 and the lists come at 200, or all begins
 * then. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define NOT_READY "NodeNotReady", "Node is not ready"
#define STOPPED "Killing", "Stopping container train"

enum node { BACK, DELETED, READY_ALWAYS };

struct life {
    const char *what, *reason, *message; /* of the Event at 60; NULL: it is lost */
    enum node node;                      /* n0: Ready again since 90, deleted, or nothing was the matter */
    bool stays, starts_late;             /* the pod stays; nobody watched before 200 */
    int interruptions, available_s;
    const char *cause, *evidence;
};

/* a is bound at 2 on n0; if it does not stay, b is bound at 76 on n1. The status is of 210. */
static const struct life lives[] = {
    {"the pod outlives it", NOT_READY, BACK, true, false, 1, 58 + 120, "NodeFailure",
     "Node n0: not Ready (Event NodeNotReady); pod a"},
    {"the same, and nobody watched before", NOT_READY, BACK, true, true, 1, 58 + 120, "NodeFailure",
     "Node n0: not Ready (Event NodeNotReady); pod a"},
    {"no Event tells of it", NULL, NULL, BACK, true, false, 0, 208, "", ""},
    {"the pod is replaced", NOT_READY, BACK, false, false, 1, 58 + 134, "NodeFailure",
     "Node n0: not Ready (Event NodeNotReady); pod a"},
    {"its node is deleted", NOT_READY, DELETED, false, false, 1, 58 + 134, "NodeFailure",
     "Node n0: not Ready (NodeDeleted); pod a"},
    {"its kubelet stops it", STOPPED, READY_ALWAYS, false, false, 1, 58 + 134, "Unknown", ""},
    {"a container is started again", "Killing", "Container train failed liveness probe, will be restarted",
     READY_ALWAYS, true, false, 0, 208, "", ""},
};

static struct model *new_model(const char *status) {
    struct model *m = model_new(&(struct model_options){.version = "test", .keeps_checkpoints = true});
    CLEANUP_FREE char *more = replay_left(status);
    replay_jobgoodput(m, "ns", "js", "None", more, fake_ms(0));
    return m;
}

static struct fake_pod running(const char *name, const char *node, int created) {
    struct fake_pod p = fake_running(name, node, created);
    p.job_uid = "uid-job";
    return p;
}

static void vanish(struct model *m, enum resource resource, const char *name, const char *uid) {
    CHECK_INT(model_observe(m, resource, OBSERVED_VANISHED, SLICE("ns"), slice_of(name), slice_of(uid),
                            (struct slice){0}, fake_ms(200)),
              0);
}

static void list_pods(struct model *m, const struct life *l) {
    struct fake_pod a = running("a", "n0", 1), b = running("b", "n1", 75);
    if (l->stays)
        fake_tell_pod(m, &a, OBSERVED_PRESENT, 200);
    else
        fake_tell_pod(m, &b, OBSERVED_PRESENT, 200);
    if (!l->stays)
        vanish(m, RESOURCE_POD, "a", "uid-a");
}

static void list_nodes(struct model *m, const struct life *l) {
    fake_tell_node(m, "n1", "True", -100, "", "", 200);
    if (l->node == DELETED)
        vanish(m, RESOURCE_NODE, "n0", "");
    else
        fake_tell_node(m, "n0", "True", l->node == BACK ? 90 : -100, "", "", 200);
}

/* In each order of the three lists. */
static void tell_lists(struct model *m, const struct life *l, int order) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    fake_tell_jobset(m, 1, "", "", 200);
    fake_tell_job_status(m, 1, l->stays ? "" : "\"failed\":1", 200); /* no other held the slot */
    for (int i = 0; i < 3; i++)
        if (orders[order][i] == 0)
            list_pods(m, l);
        else if (orders[order][i] == 1)
            list_nodes(m, l);
        else if (l->reason)
            fake_tell_event(m, "a", l->reason, l->message, 60);
}

static void tell_all(struct model *m, double at) {
    model_watermark(m, RESOURCE_POD, fake_ms(at), false);
    model_watermark(m, RESOURCE_NODE, fake_ms(at), false);
}

/* has_successor: which finds the lists of 205, and the Events have run out. */
static char *status_of(const struct life *l, int order, bool has_successor) {
    struct model *m = new_model(NULL);
    if (!l->starts_late) {
        struct fake_pod a = running("a", "n0", 1);
        fake_tell_jobset(m, 1, "", "", 0.2);
        fake_tell_job(m, 1, 1.1);
        fake_tell_node(m, "n0", "True", -100, "", "", 0.5);
        fake_tell_node(m, "n1", "True", -100, "", "", 0.5);
        fake_tell_pod(m, &a, OBSERVED_PRESENT, 3.1);
        tell_all(m, 40);
    }
    tell_lists(m, l, order);
    tell_all(m, 200);
    if (has_successor) {
        CLEANUP_FREE char *status = replay_status(m, "ns", "js", fake_ms(201), NULL);
        struct fake_pod a = running("a", "n0", 1), b = running("b", "n1", 75);
        model_free(m);
        m = new_model(status);
        fake_tell_jobset(m, 1, "", "", 205);
        fake_tell_job_status(m, 1, l->stays ? "" : "\"failed\":1", 205);
        fake_tell_pod(m, l->stays ? &a : &b, OBSERVED_PRESENT, 205);
        fake_tell_node(m, "n1", "True", -100, "", "", 205);
        if (l->node != DELETED)
            fake_tell_node(m, "n0", "True", l->node == BACK ? 90 : -100, "", "", 205);
    }
    tell_all(m, 210);
    char *s = replay_status(m, "ns", "js", fake_ms(210), NULL);
    model_free(m);
    return s;
}

TEST(events_tell_of_what_nobody_watched) {
    for (size_t i = 0; i < ARRAY_SIZE(lives); i++)
        for (int k = 0; k < 12; k++) {
            const struct life *l = &lives[i];
            CLEANUP_FREE char *s = status_of(l, k % 6, k >= 6);
            if (status_int(s, "interruptions.total") != l->interruptions ||
                status_int(s, "time.availableMs") != l->available_s * 1000)
                harness_fail(__FILE__, __LINE__, "%s (%d): %lld interruptions, available %lld ms", l->what, k,
                             (long long)status_int(s, "interruptions.total"),
                             (long long)status_int(s, "time.availableMs"));
            CHECK_INT(status_int(s, "time.wallMs"), 210000);
            if (l->interruptions > 0) /* the Event's time */
                CHECK_TEXT(status_text(s, "executions[number=1].end"), "2026-11-21T02:01:00.000Z");
            CHECK_TEXT(status_text(s, "executions[number=1].cause"), l->cause);
            CHECK_TEXT(status_text(s, "executions[number=1].evidence"), l->evidence);
        }
}

/* Without an Event nobody knows until when the slot was held: that is Unattributed, as before. */
TEST(without_an_event_a_pod_that_is_gone_held_its_slot_for_all_that_is_known) {
    const struct life l = {.what = "replaced", .node = BACK};
    CLEANUP_FREE char *s = status_of(&l, 0, false);
    CHECK_INT(status_int(s, "time.availableMs"), 208000 - 1000); /* b was created at 75 and bound at 76 */
}
