/* rollup: many jobs as one: sums of chips x time, divided once at the end,
 * never averages of ratios (facts of one job: DESIGN.md section 2). A job
 * weighs as many chips as it asks for, so that chips x its buckets and chips x
 * its productive time add up to chips x its wall time exactly, and so does
 * their sum over all jobs. Pure; borrows all texts of the jobs for as long as
 * the result lives.
 *
 * A window that holds a part of a job's life only gets that part of each of its
 * sums, spread evenly over its life (rounded so that the parts still add up):
 * such jobs are counted in `prorated`. */
#ifndef FORMULAS_ROLLUP_H
#define FORMULAS_ROLLUP_H

#include <stddef.h>
#include <stdint.h>

#define ROLLUP_BUCKETS 64 /* names; what comes later goes to the last one, "Other" */

struct rollup_bucket {
    const char *name;
    int64_t ms;            /* of the wall time */
    int64_t chip_s;        /* of chips bound to nodes, which somebody pays for */
    const char *worst;     /* result: the job that lost the most chip time to it */
    int64_t worst_chip_ms; /* result */
    int64_t chip_ms;       /* result: chips x ms */
};

struct rollup_job {
    const char *name, *group; /* group: jobs of the same text are summed */
    int64_t start_ms, wall_ms, available_ms;
    int64_t productive_ms;               /* -1: no steps are known */
    int64_t program_ppm;                 /* program goodput; -1: not known */
    int64_t chips, nodes;                /* that it asks for */
    int64_t failures;                    /* interruptions but those by people and Kueue */
    const struct rollup_bucket *buckets; /* of the wall time, Productive left out */
    size_t bucket_count;
};

struct rollup_sum {
    const char *group;
    int64_t jobs, prorated, without_steps;
    /* chips x ms; known: of jobs with steps alone */
    int64_t wall, available, known_wall, known_available, productive;
    double ideal, programmed;                      /* chips x ms of productive time x program goodput,
                                                      where that is known; all such */
    int64_t programmed_available, programmed_wall; /* of jobs whose program goodput is known */
    double failures, node_ms;                      /* node_ms: nodes x available time */
    struct rollup_bucket buckets[ROLLUP_BUCKETS];  /* the most chip time first */
    size_t bucket_count;
};

struct rollup {
    struct rollup_sum all;
    struct rollup_sum *groups; /* the most lost chip time first, then by name */
    size_t group_count;
};

/* Those parts of the jobs that are in [from_ms, to_ms). Deterministic: the
 * order of the jobs changes nothing but which of two that lost the same is
 * named. */
void rollup_make(const struct rollup_job *jobs, size_t count, int64_t from_ms, int64_t to_ms, struct rollup *rollup);
void rollup_done(struct rollup *rollup);

/* In parts per million; -1: not known. productivity: of the jobs whose program
 * goodput is known. */
struct rollup_scores {
    int64_t scheduling, runtime, job, program, productivity;
};
struct rollup_scores rollup_scores_of(const struct rollup_sum *sum);
/* Failures per 1,000 node-days of available time; -1 without any such time. */
double rollup_failures_per_1000_node_days(const struct rollup_sum *sum);
/* What so many seconds of a chip cost at a price per chip-hour. */
double rollup_cost(double chip_s, double price_per_chip_hour);

#endif
