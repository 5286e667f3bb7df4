/* evaluate: the results of a ledger at one point in time: buckets, interruptions, executions, scores. The result is
 * valid until ledger_result_done. */
#ifndef LEDGER_EVALUATE_H
#define LEDGER_EVALUATE_H

#include "ledger/ledger.h"

struct ledger_bucket {
    enum bucket bucket;
    char custom[RECORD_NAME_SIZE]; /* BUCKET_CUSTOM: the name */
    int64_t ms;
    int64_t count;                               /* separate spans */
    enum basis basis;                            /* the weakest basis that contributed */
    int64_t chip_ms;                             /* allocated chips x ms */
    int64_t interrupted_ms, interrupted_chip_ms; /* the part that interruptions cost */
    int64_t largest_ms;
    int64_t windows_ms[LEDGER_MAX_WINDOWS]; /* the part of ms within each window */
    char evidence[LEDGER_TEXT_SIZE];        /* of the largest span */
};

enum ledger_saved { SAVED_UNKNOWN, SAVED_YES, SAVED_NO }; /* a checkpoint, after SIGTERM */

struct ledger_interruption {
    int number;              /* 1.. */
    int64_t at_ms, until_ms; /* until all slots are available again; TIME_OPEN */
    enum cause cause;
    char reason[LEDGER_NAME_SIZE], evidence[LEDGER_TEXT_SIZE], node[LEDGER_NAME_SIZE], node_pool[LEDGER_NAME_SIZE];
    int64_t lost_steps;                                   /* RECORD_NONE if not known (yet) */
    int64_t tch_ms, tre_ms, wait_ms, trm_ms, catch_up_ms; /* RECORD_NONE where not known (yet) */
    enum rootcause_owner owner;
    enum rootcause_class class_; /* CLASS_UNKNOWN: no root cause is known */
    int64_t cost_ms, chip_ms;    /* all lost time that it caused, each millisecond in one interruption; chips x that */
    int64_t quiet_ms;            /* cause Hang: the time without progress before the execution ended */
    int64_t detect_ms;           /* from the death of the node or the process until it was detected: FailureDetection */
    enum ledger_saved saved_on_sigterm;
    bool is_settled; /* training resumed, so that what was lost is known */
};

#define LEDGER_OLDER_CAUSES 32

struct ledger_older { /* sums over the interruptions (and the executions that they ended) that are not listed */
    int64_t count, counted, recovered, recover_ms, productive_ms; /* counted: in MTBI; recovered: in MTTR */
    struct {
        enum cause cause;
        char reason[LEDGER_NAME_SIZE]; /* of Kueue's evictions only */
        int64_t count, chip_ms;
    } causes[LEDGER_OLDER_CAUSES]; /* the last entry takes the rest */
    int cause_count;
    struct ledger_owned {
        int64_t count, ms, chip_ms;
        int64_t class_chip_ms[CLASS_COUNT]; /* the part that interruptions caused, by the class of their root cause */
    } owners[OWNER_COUNT];                  /* the same by owner: what they cost */
};

struct ledger_execution {
    int number;                                            /* 1.. */
    int64_t start_ms, available_ms, first_step_ms, end_ms; /* TIME_UNKNOWN / TIME_OPEN */
    int64_t first_step, last_step;                         /* RECORD_NONE */
    int64_t image_pull_ms, container_start_ms, productive_ms;
    int64_t startup_ms;            /* ProgramStartup: its first step's compile */
    char puller[LEDGER_NAME_SIZE]; /* the name of the slot that pulled longest; "" */
};

struct ledger_window {
    int64_t window_ms, ms, available_ms, productive_ms;
    enum bucket top_badput;
    int64_t interruptions;
};

/* FLOP/s of one device as lines of steps report them, by class: 8 classes to an octave. */
struct ledger_flops {
    int class;
    int64_t lines, steps, mflop; /* 10^6 FLOP of all these steps */
};

int64_t ledger_flops_min_milli(int class); /* its lower bound, 10^9 FLOP/s */

/* How long a part of the retained steps took, as their lines give it: parts may overlap. */
struct ledger_phase {
    char name[RECORD_NAME_SIZE];
    int64_t ms;
};

