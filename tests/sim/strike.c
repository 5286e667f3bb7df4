/* What goes wrong, and when: at any time, or aimed at an awkward moment. */
#include "sim.h"

#include <string.h>

/* A pod that exists and is not yet asked to go; of the required ones first. -1: none. */
static int any_pod(struct sim_life *l, bool (*fits)(const struct sim_life *, const struct sim_pod *)) {
    int found = -1, seen = 0;
    for (int i = 0; i < l->pod_count; i++) {
        const struct sim_pod *p = &l->pods[i];
        if (!p->exists || p->is_terminating || p->has_finished || sim_slot(l, p) < 0 || !fits(l, p))
            continue;
        if (sim_pick(l, 0, seen++) == 0)
            found = i;
    }
    return found;
}

static bool runs(const struct sim_life *l, const struct sim_pod *p) {
    return p->is_running && l->nodes[p->node].exists && !l->nodes[p->node].is_silent;
}

static bool is_bound(const struct sim_life *l, const struct sim_pod *p) {
    return p->is_bound && l->nodes[p->node].exists && l->nodes[p->node].is_ready && !l->nodes[p->node].is_silent;
}

static bool is_any(const struct sim_life *l, const struct sim_pod *p) {
    return !p->is_bound || is_bound(l, p);
}

static void application_error(struct sim_life *l) {
    static const int codes[] = {1, 2, 134, 139, 255};
    int pod = any_pod(l, runs);
    if (pod < 0)
        return;
    sim_print_story(l, "application error");
    truth_struck(l, CAUSE_APPLICATION_ERROR, "");
    pod_finish(l, pod, codes[sim_pick(l, 0, 4)], "Error");
}

static void out_of_memory(struct sim_life *l) {
    int pod = any_pod(l, runs);
    if (pod < 0)
        return;
    sim_print_story(l, "out of memory");
    truth_struck(l, CAUSE_OUT_OF_MEMORY, "");
    pod_finish(l, pod, 137, "OOMKilled");
}

static void disrupt(struct sim_life *l, const char *reason, enum cause cause, int grace_s) {
    int pod = any_pod(l, is_bound);
    if (pod < 0)
        return;
    sim_print_story(l, reason);
    const struct sim_node *n = &l->nodes[l->pods[pod].node];
    if (cause != CAUSE_SCHEDULER_PREEMPTION)
        cause = node_cause(n, cause);
    truth_struck(l, cause, "");
    pod_disrupt(l, pod, reason);
    pod_delete(l, pod, grace_s);
}

static void evict_by_api(struct sim_life *l) {
    disrupt(l, "EvictionByEvictionAPI", CAUSE_EVICTION, 30);
}

static void preempt_by_scheduler(struct sim_life *l) {
    disrupt(l, "PreemptionByScheduler", CAUSE_SCHEDULER_PREEMPTION, 30);
}

static void taint_by_person(struct sim_life *l) {
    disrupt(l, "DeletionByTaintManager", CAUSE_EVICTION, 30);
}

static void delete_pod(struct sim_life *l) {
    int pod = any_pod(l, is_any);
    if (pod < 0)
        return;
    sim_print_story(l, "kubectl delete pod");
    const struct sim_node *n = l->pods[pod].is_bound ? &l->nodes[l->pods[pod].node] : NULL;
    truth_struck(l, n ? node_cause(n, CAUSE_POD_DELETED) : CAUSE_POD_DELETED, "");
    pod_delete(l, pod, 30);
}

static void kubelet_evicts(struct sim_life *l) {
    int pod = any_pod(l, runs);
    if (pod < 0)
        return;
    sim_print_story(l, "evicted by the kubelet");
    truth_struck(l, CAUSE_EVICTION, "");
    struct sim_pod *p = &l->pods[pod];
    p->is_evicted_by_kubelet = true;
    p->status_reason = "Evicted";
    write_event(l, pod, "Evicted", "Usage of EmptyDir volume \\\"tmp\\\" exceeds the limit \\\"10Mi\\\". ");
    pod_finish(l, pod, 137, "Error");
}

static void kill_node(struct sim_life *l) {
    int pod = any_pod(l, is_bound);
    if (pod >= 0)
        node_dies(l, l->pods[pod].node);
}

static void reclaim_node(struct sim_life *l) {
    int pod = any_pod(l, is_bound);
    if (pod >= 0)
        node_is_reclaimed(l, l->pods[pod].node);
}

static void evict_workload(struct sim_life *l) {
    workload_evict(l, NULL);
}

static void resume(struct sim_life *l, int arg) {
    (void)arg;
    if (!l->exists || l->is_finished || !l->is_suspended_by_person || !l->is_suspended)
        return;
    l->is_suspended = false;          /* by the person; over once the controller says so ... */
    if (l->shape.is_started_in_order) /* ... which it does only when all have started: then the spec shows it */
        l->is_suspended_by_person = false;
    if (!l->shape.is_plain_job)
        write_jobset(l, OBSERVED_PRESENT);
    jobset_touch(l);
}

static void suspend(struct sim_life *l) {
    if (l->shape.has_kueue || l->is_suspended || l->is_finished)
        return;
    sim_print_story(l, "suspended by a person");
    l->is_suspended = true;
    truth_struck(l, CAUSE_USER_SUSPEND, "");
    if (!l->shape.is_plain_job) { /* else it is in the object only when the Job's spec is written */
        l->is_suspended_by_person = true;
        write_jobset(l, OBSERVED_PRESENT);
        truth_opens(l);
    }
    jobset_touch(l);
    sim_at(l, sim_pick(l, 3000, 200000), resume, 0);
}

static void (*const strikes[])(struct sim_life *) = {
    application_error, application_error, out_of_memory,  evict_by_api, preempt_by_scheduler,
    taint_by_person,   delete_pod,        kubelet_evicts, kill_node,    kill_node,
    reclaim_node,      evict_workload,    evict_workload, suspend,
};

static void strike(struct sim_life *l, int arg) {
    (void)arg;
    if (!l->exists || l->is_finished || l->strikes_left == 0)
        return;
    l->strikes_left--;
    strikes[sim_pick(l, 0, (int64_t)(sizeof strikes / sizeof strikes[0]) - 1)](l);
    strike_plan(l);
}

/* Mostly while it trains; at times while it still comes up. */
void strike_plan(struct sim_life *l) {
    if (l->strikes_left > 0)
        sim_at(l, sim_chance(l, 30) ? sim_pick(l, 1500, 30000) : sim_pick(l, 60000, 400000), strike, 0);
}
