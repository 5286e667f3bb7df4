/* What kind of job a life is of, and its slots. */
#include "sim.h"

#include <stdio.h>

/* Later additions to the simulator draw from a separate random stream: the lives of the seeds without them stay. */
static int twist(uint64_t *rng, int low, int high) {
    *rng = *rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (int)((*rng >> 33) % (uint64_t)(high - low + 1));
}

static bool may(uint64_t *rng, int percent) {
    return twist(rng, 1, 100) <= percent;
}

static void add_group(struct sim_shape *s, const char *name, int replicas, int pods, int chips) {
    int g = s->group_count++;
    snprintf(s->groups[g].name, sizeof s->groups[g].name, "%s", name);
    s->groups[g].replicas = replicas;
    s->groups[g].pods = s->groups[g].stride = pods;
    s->groups[g].chips = chips;
}

/* ---- how the JobSet controller treats it ---- */

static void add_initializer(struct sim_shape *s) {
    for (int g = s->group_count++; g > 0; g--)
        s->groups[g] = s->groups[g - 1];
    int end = s->group_count;
    s->group_count = 0;
    add_group(s, "init", 1, 1, 0);
    s->group_count = end;
    s->has_initializer = true;
    s->has_dependency = false;
}

static void choose_policies(struct sim_life *l, uint64_t *rng) {
    struct sim_shape *s = &l->shape;
    s->rule_group = -1;
    if (s->is_plain_job)
        return;
    if (may(rng, 12) && s->group_count < SIM_MAX_GROUPS)
        add_initializer(s);
    else if (may(rng, 15) && s->group_count > 1 && !s->has_dependency)
        s->is_started_in_order = true;
    if (may(rng, 35)) {
        s->rule = (enum rule)twist(rng, FAIL_JOBSET, RESTART_ONE_JOB_AND_IGNORE);
        s->rule_group = may(rng, 40) ? twist(rng, 0, s->group_count - 1) : -1;
    }
    if (may(rng, 25))
        s->success = s->has_driver && may(rng, 60) ? ALL_TRAINERS : ANY_TRAINER;
    s->names_required = s->group_count > 1 && !s->has_initializer && may(rng, 15);
    s->is_managed_elsewhere = !s->has_kueue && may(rng, 2);
}

void shape_choose(struct sim_life *l) {
    struct sim_shape *s = &l->shape;
    uint64_t rng = l->seed * 1009 + 17;
    static const int tolerations[] = {5, 30, 300};
    static const char *const names[] = {"slice0", "slice1"};
    s->is_plain_job = sim_chance(l, 20);
    s->has_kueue = sim_chance(l, 50);
    s->has_provisioning_check = s->has_kueue && sim_chance(l, 20);
    s->has_other_check = s->has_kueue && !s->has_provisioning_check && sim_chance(l, 10);
    s->has_gates = s->has_kueue && sim_chance(l, 20);
    s->is_spot_pool = sim_chance(l, 30);
    s->restarts_in_place = sim_chance(l, 20);
    s->strategy = (enum restart_strategy)sim_pick(l, RECREATE, RESTART_JOB);
    s->max_restarts = (int)sim_pick(l, 0, 6);
    s->backoff_limit = sim_chance(l, 50) ? 0 : 6;
    s->spare_nodes = (int)sim_pick(l, 0, 2);
    s->toleration_s = tolerations[sim_pick(l, 0, 2)];
    int trainers = s->is_plain_job ? 1 : (int)sim_pick(l, 1, 2);
    s->has_driver = !s->is_plain_job && sim_chance(l, 25);
    s->has_dependency = !s->is_plain_job && trainers > 1 && sim_chance(l, 30);
    for (int g = 0; g < trainers; g++) {
        int replicas = s->is_plain_job ? 1 : (int)sim_pick(l, 1, SIM_MAX_JOBS_OF);
        add_group(s, names[g], replicas, (int)sim_pick(l, 1, SIM_MAX_PODS_OF), 4);
    }
    if (s->has_driver)
        add_group(s, "driver", 1, 1, 0);
    s->has_quota_trouble = l->seed % 11 == 3;
    s->has_pull_trouble = l->seed % 7 == 2;
    l->strikes_left = (int)sim_pick(l, 0, 5);
    choose_policies(l, &rng);
    s->has_check_retries = (s->has_provisioning_check || s->has_other_check) && may(&rng, 50);
    s->has_ready_timeout = s->has_kueue && may(&rng, 20);
    s->is_elastic = !s->has_kueue && !s->has_quota_trouble && may(&rng, 15);
    if (s->is_managed_elsewhere)
        l->strikes_left = 0;
}

/* ---- slots ---- */

bool sim_is_trainer(const struct sim_life *l, int group) {
    return l->shape.groups[group].chips > 0;
}

bool sim_is_required(const struct sim_life *l, int group) {
    return sim_is_trainer(l, group) && (!l->shape.names_required || group == 0);
}

int sim_slot(const struct sim_life *l, const struct sim_pod *p) {
    int base = 0;
    if (!sim_is_required(l, p->group))
        return -1;
    for (int g = 0; g < p->group; g++)
        base += sim_is_required(l, g) ? l->shape.groups[g].replicas * l->shape.groups[g].stride : 0;
    return base + p->job_index * l->shape.groups[p->group].stride + p->index;
}

int sim_slot_count(const struct sim_life *l) {
    int n = 0;
    for (int g = 0; g < l->shape.group_count; g++)
        n += sim_is_required(l, g) ? l->shape.groups[g].replicas * l->shape.groups[g].stride : 0;
    return n;
}

bool sim_is_slot_required(const struct sim_life *l, int slot) {
    for (int g = 0; g < l->shape.group_count; g++) {
        int slots = l->shape.groups[g].replicas * l->shape.groups[g].stride;
        if (!sim_is_required(l, g))
            continue;
        if (slot < slots)
            return slot % l->shape.groups[g].stride < l->shape.groups[g].pods;
        slot -= slots;
    }
    return false;
}
