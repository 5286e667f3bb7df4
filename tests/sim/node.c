/* The scheduler, the kubelets and the node lifecycle controller. */
#include "base/mem.h"
#include "sim.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define LEASE_MS 10000

/* ---- nodes ---- */

static void node_free(struct sim_life *l, int pod) {
    for (int n = 0; n < l->node_count; n++)
        if (l->nodes[n].pod == pod)
            l->nodes[n].pod = -1;
}

void node_add(struct sim_life *l) {
    if (l->node_count == SIM_MAX_NODES)
        return;
    struct sim_node *n = &l->nodes[l->node_count];
    *n = (struct sim_node){.exists = true,
                           .is_ready = true,
                           .is_spot = l->shape.is_spot_pool,
                           .ready_ms = l->now_ms,
                           .renewed_ms = l->now_ms,
                           .taint_ms = NOT_YET,
                           .maintenance_ms = NOT_YET,
                           .deletion_ms = NOT_YET,
                           .reason = "KubeletReady",
                           .status = "True",
                           .pod = -1};
    snprintf(n->name, sizeof n->name, "node-%d", l->node_count);
    write_node(l, l->node_count++, OBSERVED_PRESENT);
}

void nodes_create(struct sim_life *l) {
    int slots = 0;
    for (int g = 0; g < l->shape.group_count; g++)
        slots += l->shape.groups[g].replicas * l->shape.groups[g].stride;
    for (int i = 0; i < slots + l->shape.spare_nodes; i++)
        node_add(l);
}

static void node_deleted(struct sim_life *l, int node) {
    struct sim_node *n = &l->nodes[node];
    if (!n->exists)
        return;
    n->exists = false;
    n->is_ready = false;
    n->is_visible = true;
    write_node(l, node, OBSERVED_DELETED);
    for (int i = 0; i < l->pod_count; i++) { /* PodGC */
        struct sim_pod *p = &l->pods[i];
        if (!p->exists || !p->is_bound || p->node != node)
            continue;
        if (!p->is_terminating && !p->has_finished) {
            truth_struck(l, n->is_silent ? n->death_cause : CAUSE_NODE_FAILURE, "");
            pod_disrupt(l, i, "DeletionByPodGC");
        }
        p->is_terminating = true;
        p->exists = false;
        p->is_running = p->is_pulling = false;
        write_pod(l, i, OBSERVED_DELETED);
        job_touch(l, p->job);
    }
    n->pod = -1;
}

/* What was planned for a node at one of its deaths: the node and which death. */
static bool is_same_death(const struct sim_life *l, int plan) {
    return l->nodes[plan % SIM_MAX_NODES].deaths == plan / SIM_MAX_NODES;
}

static void node_replaced(struct sim_life *l, int plan) {
    int node = plan % SIM_MAX_NODES;
    struct sim_node *n = &l->nodes[node];
    if (!is_same_death(l, plan) || n->status[0] == 'T')
        return;
    node_deleted(l, node);
    n->exists = n->is_ready = true; /* the same name: the instance was made again */
    n->is_silent = n->is_visible = false;
    n->taint_ms = n->maintenance_ms = n->deletion_ms = NOT_YET;
    n->ready_ms = l->now_ms;
    n->reason = "KubeletReady";
    n->status = "True";
    write_node(l, node, OBSERVED_PRESENT);
}

static void node_back(struct sim_life *l, int plan) {
    int node = plan % SIM_MAX_NODES;
    struct sim_node *n = &l->nodes[node];
    if (!is_same_death(l, plan) || !n->exists || !n->is_silent)
        return;
    sim_print_story(l, "node back");
    for (int i = 0; i < l->pod_count; i++) {
        const struct sim_pod *p = &l->pods[i];
        if (p->exists && p->is_bound && p->node == node && !p->is_terminating && !p->is_disrupted && !p->has_finished)
            l->comes_back[node][n->deaths] = i + 1;
    }
    n->is_ready = true;
    n->is_silent = n->is_visible = false;
    n->ready_ms = l->now_ms;
    n->taint_ms = NOT_YET;
    n->reason = "KubeletReady";
    n->status = "True";
    write_node(l, node, OBSERVED_PRESENT);
}

static void taint_evicts(struct sim_life *l, int node) {
    struct sim_node *n = &l->nodes[node];
    if (!n->exists || !n->is_visible || l->now_ms - n->ready_ms < l->shape.toleration_s * 1000)
        return;
    for (int i = 0; i < l->pod_count; i++) {
        struct sim_pod *p = &l->pods[i];
        if (!p->exists || p->is_terminating || !p->is_bound || p->node != node)
            continue;
        pod_disrupt(l, i, "DeletionByTaintManager");
        pod_delete(l, i, 30);
    }
}

