/* cursor: walks the processes' time from step to step, for the sweep. It gives what the records show for a time, apart
 * from the named intervals, and never goes back. Private to ledger/. */
#ifndef LEDGER_CURSOR_H
#define LEDGER_CURSOR_H

#include "ledger/training.h"

enum base_kind {
    BASE_NOTHING,     /* no process, or nothing known */
    BASE_PREPARATION, /* from the process's start to its first record */
    BASE_STEP,        /* a completed step: proves that training continued */
    BASE_CREDIT,      /* steps without a line that later steps prove */
    BASE_UNFINISHED,  /* the step that an interruption cut off */
    BASE_DEAD,        /* the process ended, and it is not detected yet */
    BASE_SHUTDOWN,    /* after the last step of a job that succeeded */
    BASE_UNREAD       /* after the last step that was read of a log with lost lines: more steps may follow */
};

struct base {
    enum base_kind kind;
    int64_t to_ms; /* the same until this time */
    const struct view *view;
    const struct run *run;
    const struct loss *loss; /* BASE_STEP, BASE_CREDIT: the loss that took it */
    int64_t step, line, weight, from_ms;
    /* The time that is left, in this order: start-up, ordinary, then what no line reports. The rest of a step is a
     * stall; the rest of the other kinds is unknown. */
    int64_t startup_ms, ordinary_ms, unreported_ms;
};

struct cursor {
    const struct training *training;
    int64_t end_ms; /* the ledger's limit */
    bool at_end;
    enum ledger_outcome outcome;
    const struct strike *strikes;
    size_t strike_count;
    size_t view, run, event, segment;
    bool is_placed; /* event belongs to run */
    struct base base;
    int64_t tail_view_plus_1; /* 1 + the view whose tail budgets are in credit_ms and unfinished_ms */
    int64_t credit_ms, credit_doubt_ms, unfinished_ms, credit_last; /* credit_last: the last step that is credited */
    struct loss unfinished_loss;
    /* Called when the cursor passes a completed step, and for credited steps when their time is booked. event: the line
     * that ends with the step; SIZE_MAX: none does. */
    void (*on_step)(void *context, const struct run *run, const struct step_span *span, int64_t step,
                    const struct loss *loss, size_t event);
    void *context;
};

/* Moves to t: passes the steps that ended no later than t. */
void cursor_leave(struct cursor *c, int64_t t);
/* The state at t, to which cursor_leave has moved; valid until base.to_ms. */
const struct base *cursor_at(struct cursor *c, int64_t t, int64_t running_since_ms);
/* A series of ordinary steps from the present one on: its end, its last step and its total weight. */
struct steps_ahead {
    int64_t to_ms, last_step, weight;
    size_t first, end; /* their lines */
};
/* Passes the present step and those after it up to limit_ms and last_step. It stops before a step that is the first of
 * its run or stalls, or that another loss took. on_step is not called for them. False if there are none. */
bool cursor_leave_ordinary(struct cursor *c, int64_t limit_ms, int64_t last_step, struct steps_ahead *ret);
/* Reports that [from_ms, to_ms) was booked as work of the state that cursor_at gave; never more than is left of its
 * present part. */
void cursor_book(struct cursor *c, int64_t from_ms, int64_t to_ms);
/* The innermost named interval at t, or NULL; *next_ms: the time at which that changes. */
const struct segment *cursor_segment(struct cursor *c, int64_t t, int64_t *next_ms);
/* Passes all steps that ended no later than the limit. */
void cursor_finish(struct cursor *c);

#endif
