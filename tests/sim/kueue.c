/* Kueue: quota, admission checks, evictions and readmission of the one Workload. */
#include "sim.h"

#include <string.h>

static void evict(struct sim_life *l, const char *reason);

static void set(struct sim_life *l, struct sim_condition *c, bool is_true, const char *reason) {
    if (!c->is_set || c->is_true != is_true)
        c->at_ms = l->now_ms;
    c->is_set = true;
    c->is_true = is_true;
    c->reason = reason;
}

static void job_starts(struct sim_life *l, int arg) {
    (void)arg;
    if (!l->exists || l->is_finished || !l->is_suspended || !l->admitted.is_true || l->is_evicted)
        return;
    l->is_suspended = false;
    if (!l->shape.is_plain_job)
        write_jobset(l, OBSERVED_PRESENT);
    jobset_touch(l);
}

/* waitForPodsReady: not all pods of that admission are ready in time. */
static void ready_in_time(struct sim_life *l, int admission) {
    if (l->admissions == admission && l->exists && !l->is_finished && !l->is_suspended && !jobset_is_ready(l))
        workload_evict(l, "PodsReadyTimeout");
}

/* The check asks for another try, or refuses for good. */
static void check_fails(struct sim_life *l, int arg) {
    (void)arg;
    if (!l->workload_exists || !l->is_active || !l->reserved.is_true || l->admitted.is_true || l->is_finished ||
        l->evicted.is_true)
        return;
    bool is_refused = sim_chance(l, 25);
    l->check_state = is_refused ? "Rejected" : "Retry";
    write_workload(l, OBSERVED_PRESENT);
    evict(l, is_refused ? "DeactivatedDueToAdmissionCheck" : "AdmissionCheck");
}

static void admit(struct sim_life *l, int arg) {
    (void)arg;
    if (!l->workload_exists || !l->reserved.is_true || l->admitted.is_true || l->is_finished)
        return;
    l->check_state = "Ready";
    set(l, &l->admitted, true, "Admitted");
    l->admissions++;
    if (l->shape.has_ready_timeout)
        sim_at(l, sim_pick(l, 30000, 180000), ready_in_time, l->admissions);
    l->is_evicted = false;
    write_workload(l, OBSERVED_PRESENT);
    sim_at(l, sim_pick(l, 20, 300), job_starts, 0);
}

static void reserve(struct sim_life *l, int arg) {
    (void)arg;
    if (!l->workload_exists || !l->is_active || l->reserved.is_true || l->is_finished)
        return;
    set(l, &l->reserved, true, "QuotaReserved");
    if (l->evicted.is_true)
        set(l, &l->evicted, false, "QuotaReserved");
    if (l->preempted.is_true)
        set(l, &l->preempted, false, "QuotaReserved");
    if (!l->shape.has_provisioning_check && !l->shape.has_other_check) {
        admit(l, 0);
        return;
    }
    l->check_state = "Pending";
    set(l, &l->admitted, false, "UnsatisfiedAdmissionChecks");
    write_workload(l, OBSERVED_PRESENT);
    if (l->shape.has_check_retries && sim_chance(l, 35))
        sim_at(l, sim_pick(l, 1000, 90000), check_fails, 0);
    else
        sim_at(l, sim_pick(l, 1000, 90000), admit, 0);
}

static void workload_appears(struct sim_life *l, int arg) {
    (void)arg;
    if (!l->exists)
        return;
    l->workload_exists = l->is_active = true;
    l->workload_created_ms = l->now_ms;
    write_workload(l, OBSERVED_PRESENT);
    if (sim_chance(l, 60)) {
        set(l, &l->reserved, false, "Pending");
        set(l, &l->admitted, false, "NoReservation");
        l->reserved.at_ms = l->admitted.at_ms = l->now_ms;
        write_workload(l, OBSERVED_PRESENT);
        sim_at(l, sim_pick(l, 500, 300000), reserve, 0);
    } else {
        sim_at(l, sim_pick(l, 20, 800), reserve, 0);
    }
}

void workload_create(struct sim_life *l) {
    sim_at(l, sim_pick(l, 50, 900), workload_appears, 0);
}

static void job_stops(struct sim_life *l, int arg) {
    (void)arg;
    if (!l->exists || l->is_finished || l->is_suspended)
        return;
    l->is_suspended = true;
    if (!l->shape.is_plain_job)
        write_jobset(l, OBSERVED_PRESENT);
    jobset_touch(l);
}