/* Ready turns Unknown once the lease is 40 s old. */
static void node_shows(struct sim_life *l, int node) {
    struct sim_node *n = &l->nodes[node];
    if (!n->exists || !n->is_silent)
        return;
    n->is_visible = true;
    n->is_ready = false;
    n->ready_ms = n->taint_ms = l->now_ms;
    n->status = "Unknown";
    n->reason = "NodeStatusUnknown";
    n->taint = "node.kubernetes.io/unreachable";
    n->taint_effect = "NoExecute";
    write_node(l, node, OBSERVED_PRESENT);
    write_lease(l, node);
    for (int i = 0; i < l->pod_count; i++) {
        struct sim_pod *p = &l->pods[i];
        if (p->exists && p->is_bound && p->node == node && p->ready_ms != NOT_YET) {
            p->unready_ms = l->now_ms;
            write_pod(l, i, OBSERVED_PRESENT);
            write_event(l, i, "NodeNotReady", "Node is not ready");
        }
    }
    sim_at(l, l->shape.toleration_s * 1000 + 50, taint_evicts, node);
}

bool node_comes_back(const struct sim_life *l, int node, int pod) {
    int with = l->comes_back[node][l->nodes[node].deaths];
    return pod < 0 ? with > 0 : with == pod + 1;
}

/* A pod that was asked to leave, and then is lost in whatever way, is lost because of that. */
enum cause node_cause(const struct sim_node *n, enum cause otherwise) {
    bool has_notice = n->taint_ms != NOT_YET && strstr(n->taint, "impending-node-termination");
    return !has_notice ? otherwise : n->is_spot ? CAUSE_SPOT_RECLAIM : CAUSE_NODE_MAINTENANCE;
}

void node_dies(struct sim_life *l, int node) {
    struct sim_node *n = &l->nodes[node];
    if (!n->exists || n->is_silent || !n->is_ready)
        return;
    sim_print_story(l, "node dies");
    n->is_silent = true;
    n->renewed_ms = l->now_ms; /* dies in the moment of a renewal, or right after: its last sign of life */
    n->death_cause = node_cause(n, CAUSE_NODE_FAILURE);
    assert(n->deaths + 1 < SIM_MAX_DEATHS);
    n->deaths++;
    if (!node_comes_back(l, node, n->pod)) {
        /* A node has one taint here: unreachable takes the place of the notice, which real nodes keep as well. */
        l->truth.is_ambiguous |= n->death_cause != CAUSE_NODE_FAILURE;
        truth_struck(l, n->death_cause, "");
    }
    for (int i = 0; i < l->pod_count; i++) { /* a container that is back, and no object showed it */
        const struct sim_pod *p = &l->pods[i];
        l->truth.is_ambiguous |= p->exists && p->is_bound && p->node == node && p->is_running && p->restart_count > 0 &&
                                 p->started_ms != p->true_started_ms;
    }
    sim_at(l, 40000 + sim_pick(l, 0, 10000), node_shows, node);
    int plan = n->deaths * SIM_MAX_NODES + node;
    if (sim_chance(l, 40))
        sim_at(l, 55000 + sim_pick(l, 0, 100000), node_back, plan);
    sim_at(l, 170000 + sim_pick(l, 0, 60000), node_replaced, plan);
}

/* ---- the kubelet ---- */

static bool can_speak(const struct sim_life *l, const struct sim_pod *p) {
    return p->node >= 0 && l->nodes[p->node].exists && !l->nodes[p->node].is_silent;
}

static void pod_deleted(struct sim_life *l, int pod) {
    struct sim_pod *p = &l->pods[pod];
    if (!p->exists)
        return;
    p->exists = false;
    p->is_running = p->is_pulling = false;
    write_pod(l, pod, OBSERVED_DELETED);
    node_free(l, pod);
    job_touch(l, p->job);
}

