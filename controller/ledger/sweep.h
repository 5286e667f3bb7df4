/* sweep: walks the time from start, or from where it is settled, to through once and puts every millisecond into one
 * account. Private to ledger/. */
#ifndef LEDGER_SWEEP_H
#define LEDGER_SWEEP_H

#include "ledger/cursor.h"
#include "ledger/interruptions.h"

struct sweep {
    struct ledger *ledger;
    const struct slot_timeline *slots;
    const struct hold_timeline *holds;
    const struct training *training;
    const struct interruptions *interruptions;
    const struct settled *settled; /* with what it lost since; NULL: nothing is */
    int64_t start_ms, through_ms;
    bool at_end;
    const struct time_span *counted; /* only what lies in these, in time order and disjoint, is booked; NULL: all is */
    size_t counted_count;
    int64_t settle_ms; /* TIME_UNKNOWN: all is swept; else up to here, and snapshots are left on the way */
    /* out */
    struct account accounts[ACCOUNT_COUNT];
    struct execution *executions; /* interruptions.count + 1 */
    struct recovery *recoveries;  /* interruptions.count */
    int64_t available_ms, provisional_ms, chip_ms_waiting;
    int64_t window_available_ms[LEDGER_MAX_WINDOWS];
    int64_t step_count, lost_steps, last_step, max_step;
    struct progress progress, series;
    int64_t *productive_before_ms; /* of each execution */
    struct snapshots snapshots;    /* new ones */
    struct slices_down down;
    /* on the way */
    const int64_t *checkpoints; /* steps of checkpoints, ascending */
    size_t checkpoint_count;
    bool is_series_begun;
    struct cursor cursor;
    size_t slot, hold, next_counted;
    const struct slice_mark *slices; /* what the present process says of its slices; NULL: nothing */
    int interruption;                /* index of the last one that struck; -1 */
    int64_t running_since_ms;
    int32_t largest_chips; /* of the occupancies bound by through_ms */
    int span_account;
    int64_t span_from_ms;
    struct origin span_origin;
};

/* The fields before "out" are set, the rest is zero. */
void sweep_run(struct sweep *s);
void sweep_done(struct sweep *s);

#endif
