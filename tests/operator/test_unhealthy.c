/* Topology-aware scheduling replaces a node that failed: what Kueue says of it (the Workload's status.unhealthyNodes, a
 * pod's condition TerminatedByKueue) as evidence of why a pod was lost. The entry has the same shape in v1beta1 and
 * v1beta2, has no time, and is removed once the node is replaced. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

#define NAMED "Workload wl: status.unhealthyNodes names n0"

static void show_workload(struct model *m, const char *node, double at) {
    CLEANUP_FREE char *more = node ? mem_format(",\"unhealthyNodes\":[{\"name\":\"%s\"}]", node) : mem_strdup("");
    CLEANUP_FREE char *conditions = mem_format("%s,%s", fake_condition("QuotaReserved", "True", "QuotaReserved", 4),
                                               fake_condition("Admitted", "True", "Admitted", 4));
    fake_observe_workload_status(m, conditions, more, at);
}

static struct model *new_model(const char *more) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
    replay_jobgoodput(m, "ns", "js", "None", more, fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    return m;
}

enum end { TAINTED, DELETED, VANISHED, FAILED, ENDED_BY_KUEUE };

/* Pod a runs on n0 from 6 on, Kueue names n0 at `named`, a is lost at 60 and b takes its place at 70, when the entry is
 * taken back. */
struct life {
    const char *what;
    enum end end;
    double named; /* 0: never */
    const char *node,
        *ready; /* the node that is named; what n0's condition Ready is from 55 on, NULL: there is no Node */
    const char *cause, *evidence;
};

static void observe_loss(struct model *m, struct fake_pod a, enum end end) {
    if (end == TAINTED)
        a.disruption = "DeletionByTaintManager";
    if (end == TAINTED || end == DELETED)
        a.asked_to_go = 60;
    if (end == FAILED) {
        a.finished = 60;
        a.exit_code = 7;
    }
    if (end == FAILED || end == ENDED_BY_KUEUE)
        a.phase = "Failed";
    if (end == ENDED_BY_KUEUE)
        a.failed_by_kueue = 60;
    if (end == VANISHED) {
        fake_observe(m, RESOURCE_POD, OBSERVED_VANISHED, "a", "uid-a", NULL, 60);
        return;
    }
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 60.5);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 66);
}

static char *status_of(const struct life *l, bool has_successor) {
    struct model *m = new_model("");
    struct fake_pod a = fake_running("a", "n0", 5), b = fake_running("b", "n1", 69);
    show_workload(m, NULL, 4.1);
    if (l->ready)
        fake_observe_node(m, "n0", "True", -100, "", "", 0.5);
    fake_observe_node(m, "n1", "True", -100, "", "", 0.5);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 7.1);
    if (l->ready && l->ready[0] != 'T')
        fake_observe_node(m, "n0", l->ready, 55, "", "", 55.1);
    if (l->named > 0 && l->named < 60)
        show_workload(m, l->node, l->named);
    observe_loss(m, a, l->end);
    if (l->named >= 60)
        show_workload(m, l->node, l->named);
    show_workload(m, NULL, 70.1);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 71.1);
    if (has_successor) { /* which finds neither the pod nor the entry */
        CLEANUP_FREE char *status = replay_status(m, "ns", "js", fake_ms(72), NULL);
        model_free(m);
        CLEANUP_FREE char *more = replay_left(status);
        m = new_model(more);
        show_workload(m, NULL, 73);
        fake_observe_node(m, "n1", "True", -100, "", "", 73);
        fake_observe_pod(m, &b, OBSERVED_PRESENT, 73.1);
    }
    char *s = replay_status(m, "ns", "js", fake_ms(100), NULL);
    model_free(m);
    return s;
}

