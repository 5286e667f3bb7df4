/* training: what the processes' records mean for the job: which process owns which part of the time, runs of steps, the
 * ideal step, rollbacks and their losses, durable checkpoints. Computed again for each evaluation; the sweep does the
 * work per step. Private to ledger/. */
#ifndef LEDGER_TRAINING_H
#define LEDGER_TRAINING_H

#include "ledger/ledger_internal.h"
#include "ledger/phases.h"

struct run {
    size_t view, first, end; /* events [first, end) of the view's list are completed steps */
    enum run_reason reason;
    bool is_continued;        /* its first steps are settled */
    int64_t begin_ms, end_ms; /* start of its first and end of its last completed step */
    int64_t doubt_ms;         /* no line says when it began: it may have been so much earlier */
    int64_t first_step, last_step, resumed_step;
    bool is_resumed_within; /* or at any later step up to first_step: no line says at which */
    int64_t missing_steps;  /* steps without a line after its last, proved by the step at which the next run resumed */
    struct loss *losses;    /* in time order, so from_step falls */
    size_t loss_count, loss_capacity;
};

struct segment { /* one of the disjoint, innermost intervals */
    int64_t from_ms, to_ms;
    uint32_t line;
    uint8_t bucket, custom;
    bool is_derived;
};

struct view {
    const struct process *process;
    const struct step_list *list; /* the list of steps that is used */
    bool reports_starts;
    bool is_buffered;         /* the job's steps come in bursts: a line may be one (bursts.h) */
    bool is_continued;        /* its first steps are settled; the last settled event is still in the list */
    int64_t order_ms;         /* when the process began, or where its settled part ends */
    size_t event_count;       /* known events of the list */
    size_t completed;         /* of them, steps known to be complete */
    int64_t begin_ms, end_ms; /* the time that it owns, empty if begin >= end */
    int64_t ended_ms;         /* TIME_OPEN */
    int64_t first_record_ms;  /* TIME_UNKNOWN */
    int64_t job_end_ms;       /* TIME_UNKNOWN */
    int64_t steps_end_ms;     /* end of its last completed step; TIME_UNKNOWN */
    size_t run_first, run_count;
    struct segment *segments;
    size_t segment_count;
    int custom_map[PROCESS_CUSTOM_NAMES]; /* to the result's custom buckets */
    uint8_t phase_map[PHASES];            /* to the training's phases */
    int64_t clipped_ms, overlapped;
    int64_t headless_until_ms; /* the start of its log was not read: nothing is known until this time; TIME_UNKNOWN */
};

struct training {
    const struct settled *settled; /* NULL: nothing is settled */
    int64_t from_ms;               /* the ledger's start, or the end of its settled part */
    int64_t known_ms;              /* facts after it are not known yet */
    struct view *views;            /* in time order */
    size_t view_count;
    struct run *runs;
    size_t run_count, run_capacity;
    int64_t ideal_ms, hang_after_ms; /* ideal 0: not known */
    int64_t median_ms, p99_ms;       /* of the steps that are not the first of their process; RECORD_NONE */
    int64_t usual_ms,
        slow_ms;             /* the usual duration of a step, and the excess from which on `interval` steps are slow */
    int64_t first_ms;        /* a process's first step without its start-up */
    int64_t low_ms, high_ms; /* a step of the fastest lines, and of the slowest */
    bool is_buffered;        /* a view is */
    bool counts_lines;       /* a process does: record.counts_lines */
    int64_t interval;        /* step numbers from line to line */
    int64_t durable_step;    /* RECORD_NONE */
    int64_t reached_step;    /* the highest of the views whose runs are known; RECORD_NONE */
    int64_t saved_step;      /* of their newest checkpoint; RECORD_NONE */
    int64_t headless_ms;
    struct reported reported;
    struct phase_names phases;
    size_t series_first_run;             /* runs from here on are of the present series */
    struct settled_loss *settled_losses; /* in time order */
    size_t settled_loss_count, settled_loss_capacity;
    int64_t clipped_ms, overlapped;
};

/* Whether a line of `weight` numbers may be of several steps. */
static inline bool training_may_be_several(const struct training *t, int64_t weight) {
    return weight > 1 || t->counts_lines;
}

/* The line that started one of these steps, of which no line says that it ended; SIZE_MAX: there is none. */
static inline size_t training_started(const struct view *v, int64_t first_step, int64_t last_step) {
    int64_t step = v->completed < v->event_count ? v->list->items[v->completed].step : RECORD_NONE;
    return step >= first_step && step <= last_step ? v->completed : SIZE_MAX;
}

/* known_ms: facts after it are not known yet; limit_ms: the time that the ledger reaches. The ledger's processes are
 * sorted. */
void training_init(struct training *t, const struct ledger *l, int64_t known_ms, int64_t limit_ms);
void training_done(struct training *t);

/* The part of an interruption that training_settle needs. */
struct strike {
    int64_t at_ms;
};
/* The durable steps at at_ms: [0] if every reported save counts, [1] if only final ones do. */
struct durable_at {
    int64_t at_ms; /* TIME_UNKNOWN: nothing is to be settled */
    int64_t steps[2];
};
/* The time from the process's start to the first line that was read, if the start of its log is missing; else 0. */
int64_t training_headless_ms(const struct view *v);
/* Adds the steps and intervals that this evaluation visits to steps_visited. */
void training_count_visits(const struct training *t, struct ledger *l);

/* The span of completed step i of a run; weight: the number of steps that its line stands for. */
struct step_span {
    int64_t from_ms, to_ms, weight;
};
struct step_span training_step(const struct training *t, const struct run *run, size_t i);

#endif
