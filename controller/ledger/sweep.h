/* sweep: walks the time from start to through once and puts every millisecond into one account. Private to ledger/. */
#ifndef LEDGER_SWEEP_H
#define LEDGER_SWEEP_H

#include "ledger/cursor.h"
#include "ledger/interruptions.h"

#define ACCOUNT_COUNT (BUCKET_COUNT + LEDGER_MAX_CUSTOM + 1) /* buckets, then the custom ones, the last is Other */

struct origin { /* what a span is known from */
    const struct hold_fact *hold;
    const struct view *view;
    int64_t line, step, last_step;
    int interruption;
};

struct account {
    int64_t ms, chip_ms, count, largest_ms, largest_from_ms;
    int64_t window_ms[LEDGER_MAX_WINDOWS];
    enum basis basis;
    struct origin largest;
};

struct execution {
    int64_t start_ms, available_ms, first_step_ms, end_ms, first_step, last_step;
    int64_t image_pull_ms, container_start_ms, productive_ms;
};

struct recovery { /* what one interruption cost */
    int64_t tch_ms, tre_ms, wait_ms, trm_ms, lost_steps;
    int64_t first_step_ms, new_progress_ms; /* TIME_UNKNOWN: not yet */
    int64_t max_step_before;
    bool is_assumed;
};

struct sweep {
    const struct ledger *ledger;
    const struct slot_timeline *slots;
    const struct hold_timeline *holds;
    const struct training *training;
    const struct interruptions *interruptions;
    int64_t start_ms, through_ms;
    bool at_end;
    /* out */
    struct account accounts[ACCOUNT_COUNT];
    struct execution *executions; /* interruptions.count + 1 */
    struct recovery *recoveries;  /* interruptions.count */
    int64_t available_ms, provisional_ms, chip_ms_waiting;
    int64_t window_available_ms[LEDGER_MAX_WINDOWS];
    int64_t step_count, lost_steps, last_step, max_step;
    /* on the way */
    struct cursor cursor;
    size_t slot, hold;
    int interruption; /* index of the last one that struck; -1 */
    int64_t running_since_ms;
    int span_account;
    int64_t span_from_ms;
    struct origin span_origin;
};

/* The fields before "out" are set, the rest is zero. */
void sweep_run(struct sweep *s);
void sweep_done(struct sweep *s);

#endif