/* The kubelet's status writes come some time after the facts. */
static void kubelet_writes(struct sim_life *l, int pod) {
    struct sim_pod *p = &l->pods[pod];
    if (!p->exists)
        return;
    if (!can_speak(l, p)) {
        if (p->node >= 0 && l->nodes[p->node].exists)
            sim_at(l, 5000, kubelet_writes, pod);
        return;
    }
    if (p->has_started && (p->is_running || p->has_finished) && p->started_ms != p->true_started_ms) {
        p->started_ms = p->true_started_ms;
        p->phase = 1;
        p->waiting = NULL;
        p->ready_ms = l->now_ms;
        p->unready_ms = NOT_YET;
    }
    if (p->has_finished && p->finished_ms == NOT_YET) {
        p->finished_ms = p->true_finished_ms;
        p->exit_code = p->true_exit;
        p->exit_reason = p->true_reason;
        p->phase = p->true_exit == 0 ? 2 : 3;
        p->unready_ms = l->now_ms;
        if (p->is_terminating)
            sim_at(l, sim_pick(l, 50, 600), pod_deleted, pod);
        node_free(l, pod);
        job_touch(l, p->job);
    }
    write_pod(l, pod, OBSERVED_PRESENT);
    jobset_touch(l);
}

static void container_completes(struct sim_life *l, int pod) {
    if (l->pods[pod].is_running && !l->pods[pod].is_terminating)
        pod_finish(l, pod, 0, "Completed");
}

static void container_starts(struct sim_life *l, int pod) {
    struct sim_pod *p = &l->pods[pod];
    if (!p->exists || p->is_terminating || p->has_finished || p->has_started)
        return;
    if (!can_speak(l, p)) {
        sim_at(l, 10000, container_starts, pod);
        return;
    }
    p->has_started = p->is_running = true;
    p->true_started_ms = l->now_ms;
    if (l->shape.has_initializer && p->group == 0)
        sim_at(l, sim_pick(l, 1000, 60000), container_completes, pod);
    sim_at(l, sim_pick(l, 100, 900), kubelet_writes, pod);
}

static void pull_backs_off(struct sim_life *l, int pod) {
    struct sim_pod *p = &l->pods[pod];
    if (!p->exists || !p->is_pulling || !can_speak(l, p))
        return;
    p->waiting = "ImagePullBackOff";
    write_pod(l, pod, OBSERVED_PRESENT);
}

static void pull_ends(struct sim_life *l, int pod);

static void pull_again(struct sim_life *l, int pod) {
    struct sim_pod *p = &l->pods[pod];
    if (!p->exists || !p->is_pulling || !can_speak(l, p))
        return;
    p->schedulable_from_ms = l->now_ms;
    write_event(l, pod, "Pulling", "Pulling image \\\"train:v1\\\"");
    sim_at(l, sim_pick(l, 1500, 30000), pull_ends, pod);
}

static void pull_ends(struct sim_life *l, int pod) {
    struct sim_pod *p = &l->pods[pod];
    char text[160];
    if (!p->exists || !p->is_pulling)
        return;
    if (l->shape.has_pull_trouble && sim_chance(l, 35)) {
        p->waiting = "ErrImagePull";
        write_pod(l, pod, OBSERVED_PRESENT);
        sim_at(l, sim_pick(l, 500, 2000), pull_backs_off, pod);
        sim_at(l, sim_pick(l, 8000, 20000), pull_again, pod);
        return;
    }
    p->is_pulling = false;
    p->is_pulled = true;
    int64_t ms = l->now_ms - p->schedulable_from_ms;
    snprintf(text, sizeof text,
             "Successfully pulled image \\\"train:v1\\\" in %lld.%03llds (%lld.%03llds including waiting). Image size: "
             "4269694 bytes.",
             (long long)(ms / 1000), (long long)(ms % 1000), (long long)(ms / 1000), (long long)(ms % 1000));
    write_event(l, pod, "Pulled", text);
    sim_at(l, sim_pick(l, 300, 3000), container_starts, pod);
}

static void pull_begins(struct sim_life *l, int pod) {
    struct sim_pod *p = &l->pods[pod];
    if (!p->exists || p->is_terminating || p->has_finished)
        return;
    if (!can_speak(l, p)) {
        sim_at(l, 10000, pull_begins, pod);
        return;
    }
    if (sim_chance(l, 50)) {
        write_event(l, pod, "Pulled", "Container image \\\"train:v1\\\" already present on machine");
        sim_at(l, sim_pick(l, 300, 3000), container_starts, pod);
        return;
    }
    p->is_pulling = true;
    p->schedulable_from_ms = p->first_pull_ms = l->now_ms;
    write_event(l, pod, "Pulling", "Pulling image \\\"train:v1\\\"");
    sim_at(l, sim_pick(l, 1500, 30000), pull_ends, pod);
}

