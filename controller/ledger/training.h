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

struct run {
    size_t view, first, end; /* events [first, end) of the view's list are completed steps */
    enum run_reason reason;
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
};

struct view {
    const struct process *process;
    const struct step_list *list; /* the one source of steps that is believed */
    bool tells_starts;
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
};

struct training {
    int64_t known_ms;   /* facts after it are not known yet */
    struct view *views; /* in time order */
    size_t view_count;
    struct run *runs;
    size_t run_count, run_capacity;
    int64_t ideal_ms, hang_after_ms; /* ideal 0: not known */
    int64_t median_ms, p99_ms;       /* of the steps that are not the first of their process; RECORD_NONE */
    int64_t interval;                /* step numbers from line to line */
    int64_t durable_step;            /* RECORD_NONE */
    bool has_records;                /* any process said anything that means something */
    bool has_checkpoints;            /* any record of a save or a restore */
    size_t series_first_run;         /* runs from here on are of the present series */
    int64_t clipped_ms, overlapped;
    char custom_names[LEDGER_MAX_CUSTOM + 1][RECORD_NAME_SIZE]; /* the last: Other */
    int custom_count;
};

/* known_ms: facts after it are not known yet; limit_ms: the time that the ledger reaches. */
void training_init(struct training *t, const struct ledger *l, int64_t known_ms, int64_t limit_ms);
void training_done(struct training *t);

/* Where an interruption struck and that there is one: what training_settle needs to know of it. */
struct strike {
    int64_t at_ms;
};
/* Decides what is lost, to which interruption. at_end: the job is over with this outcome. Returns true if work is
 * retained although no checkpoint proves it. */
bool training_settle(struct training *t, const struct strike *strikes, size_t count, bool at_end,
                     enum ledger_outcome outcome);

/* The begin and end of completed step i of a run, and how many step numbers it stands for. */
struct step_span {
    int64_t from_ms, to_ms, weight;
};
struct step_span training_step(const struct training *t, const struct run *run, size_t i);
/* The loss that took this step of the run, or NULL. */
const struct loss *training_loss(const struct run *run, int64_t step);

#endif
