/* outcome: what the sums of a roll say of its window: the whole, the groups, the waterfall from what there was to the
 * ideal, the largest losses with the jobs that caused them, failures by node pool. What is not known is -1 or absent,
 * never 0. Pure; borrows the names of the roll and of the members. */
#ifndef FLEET_OUTCOME_H
#define FLEET_OUTCOME_H

#include "fleet/nodes.h"
#include "fleet/roll.h"
#include "fleet/suspects.h"

enum { OUTCOME_GROUPS = 32, OUTCOME_LOSSES = 12, OUTCOME_JOBS = 3, OUTCOME_STEPS = 2 * SUMS_BUCKETS };

struct outcome_job {
    const char *name;
    int64_t chip_ms;
};
struct outcome_loss {
    int bucket;
    int64_t chip_ms, paid_chip_ms;
    struct outcome_job
        jobs[OUTCOME_JOBS]; /* the most first; of jobs that began before the window, a part in proportion */
    int job_count;
};
struct outcome_cause {
    enum cause cause;
    int64_t count, paid_chip_ms;
};
struct outcome_class { /* of the root causes of interruptions */
    enum rootcause_class class_;
    int64_t count;
};
struct outcome_group {
    const char *name;
    struct sums sums;
    int64_t jobs, without_steps; /* as in the whole */
};
struct outcome_pool {
    const char *name;
    int64_t node_ms, failures;
    int64_t mtbf_ms; /* -1: no failure, or no nodes known */
};
/* In whole chip-seconds, rounded so that a total less the losses that follow is the next total exactly. */
struct outcome_step {
    const char *name;
    bool is_total;
    int64_t chip_s;
};

struct outcome {
    int64_t from_ms, until_ms; /* of the window */
    struct sums all;
    int64_t jobs, without_steps; /* counted in the window; of these, without steps */
    /* At most OUTCOME_GROUPS, the most lost chip time first: the largest by chip time asked for, and ROLL_OTHER. */
    struct outcome_group groups[ROLL_GROUPS];
    int group_count;
    struct outcome_loss losses[OUTCOME_LOSSES]; /* the most first */
    int loss_count;
    struct outcome_cause causes[CAUSE_COUNT]; /* of interruptions; what cost the most chip time first */
    int cause_count;
    struct outcome_class classes[CLASS_COUNT]; /* the most frequent first */
    int class_count;
    struct outcome_pool pools[ROLL_POOLS]; /* by name */
    int pool_count;
    struct suspect suspects[SUSPECTS_MAX]; /* borrows from the roll */
    int suspect_count;
    struct nodes nodes; /* borrows from the roll */
    struct outcome_step waterfall[OUTCOME_STEPS];
    int step_count;
    /* Of hours in which the nodes were known all the time; capacity_ms 0: there is none. */
    int64_t capacity_chip_ms, capacity_ms;
    struct sums covered;  /* of the same hours */
    int64_t idle_chip_ms; /* -1: not known, or the jobs hold more chips than the nodes have */
};

/* members: those of the last roll-up. */
void outcome_make(const struct roll *roll, const struct roll_input *input, struct outcome *outcome);

#endif