struct ledger_result {
    int64_t start_ms, end_ms /* TIME_OPEN */, observed_through_ms;
    int64_t wall_ms, available_ms, productive_ms, provisional_ms;
    bool has_steps;                /* step evidence: productive_ms, RG and job goodput are known */
    struct ledger_bucket *buckets; /* non-empty ones, Productive included, in table order; their ms add up to wall_ms */
    int bucket_count;
    int top_badput;                            /* index into buckets of the largest that is not Productive; -1 */
    struct ledger_interruption *interruptions; /* in time order; execution i ended with interruption i */
    int interruption_count;
    bool has_own_end; /* the interruption after the last is what the job failed of; it counts as none */
    struct ledger_execution *executions;
    int execution_count;
    struct ledger_older older; /* the interruptions before the listed ones: a long job lists at least the newest 16 */
    int64_t mtbi_ms, mttr_ms;  /* RECORD_NONE if there is nothing to divide by */
    int64_t counted, recovered, recover_ms; /* interruptions in MTBI; those in MTTR, and the sum of their times */
    struct ledger_window windows[LEDGER_MAX_WINDOWS];
    int window_count;
    /* slots now */
    int64_t slots_required, slots_available, slots_running;
    bool in_interruption;
    /* steps */
    int64_t last_step, max_step, first_step_now /* RECORD_NONE */, last_durable_step;
    int64_t last_record_ms; /* TIME_UNKNOWN */
    int64_t step_count, retained_steps, lost_steps;
    int64_t ideal_step_ms;               /* as used; 0 if not known */
    int64_t hang_after_ms;               /* as used */
    int64_t median_step_ms, p99_step_ms; /* of steps that are not the first of their process; RECORD_NONE */
    /* chips x ms; lost = allocated - productive */
    int64_t chip_ms_allocated, chip_ms_productive, chip_ms_waiting;
    int64_t chips; /* required now */
    /* data quality */
    struct ledger_flops *flops; /* of the whole log, by class */
    int flops_count;
    struct ledger_phase *phases; /* those that took time: by process and then by first use, the last may be Other */
    int phase_count;
    int64_t durable_saves; /* whose start and first use by a restart are in the log */
    int64_t durable_ms;    /* the sum of their durations */
    int64_t headless_ms;   /* Unattributed: the start of a log was not read, as the first steps in it show */
    int64_t clipped_ms;    /* records outside their container or the wall time: condition ClockSkew */
    int64_t overlapped_records;
    int64_t late_records;             /* of time that was settled when they arrived: they are not counted */
    int64_t excluded_ms;              /* left out of the wall time */
    bool retained_without_checkpoint; /* basis Assumed: no checkpoint evidence at all */
};

/* The ledger as known at through_ms (not after the end). Fills *result; call ledger_result_done afterwards. Settles
 * what it can: all facts up to through_ms must have been added, except late ones. */
void ledger_evaluate(struct ledger *l, int64_t through_ms, struct ledger_result *result);
/* Settles what an evaluation at any later time would settle first, in the same way: all batches of full size. So memory
 * stays small between two evaluations, and no result depends on when this is called. */
void ledger_settle_early(struct ledger *l, int64_t through_ms);
/* The same, with the entries that the sums are made of: call ledger_entries_done as well. Of *entries, keeps_changes is
 * given; the rest is filled in. */
struct ledger_entries;
void ledger_evaluate_entries(struct ledger *l, int64_t through_ms, struct ledger_result *result,
                             struct ledger_entries *entries);
/* The same for the interval [from, to) of the job: intervals that tile the job sum to the whole, to the millisecond and
 * the step (a step counts where it ends). Lists the interruptions that struck in it, the executions that they ended,
 * and the next execution; has no windows. Needs keep_all; start_ms is the actual start of the interval. */
void ledger_evaluate_interval(struct ledger *l, int64_t through_ms, int64_t from_ms, int64_t to_ms,
                              struct ledger_result *result);
void ledger_result_done(struct ledger_result *result);
/* The time of the last known change in the number of available, running or required slots; TIME_UNKNOWN: none. */
int64_t ledger_last_change_ms(struct ledger *l);

struct ledger_scores { /* parts per million; RECORD_NONE: not known */
    int64_t scheduling_ppm, runtime_ppm, job_ppm, upper_ppm, evidence_ppm;
    int64_t scheduling_upper_ppm, job_upper_ppm; /* also RECORD_NONE where nothing is unobserved */
    int64_t unattributed_ms, suspended_ms, unobserved_ms;
};

/* SG = A / W, RG = P / A, job goodput = SG x RG = P / W, upper = (P + U) / A, evidence = 1 - U / A, upper bound of SG
 * (A + Unobserved) / W and of the job goodput (P + U + Unobserved) / W (deploy/docs/concepts/ledger.md,
 * test_identities.c). */
struct ledger_scores ledger_scores_of(const struct ledger_result *result);

/* Ratio in parts per million, rounded to nearest, half up; RECORD_NONE if denominator is 0. */
int64_t ledger_ppm(int64_t numerator, int64_t denominator);

#endif
