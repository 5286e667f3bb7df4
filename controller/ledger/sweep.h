/* sweep: walks once through the time, from the start or the end of the settled part to through_ms, and puts every
 * millisecond into one account. Private to ledger/. */
#ifndef LEDGER_SWEEP_H
#define LEDGER_SWEEP_H

#include "ledger/cursor.h"
#include "ledger/entries.h"
#include "ledger/interruptions.h"

struct booked_spans {              /* only these are booked, in time order and disjoint */
    const struct time_span *items; /* NULL: all time is */
    size_t count, next;
};

struct sweep_settling {
    int64_t until_ms;           /* sweeps only up to here and adds snapshots; TIME_UNKNOWN: sweeps all */
    const int64_t *checkpoints; /* their steps, ascending */
    size_t checkpoint_count;
    struct snapshots snapshots;    /* new ones */
    struct settled_phases *phases; /* gets new marks; NULL: the job has none */
};

struct sweep_place { /* what the sweep is at */
    struct cursor cursor;
    size_t slot, hold;
    int interruption;                /* index of the last one that struck; -1 */
    const struct slice_mark *slices; /* the slices that the present process reported; NULL: none */
    int32_t largest_chips;           /* of the occupancies bound no later than through_ms */
    bool is_series_started;
};

struct sweep {
    struct ledger *ledger;
    const struct slot_timeline *slots;
    const struct hold_timeline *holds;
    const struct training *training;
    const struct interruptions *interruptions;
    const struct settled *settled; /* with its later losses; NULL: nothing is settled */
    int64_t start_ms, through_ms;
    bool at_end;
    struct booked_spans booked;
    struct sweep_settling settling;
    struct ledger_entries *entries; /* NULL: not asked for */
    /* out */
    struct sums sums;
    int64_t phase_ms[PHASES];
    struct execution *executions;  /* interruptions.count + 1 */
    struct recovery *recoveries;   /* interruptions.count */
    int64_t *productive_before_ms; /* of each execution */
    int64_t provisional_ms, window_available_ms[LEDGER_MAX_WINDOWS];
    struct sweep_place at;
};

struct verdict { /* on one span of time */
    int account;
    enum basis basis;
    bool is_available, is_work; /* is_work: taken from the cursor's budget */
    int lost_to;                /* the interruption to which WastedProgress is booked; -1 */
    bool is_assumed;
    struct origin origin;
};

/* The caller sets the fields before "out", but not settling.snapshots; the rest is zero. */
void sweep_run(struct sweep *s);
void sweep_done(struct sweep *s);

#endif