static void reactivate(struct sim_life *l, int arg) {
    (void)arg;
    if (!l->workload_exists || l->is_active || l->is_finished)
        return;
    l->is_active = true;
    l->is_inactive_by_person = false;
    set(l, &l->requeued, true, "Reactivated");
    write_workload(l, OBSERVED_PRESENT);
    sim_at(l, sim_pick(l, 500, 60000), reserve, 0);
}

static const struct {
    const char *reason;
    enum cause cause;
    bool deactivates, by_person;
} reasons[] = {
    {"Preempted", CAUSE_KUEUE_PREEMPTION, false, false},
    {"PodsReadyTimeout", CAUSE_KUEUE_EVICTION, false, false},
    {"ClusterQueueStopped", CAUSE_KUEUE_EVICTION, false, false},
    {"LocalQueueStopped", CAUSE_KUEUE_EVICTION, false, false},
    {"NodeFailures", CAUSE_KUEUE_EVICTION, false, false},
    {"AdmissionCheck", CAUSE_KUEUE_EVICTION, false, false},
    {"FlavorMigration", CAUSE_KUEUE_EVICTION, false, false},
    {"Deactivated", CAUSE_USER_SUSPEND, true, true},
    {"DeactivatedDueToRequeuingLimitExceeded", CAUSE_KUEUE_EVICTION, true, false},
    {"DeactivatedDueToMaximumExecutionTimeExceeded", CAUSE_KUEUE_EVICTION, true, false},
    {"DeactivatedDueToAdmissionCheck", CAUSE_KUEUE_EVICTION, true, false}, /* not by chance: the last */
};

static const char *const preemptions[] = {"InClusterQueue", "InCohortReclamation", "InCohortFairSharing",
                                          "InCohortReclaimWhileBorrowing"};

static void evict(struct sim_life *l, const char *reason) {
    size_t r = 0;
    while (strcmp(reasons[r].reason, reason) != 0)
        r++;
    sim_print_story(l, reasons[r].reason);
    l->evict_reason = reasons[r].reason;
    l->evictions++;
    if (reasons[r].deactivates)
        l->is_active = false;
    l->is_inactive_by_person = reasons[r].by_person;
    l->is_evicted = !reasons[r].by_person;
    set(l, &l->evicted, true, reasons[r].reason);
    if (strcmp(reasons[r].reason, "Preempted") == 0)
        set(l, &l->preempted, true, preemptions[l->evictions % 4]);
    truth_struck(l, reasons[r].cause, reasons[r].cause == CAUSE_KUEUE_EVICTION ? reasons[r].reason : "");
    write_workload(l, OBSERVED_PRESENT);
    truth_opens(l);
    sim_at(l, sim_pick(l, 20, 300), job_stops, 0);
    jobset_touch(l);
}

void workload_evict(struct sim_life *l, const char *reason) {
    size_t r = (size_t)sim_pick(l, 0, (int64_t)(sizeof reasons / sizeof reasons[0]) - 2);
    if (!l->workload_exists || l->is_finished || !l->admitted.is_true || l->evicted.is_true)
        return;
    evict(l, reason ? reason : reasons[r].reason);
}

/* Once no pod is active the quota is given back. */
void workload_stopped(struct sim_life *l) {
    if (!l->workload_exists || !l->evicted.is_true || !l->reserved.is_true)
        return;
    for (int i = 0; i < l->pod_count; i++)
        if (l->pods[i].exists && l->pods[i].phase < 2)
            return;
    set(l, &l->reserved, false, "Pending");
    set(l, &l->admitted, false, "NoReservation");
    l->check_state = NULL;
    if (strcmp(l->evict_reason, "Preempted") == 0)
        set(l, &l->requeued, true, "BackoffFinished");
    write_workload(l, OBSERVED_PRESENT);
    if (l->is_active)
        sim_at(l, sim_pick(l, 300, 240000), reserve, 0);
    else
        sim_at(l, sim_pick(l, 5000, 240000), reactivate, 0);
}

static void finish(struct sim_life *l, int arg) {
    (void)arg;
    if (!l->workload_exists || l->finished.is_set)
        return;
    set(l, &l->finished, true, l->has_failed ? "Failed" : "Succeeded");
    write_workload(l, OBSERVED_PRESENT);
}

void workload_finish(struct sim_life *l) {
    sim_at(l, sim_pick(l, 20, 400), finish, 0);
}
