/* training: what the processes' records mean for the job: which process owns which part of the time, runs of steps, the
 * ideal step, rollbacks and what they lost, what is durable. Computed anew for each evaluation; the per-step work is
 * left to the sweep. Private to ledger/. */
#ifndef LEDGER_TRAINING_H
#define LEDGER_TRAINING_H

#include "ledger/facts.h"

/* Steps from this number on are lost to that interruption. */
struct loss {
    int64_t from_step;
    int interruption; /* index; -1: a rollback without one */
    bool is_assumed;  /* training has not resumed: since the last durable checkpoint */
};

/* The same for steps that are settled. */
struct settled_loss {
    struct loss loss;
    int64_t ms, steps, chip_ms; /* what it took: settled_lose */
};

struct run {
    size_t view, first, end; /* events [first, end) of the view's list are completed steps */
    enum run_reason reason;
    bool is_continued;        /* its first steps are settled */
    int64_t begin_ms, end_ms; /* of its first and last completed step */
    int64_t first_step, last_step, resumed_step;
    int64_t missing_steps; /* unlogged steps after its last, proved by where the next run resumed */
    struct loss *losses;   /* in time order, so from_step falls */
    size_t loss_count, loss_capacity;
};

struct segment { /* of the disjoint, innermost intervals */
    int64_t from_ms, to_ms;
    uint32_t line;
    uint8_t bucket, custom;
    bool is_derived;
};

struct view {
    const struct process *process;
    const struct step_list *list; /* the one source of steps that is believed */
    bool tells_starts;
    bool is_continued;        /* its first steps are settled; the event before those that are left is still there */
    int64_t order_ms;         /* when the process began, as far as that is not settled */
    size_t event_count;       /* known events of the list */
    size_t completed;         /* of them, steps known to be complete */
    int64_t begin_ms, end_ms; /* the part of the time that it owns, empty if begin >= end */
    int64_t ended_ms;         /* TIME_OPEN */
    int64_t first_record_ms;  /* TIME_UNKNOWN */
    int64_t job_end_ms;       /* TIME_UNKNOWN */
    int64_t steps_end_ms;     /* end of its last completed step; TIME_UNKNOWN */
    size_t run_first, run_count;
    struct segment *segments;
    size_t segment_count;
    int custom_map[PROCESS_CUSTOM_NAMES]; /* to the result's custom buckets */
    int64_t clipped_ms, overlapped;
    int64_t
        headless_until_ms; /* the beginning of its log was not read: until this line nothing is known; TIME_UNKNOWN */
};

struct training {
    const struct settled *settled; /* NULL: nothing is */
    int64_t from_ms;               /* the ledger's start, or through which it is settled */
    int64_t known_ms;              /* facts after it are not known yet */
    struct view *views;            /* in time order */
    size_t view_count;
    struct run *runs;
    size_t run_count, run_capacity;
    int64_t ideal_ms, hang_after_ms; /* ideal 0: not known */
    int64_t median_ms, p99_ms;       /* of the steps that are not the first of their process; RECORD_NONE */
    int64_t usual_ms, slow_ms;       /* what a step takes, and by how much more `interval` of them are slow */
    int64_t first_ms;                /* what a process's first step takes but for its start-up */
    int64_t interval;                /* step numbers from line to line */
    int64_t durable_step;            /* RECORD_NONE */
    int64_t reached_step;            /* the highest of the views whose runs are known; RECORD_NONE */
    int64_t headless_ms;
    bool has_records;                    /* any process said anything that means something */
    bool has_checkpoints;                /* any record of a save or a restore */
    size_t series_first_run;             /* runs from here on are of the present series */
    struct settled_loss *settled_losses; /* in time order */
    size_t settled_loss_count, settled_loss_capacity;
    int64_t clipped_ms, overlapped;
    char custom_names[LEDGER_MAX_CUSTOM + 1][RECORD_NAME_SIZE]; /* the last: Other */
    int custom_count;
};

/* known_ms: facts after it are not known yet; limit_ms: the time that the ledger reaches. The ledger's processes are
 * sorted. */
void training_init(struct training *t, const struct ledger *l, int64_t known_ms, int64_t limit_ms);
void training_done(struct training *t);
/* How far apart the views' lines are, what their steps take; the ideal step: as configured, else the median, which
 * leaves outliers out. */
void training_learn(struct training *t, const struct ledger_options *options);

/* Where an interruption struck and that there is one: what training_settle needs to know of it. */
struct strike {
    int64_t at_ms;
};
/* What is durable by a time, if every save that was reported counts [0] and if only the final ones do [1]. */
struct durable_at {
    int64_t at_ms; /* TIME_UNKNOWN: nothing is to be settled, or ... */
    int64_t steps[2];
};
/* Decides what is lost, to which interruption. at_end: the job is over with this outcome. to_settle, where at_ms is
 * set: only what runs from before it took away, and nothing is assumed. Returns true if work is retained although no
 * checkpoint proves it. */
bool training_settle(struct training *t, const struct strike *strikes, size_t count, bool at_end,
                     enum ledger_outcome outcome, struct durable_at *to_settle);
/* From its start to the first line that was read of a log whose beginning is missing; 0 if it is not. */
int64_t training_headless_ms(const struct view *v);
/* Whether any line by then says that a save is final: then only such lines make one durable. */
bool training_any_final(const struct training *t);
/* Adds up how many steps lie how far apart; sums has room for SETTLED_DELTAS. */
void training_add_delta(struct delta_count *sums, int64_t delta, int64_t count);
/* The durations of a view's steps but the first of each run and what is settled: at most `most` events of it. */
size_t training_durations(const struct view *v, int64_t known_ms, size_t most, int32_t *to);
/* What the settled part loses by this: Productive becomes WastedProgress. */
void settled_lose(struct settled *s, struct settled_loss *loss);
struct settled *settled_clone(const struct settled *s);

/* The begin and end of completed step i of a run, and how many step numbers it stands for. */
struct step_span {
    int64_t from_ms, to_ms, weight;
};
struct step_span training_step(const struct training *t, const struct run *run, size_t i);
/* The loss that took this step of the run, or NULL. */
const struct loss *training_loss(const struct run *run, int64_t step);

#endif