static void kubelet_sees(struct sim_life *l, int pod) {
    struct sim_pod *p = &l->pods[pod];
    if (!p->exists || p->is_terminating || !can_speak(l, p))
        return;
    p->waiting = "ContainerCreating";
    write_pod(l, pod, OBSERVED_PRESENT);
}

static void container_back(struct sim_life *l, int pod) {
    struct sim_pod *p = &l->pods[pod];
    if (!p->exists || p->is_terminating || p->has_finished || p->is_running)
        return;
    if (!can_speak(l, p)) {
        sim_at(l, 10000, container_back, pod);
        return;
    }
    p->is_running = true;
    p->true_started_ms = l->now_ms;
    p->finished_ms = NOT_YET;
    p->restart_count++;
    sim_at(l, sim_pick(l, 100, 900), kubelet_writes, pod);
}

static void back_off_shows(struct sim_life *l, int pod) {
    struct sim_pod *p = &l->pods[pod];
    if (!p->exists || p->is_running || p->has_finished || !can_speak(l, p))
        return;
    p->last_started_ms = p->true_started_ms;
    p->last_finished_ms = p->true_finished_ms;
    p->last_exit_code = p->true_exit;
    p->last_reason = p->true_reason;
    p->waiting = "CrashLoopBackOff";
    p->started_ms = NOT_YET;
    p->unready_ms = l->now_ms;
    write_pod(l, pod, OBSERVED_PRESENT);
}

void pod_finish(struct sim_life *l, int pod, int exit_code, const char *reason) {
    struct sim_pod *p = &l->pods[pod];
    if (!p->exists || p->has_finished)
        return;
    p->true_finished_ms = l->now_ms;
    p->true_exit = exit_code;
    p->true_reason = reason;
    if (exit_code != 0 && l->shape.restarts_in_place && !p->is_terminating && !p->is_evicted_by_kubelet) {
        p->is_running = false;
        truth_restarted_in_place(l);
        sim_at(l, sim_pick(l, 100, 500), back_off_shows, pod);
        sim_at(l, sim_pick(l, 2000, 20000), container_back, pod);
        return;
    }
    p->has_finished = true;
    p->is_running = p->is_pulling = false;
    p->is_failed = exit_code != 0;
    p->is_succeeded = exit_code == 0 && !p->is_terminating;
    sim_at(l, sim_pick(l, 100, 900), kubelet_writes, pod);
}

/* ---- going ---- */

/* Nothing ends any more: its last end was the end. */
static void finish_in_back_off(struct sim_life *l, int pod) {
    l->pods[pod].has_finished = l->pods[pod].is_failed = true;
    sim_at(l, sim_pick(l, 100, 900), kubelet_writes, pod);
}

static void container_killed(struct sim_life *l, int pod) {
    struct sim_pod *p = &l->pods[pod];
    if (!p->exists || p->has_finished)
        return;
    if (!can_speak(l, p)) {
        if (l->nodes[p->node].exists)
            sim_at(l, 5000, container_killed, pod);
        return;
    }
    if (!p->has_started) {
        p->has_finished = true;
        p->is_pulling = false;
        pod_deleted(l, pod);
        return;
    }
    if (!p->is_running) {
        finish_in_back_off(l, pod);
        return;
    }
    /* One that handles the signal ends with 0; the Job has to have counted it, or its index would be complete. */
    pod_finish(l, pod, p->was_counted && sim_chance(l, 60) ? 0 : sim_chance(l, 70) ? 143 : 137, "Error");
}

void pod_disrupt(struct sim_life *l, int pod, const char *reason) {
    struct sim_pod *p = &l->pods[pod];
    p->is_disrupted = true;
    p->disruption_reason = reason;
    p->disruption_ms = l->now_ms;
    write_pod(l, pod, OBSERVED_PRESENT);
}

void pod_delete(struct sim_life *l, int pod, int grace_s) {
    struct sim_pod *p = &l->pods[pod];
    if (!p->exists || p->is_terminating)
        return;
    p->is_terminating = true;
    p->grace_s = p->is_bound ? grace_s : 0;
    p->deletion_ms = l->now_ms;
    job_touch(l, p->job);
    if (!p->is_bound || p->finished_ms != NOT_YET) {
        if (p->is_bound)
            write_pod(l, pod, OBSERVED_PRESENT);
        pod_deleted(l, pod);
        return;
    }
    write_pod(l, pod, OBSERVED_PRESENT);
    if (p->is_running && can_speak(l, p))
        write_event(l, pod, "Killing", "Stopping container train");
    if (!p->has_finished)
        sim_at(l, sim_pick(l, 20, sim_chance(l, 50) ? 900 : 1 + grace_s * 900), container_killed, pod);
}

