/* cursor: walks the processes' time from step to step, for the sweep. It gives what the records, apart from the named
 * intervals, show of a time, and never goes back. Private to ledger/. */
#ifndef LEDGER_CURSOR_H
#define LEDGER_CURSOR_H

#include "ledger/training.h"

enum base_kind {
    BASE_NOTHING,     /* no process, or nothing known */
    BASE_PREPARATION, /* from the process's start to its first record */
    BASE_STEP,        /* a completed step: proves that training went on */
    BASE_CREDIT,      /* steps that later ones prove */
    BASE_UNFINISHED,  /* the step that an interruption cut off */
    BASE_DEAD,        /* the process ended, and nothing shows it yet */
    BASE_SHUTDOWN     /* after the last step of a job that succeeded */
};

struct base {
    enum base_kind kind;
    int64_t to_ms; /* the same until then */
    const struct view *view;
    const struct run *run;
    const struct loss *loss; /* BASE_STEP, BASE_CREDIT: lost to it */
    int64_t step, line, weight, from_ms;
    /* What is left of it, in this order: start-up, then ordinary, then what no line reports; the rest of a step is
     * a stall, of others unknown. */
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
    int64_t tail_view_plus_1;                      /* the view whose tail budgets are in credit_ms and unfinished_ms */
    int64_t credit_ms, unfinished_ms, credit_last; /* credit_last: the number of the last step that is credited */
    struct loss unfinished_loss;
    /* Called when a completed step is left behind, and for credited ones when their time is booked. */
    void (*on_step)(void *context, const struct run *run, const struct step_span *span, int64_t step,
                    const struct loss *loss);
    void *context;
};

/* Moves to t: leaves behind the steps that ended by then. */
void cursor_leave(struct cursor *c, int64_t t);
/* What holds at t, to which cursor_leave has moved; valid until base.to_ms. */
const struct base *cursor_at(struct cursor *c, int64_t t, int64_t running_since_ms);
/* Ordinary steps that follow on one another from the present one on: the last of them, and what they sum up to. */
struct steps_ahead {
    int64_t to_ms, last_step, weight;
};
/* Leaves behind the present step and those after it that end by limit_ms and whose numbers are at most last_step, as
 * far as none of them is the first of its run or stalls and all share the fate of the present one. on_step is not
 * called for them. False if there are none. */
bool cursor_leave_ordinary(struct cursor *c, int64_t limit_ms, int64_t last_step, struct steps_ahead *ret);
/* This part of what cursor_at gave was booked as its work; no more at once than is left of the present part. */
void cursor_book(struct cursor *c, int64_t from_ms, int64_t to_ms);
/* The innermost named interval at t or NULL; *next_ms: when that changes. */
const struct segment *cursor_segment(struct cursor *c, int64_t t, int64_t *next_ms);
/* Leaves all steps behind that ended by the limit. */
void cursor_finish(struct cursor *c);

#endif
