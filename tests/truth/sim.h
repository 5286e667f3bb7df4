/* sim: a training job whose time is known: steps, compilation, data stalls, checkpoints, evaluations, failures, hangs,
 * restarts, from a seed. What happened is a list of spans that tile the job's time, and per attempt a list of events
 * from which a trainer's log is written. All times are true time, Unix ms; writing the log adds wrong clocks.
 */
#ifndef TRUTH_SIM_H
#define TRUTH_SIM_H

#include "steplog/steplog.h"

#include <stdbool.h>
#include <stdint.h>

enum kind {
    KIND_BINDING,
    KIND_PULL,
    KIND_CONTAINER, /* sandbox, volumes; the back-off of a restart in place */
    KIND_RESCHEDULE,
    KIND_IMPORT, /* the interpreter loads, before the first word */
    KIND_INIT,
    KIND_PREPARE,
    KIND_RESTORE,
    KIND_COMPILE, /* the first step's excess */
    KIND_STEP,
    KIND_DATA,
    KIND_EVALUATE,
    KIND_SAVE,
    KIND_SLOW,  /* a step's excess up to hangAfter */
    KIND_STALL, /* and beyond */
    KIND_WAIT,  /* for the last save in the background */
    KIND_HANG,
    KIND_SHUTDOWN,
    KIND_COUNT
};

struct span {
    int64_t from_ms, to_ms, step;
    enum kind kind;
    int attempt;
    bool is_open; /* it did not come to its end */
    bool is_lost; /* in the loop: done again later */
    bool is_cut;  /* in the loop: no step ended after it in its attempt */
};

enum event_kind {
    EVENT_START,
    EVENT_INIT,
    EVENT_INIT_END,
    EVENT_PREPARED,
    EVENT_RESTORE,
    EVENT_RESTORED,
    EVENT_TRAIN, /* the loop begins; step */
    EVENT_DATA,
    EVENT_DATA_END,
    EVENT_STEP, /* begins */
    EVENT_STEP_END,
    EVENT_EVALUATE,
    EVENT_EVALUATED,
    EVENT_SAVE,
    EVENT_SAVED, /* training continues */
    EVENT_DURABLE,
    EVENT_WAIT,
    EVENT_WAITED,
    EVENT_END
};

struct event {
    int64_t at_ms, step;
    enum event_kind kind;
    int64_t ms; /* how long it took; of a step its own time */
};

struct attempt {
    int64_t bound_ms, pull_ms, pulled_ms, start_ms, end_ms; /* the container's */
    int64_t silent_ms;                                      /* from here on it hangs; else its end */
    int64_t first_step;                                     /* -1: training did not begin */
    int64_t restored_step;                                  /* -1 */
    int64_t skew_ms;                                        /* its node's clock is ahead by this */
    bool is_new_pod, has_failed;
    struct event *events;
    int event_count;
    size_t event_capacity;
};

struct style;

#define SIM_ATTEMPTS 8

struct job {
    uint64_t seed, random;
    enum steplog_format format;
    /* how it is made */
    int64_t steps, first_number, ideal_ms, compile_ms, init_ms, prepare_ms, restore_ms, save_ms, background_ms,
        evaluate_ms, hang_after_ms;
    int64_t save_every, evaluate_every, log_every, epoch_steps;
    int jitter_percent, stall_percent, failures;
    bool is_async, compiles_ahead, has_saves, has_long_stall, loses_lines, is_deleted;
    const struct style *style;  /* of format Generic: what its log looks like */
    int sigma_percent;          /* sim_vary() */
    int64_t slow_from, slow_to; /* steps [from, to) take twice as long; INT64_MAX */
    bool is_buffered;           /* its output comes in writes of 8 KiB: sim_vary() */
    int64_t set_at_ms,
        set_by_ms;     /* the node's clock is set forward in the last attempt, after that time; by 0: never */
    bool prints;       /* each record, as it is read */
    struct tear *tear; /* of a line of one attempt (tear.h); NULL: all are whole */
    /* what happened */
    int64_t start_ms, end_ms;
    bool has_succeeded;
    int64_t durable_step; /* -1 */
    struct attempt attempts[SIM_ATTEMPTS];
    int attempt_count;
    struct span *spans;
    int span_count;
    size_t span_capacity;
};

/* How the steps of all jobs vary from here on: their durations are lognormal of that sigma, in percent (0: as usual),
 * and twice as long from some step on, or for a tenth of the job; or each program buffers its output, or the
 * clock is set forward between two lines of steps. Such jobs have neither stalls nor evaluations, and short saves. */
struct sim_variation {
    bool is_on;
    enum { SIM_KEEPS_PACE, SIM_SLOWS, SIM_SLOW_PATCH } change;
    int sigma_percent;
    bool is_buffered, sets_clock;
};
void sim_vary(struct sim_variation v);

/* The job of that seed, as a trainer of that format would run it. sim_done frees what it holds. */
void sim_run(struct job *job, uint64_t seed, enum steplog_format format);
/* The job of a trainer that no format names (styles.h). */
void sim_run_style(struct job *job, uint64_t seed, const struct style *style);
void sim_done(struct job *job);

/* What the clock of the attempt's node shows at that time. */
int64_t sim_clock_ms(const struct job *job, const struct attempt *a, int64_t at_ms);

/* Deterministic from the job's own stream: a whole number in [low, high], and one whose logarithm is uniform. */
int64_t sim_between(struct job *job, int64_t low, int64_t high);
int64_t sim_spread(struct job *job, int64_t low, int64_t high);
bool sim_chance(struct job *job, int percent);

#endif