/* ---- the scheduler ---- */

static void schedule(struct sim_life *l, int pod) {
    struct sim_pod *p = &l->pods[pod];
    if (!p->exists || p->is_terminating || p->is_bound || p->is_gated)
        return;
    int node = -1;
    for (int n = 0; n < l->node_count && node < 0; n++)
        if (l->nodes[n].exists && l->nodes[n].is_ready && !l->nodes[n].is_cordoned && l->nodes[n].pod < 0 &&
            l->nodes[n].taint_ms == NOT_YET)
            node = n;
    if (node < 0) {
        if (!p->is_unschedulable) {
            p->is_unschedulable = true;
            p->unschedulable_ms = l->now_ms;
            write_pod(l, pod, OBSERVED_PRESENT);
        }
        sim_at(l, sim_pick(l, 500, 4000), schedule, pod);
        return;
    }
    p->is_bound = true;
    p->node = node;
    memcpy(p->node_name, l->nodes[node].name, sizeof p->node_name);
    p->bound_ms = l->now_ms;
    l->nodes[node].pod = pod;
    write_pod(l, pod, OBSERVED_PRESENT);
    sim_at(l, sim_pick(l, 20, 400), kubelet_sees, pod);
    sim_at(l, sim_pick(l, 500, 4000), pull_begins, pod);
}

static void gate_lifted(struct sim_life *l, int pod) {
    struct sim_pod *p = &l->pods[pod];
    if (!p->exists || p->is_terminating)
        return;
    p->is_gated = false;
    write_pod(l, pod, OBSERVED_PRESENT);
    sim_at(l, sim_pick(l, 20, 300), schedule, pod);
}

void pod_created(struct sim_life *l, int pod) {
    struct sim_pod *p = &l->pods[pod];
    p->is_gated = l->shape.has_gates && l->workload_exists;
    if (p->is_gated)
        sim_at(l, sim_pick(l, 500, 8000), gate_lifted, pod);
    else
        sim_at(l, sim_pick(l, 20, 1500), schedule, pod);
    write_pod(l, pod, OBSERVED_PRESENT);
}

/* ---- a node that is taken away with notice ---- */

static void node_shuts_down(struct sim_life *l, int node) {
    struct sim_node *n = &l->nodes[node];
    if (!n->exists || n->is_silent)
        return;
    for (int i = 0; i < l->pod_count; i++) {
        struct sim_pod *p = &l->pods[i];
        bool is_here = p->exists && p->is_bound && p->node == node;
        l->truth.is_ambiguous |= is_here && p->is_evicted_by_kubelet && l->now_ms - p->true_finished_ms < 1500;
        if (!is_here || p->has_finished || p->is_terminating)
            continue;
        truth_struck(l, n->is_spot ? CAUSE_SPOT_RECLAIM : CAUSE_NODE_MAINTENANCE, "");
        if (!p->is_disrupted)
            pod_disrupt(l, i, "TerminationByKubelet");
        p->status_reason = "Terminated";
        p->is_evicted_by_kubelet = true;
        if (p->has_started && !p->is_running)
            finish_in_back_off(l, i);
        else
            pod_finish(l, i, p->has_started ? 143 : 137, "Error");
    }
    n->is_ready = false;
    n->ready_ms = l->now_ms;
    n->status = "False";
    n->reason = "KubeletNotReady";
    n->is_visible = true;
    write_node(l, node, OBSERVED_PRESENT);
    assert(n->deaths + 1 < SIM_MAX_DEATHS);
    sim_at(l, sim_pick(l, 10000, 60000), node_replaced, ++n->deaths * SIM_MAX_NODES + node);
}

void node_is_reclaimed(struct sim_life *l, int node) {
    struct sim_node *n = &l->nodes[node];
    if (!n->exists || n->is_silent || !n->is_ready || n->taint_ms != NOT_YET)
        return;
    sim_print_story(l, n->is_spot ? "spot node reclaimed" : "node maintenance");
    n->taint = "cloud.google.com/impending-node-termination";
    n->taint_effect = "NoSchedule";
    n->taint_ms = l->now_ms;
    if (!n->is_spot)
        n->maintenance_ms = l->now_ms;
    write_node(l, node, OBSERVED_PRESENT);
    sim_at(l, sim_pick(l, 1000, 25000), node_shuts_down, node);
}