static const struct life lives[] = {
    {"the node was not Ready", TAINTED, 58, "n0", "Unknown", "NodeFailure",
     "Pod a: DisruptionTarget=True/DeletionByTaintManager on node n0 that was not Ready: so \"it\" is; " NAMED},
    {"the node was not Ready, and the pod says nothing", DELETED, 58, "n0", "Unknown", "NodeFailure",
     "Node n0: not Ready (NodeStatusUnknown); pod a; " NAMED},
    {"a custom taint", TAINTED, 58, "n0", "True", "NodeFailure",
     "Pod a: DisruptionTarget=True/DeletionByTaintManager on node n0: so \"it\" is; " NAMED},
    {"declared once the pod was asked to go", TAINTED, 62, "n0", "True", "NodeFailure",
     "Pod a: DisruptionTarget=True/DeletionByTaintManager on node n0: so \"it\" is; " NAMED},
    {"no Node object", TAINTED, 58, "n0", NULL, "NodeFailure",
     "Pod a: DisruptionTarget=True/DeletionByTaintManager on node n0: so \"it\" is; " NAMED},
    {"another node is named", TAINTED, 58, "n7", "True", "Eviction",
     "Pod a: DisruptionTarget=True/DeletionByTaintManager on node n0: so \"it\" is"},
    {"none is named", TAINTED, 0, NULL, "True", "Eviction",
     "Pod a: DisruptionTarget=True/DeletionByTaintManager on node n0: so \"it\" is"},
    {"deleted there", DELETED, 58, "n0", "True", "NodeFailure", "Pod a: deleted on node n0: " NAMED},
    {"deleted, and declared since", DELETED, 63, "n0", "True", "PodDeleted",
     "Pod a: deleted on node n0, neither by its Job nor its JobSet"},
    {"nothing else is known of its end", VANISHED, 58, "n0", "True", "NodeFailure", "Pod a: lost on node n0: " NAMED},
    {"nothing at all is", VANISHED, 0, NULL, "True", "Unknown", ""},
    {"it failed by itself", FAILED, 58, "n0", "True", "ApplicationError",
     "Pod a: container train terminated with exit 7 (Error) on node n0"},
    {"Kueue ended a pod that had its node", ENDED_BY_KUEUE, 0, NULL, "True", "NodeFailure",
     "Pod a: TerminatedByKueue=True on node n0: so \"it\" is"},
};

TEST(kueue_says_that_the_node_failed) {
    for (size_t i = 0; i < ARRAY_SIZE(lives); i++)
        for (int k = 0; k < 2; k++) {
            CLEANUP_FREE char *s = status_of(&lives[i], k);
            CHECK_INT(status_int(s, "interruptions.total"), 1);
            if (strcmp(status_text(s, "executions[number=1].cause"), lives[i].cause) != 0)
                harness_fail(__FILE__, __LINE__, "%s (%d): %s", lives[i].what, k,
                             status_text(s, "executions[number=1].cause"));
            if (strcmp(status_text(s, "executions[number=1].evidence"), lives[i].evidence) != 0)
                harness_fail(__FILE__, __LINE__, "%s (%d): %s", lives[i].what, k,
                             status_text(s, "executions[number=1].evidence"));
        }
}

/* A slot that never was available was not interrupted: Kueue ends the pod unbound, the Job makes another one. */
TEST(a_first_pod_that_kueue_ends_is_not_an_interruption) {
    struct model *m = new_model("");
    show_workload(m, NULL, 4.1);
    fake_observe_node(m, "n1", "True", -100, "", "", 0.5);
    struct fake_pod a = fake_pod("a", 0, 5), b = fake_running("b", "n1", 39);
    a.unschedulable = 6;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 6.1);
    show_workload(m, "n0", 29.9);
    a.phase = "Failed";
    a.failed_by_kueue = 30;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 30.1);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 38);
    show_workload(m, NULL, 38);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 41.1);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(100), NULL);
    CHECK_INT(status_int(s, "interruptions.total"), 0);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 60000);
    CHECK_INT(status_int(s, "badput[bucket=Provisioning].milliseconds"), 24100); /* it waited for a node from 6 on */
    model_free(m);
}
