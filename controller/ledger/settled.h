/* settled: the sums of the part of a job's time that can no longer change. Memory and time of a long job would
 * otherwise grow without end, so the ledger folds its oldest steps (settle.c) into sums, the newest interruptions, and
 * snapshots: the sums at earlier times. Snapshots exist at the newest checkpoints, so that a rollback to one of them is
 * exact, and on a grid of window / 360, so that windows can slide. Times between two snapshots are interpolated.
 * Private to ledger/. */
#ifndef LEDGER_SETTLED_H
#define LEDGER_SETTLED_H

#include "ledger/durations.h"
#include "ledger/evaluate.h"
#include "ledger/phases.h"
#include "ledger/process.h"
#include "ledger/slices.h"
#include "ledger/snapshots.h"

struct view;
struct hold_fact;

struct origin { /* the source of a span */
    const struct hold_fact *hold;
    const struct view *view;
    int64_t line, step, last_step;
    int interruption;
};

struct account {
    int64_t ms, chip_ms, count, largest_ms, largest_from_ms;
    int64_t interrupted_ms, interrupted_chip_ms; /* the part that interruptions cost */
    int64_t window_ms[LEDGER_MAX_WINDOWS];
    enum basis basis;
    bool is_settled; /* its largest span is settled: its text is kept */
    struct origin largest;
};

struct sums { /* all that a sweep books up to a time: kept when that time is settled, and continued from there */
    struct account accounts[ACCOUNT_COUNT];
    struct open_span {
        int account; /* -1: none */
        int64_t from_ms;
        struct origin origin; /* of the first view, in what is settled */
    } span;
    int64_t available_ms, chip_ms_waiting, step_count, lost_steps, last_step, max_step, running_since_ms;
    struct progress progress;
    struct progress series; /* when the present series began */
    struct slices_down down;
};

struct execution {
    int64_t start_ms, available_ms, first_step_ms, end_ms, first_step, last_step;
    int64_t image_pull_ms, container_start_ms, startup_ms, productive_ms;
    int64_t pull_from_ms, pull_to_ms; /* TIME_UNKNOWN: no slot waited for a pull */
    char puller[LEDGER_NAME_SIZE]; /* the slot whose pull ended last, no later than pull_to_ms; "": not searched yet */
};

struct recovery { /* the cost of one interruption */
    int64_t tch_ms, tre_ms, wait_ms, trm_ms, lost_steps;
    int64_t cost_ms, chip_ms;               /* all lost time that it caused; the chips allocated during it */
    int64_t detect_ms;                      /* FailureDetection, of a node or of a process */
    int64_t first_step_ms, new_progress_ms; /* TIME_UNKNOWN: not reached yet */
    int64_t max_step_before;
    bool is_assumed;
};

struct interruption {
    int64_t at_ms, until_ms;
    int64_t lost_ms;                       /* when objects first showed the loss: not after at_ms */
    int64_t running_ms;                    /* all containers run again; TIME_OPEN */
    const struct ledger_disruption *cause; /* NULL: unknown */
    int64_t quiet_ms;                      /* a hang: the time without progress before it ended; else 0 */
    int64_t quiet_from_ms;                 /* when that began; not of a settled one */
};

struct loss_finder { /* state of the search for losses: interruptions.c */
    int64_t last_count, lost_ms;
    bool is_restarting;
    bool has_lost_pod;  /* since lost_ms, while steps proved that training continued */
    bool is_counted;    /* as an interruption since lost_ms */
    bool was_available; /* all slots were, before unobserved time */
};

struct reported {         /* by the records so far */
    bool has_records;     /* any process has a record */
    bool has_checkpoints; /* of a save or a restore */
    int custom_count;
    char custom_names[LEDGER_MAX_CUSTOM + 1][RECORD_NAME_SIZE]; /* the last: Other */
};

#define SETTLED_LISTED 16 /* interruptions that are listed individually */
#define SETTLED_DELTAS 64

struct settled {
    int64_t through_ms;
    struct sums sums;
    char *evidence[ACCOUNT_COUNT]; /* NULL: none */
    /* The newest interruptions, the executions that they ended, and the present one. Most jobs have few. */
    struct listed {
        struct interruption item;
        struct ledger_disruption cause;
        struct recovery recovery;
        enum ledger_saved saved_on_sigterm;
    } * listed;
    size_t listed_count;           /* SETTLED_LISTED at most */
    struct execution *executions;  /* listed_count + 1 */
    int64_t *productive_before_ms; /* Productive when each execution began */
    struct ledger_older older;
    struct loss_finder losses;
    /* training: the process whose run continues at through_ms, and that run */
    size_t process;
    bool reports_starts;
    enum run_reason reason;
    int64_t run_begin_ms, run_first_step, run_resumed_step, run_last_step;
    int64_t durable_steps[2]; /* [0] if any reported save counts, [1] if only final ones do */
    bool any_final;
    struct reported reported;
    int64_t clipped_ms, overlapped, view_count, last_record_ms, headless_ms;
    struct delta_count deltas[SETTLED_DELTAS];
    struct durations durations;
    struct snapshots snapshots;
    struct settled_phases *phases; /* NULL: none */
};

/* The steps from from_step on are lost to an interruption. */
struct loss {
    int64_t from_step;
    int interruption; /* index; -1: a rollback without one */
    bool is_assumed;  /* training has not resumed: assumes a rollback to the last durable checkpoint */
    /* Training resumed somewhere within a line: the steps up to through_step were done again, or kept. Then that line's
     * steps took at most redone_ms. */
    bool is_doubtful;
    int64_t through_step, redone_ms;
};

/* Of the time that `steps` doubtful steps took, so much as the line that may have done them again did not take: it is
 * Unattributed, as they may have been kept. */
static inline int64_t loss_doubt_ms(const struct loss *loss, int64_t steps, int64_t ms) {
    int64_t redone_ms = loss->redone_ms / (loss->through_step - loss->from_step + 1) * steps;
    return ms > redone_ms ? ms - redone_ms : 0;
}

/* The same for settled steps. */
struct settled_loss {
    struct loss loss;
    int64_t ms, steps, chip_ms; /* what it took, set by settled_lose */
};

void settled_free(struct settled *s);
/* Makes room for that number of interruptions and of executions; what is new is not initialized. */
void settled_list(struct settled *s, size_t listed_count);
struct settled *settled_copy_sums(const struct settled *s); /* all but the snapshots and durations */
struct settled *settled_clone(const struct settled *s);
/* Takes the loss from the settled part: Productive becomes WastedProgress. */
void settled_lose(struct settled *s, struct settled_loss *loss);

/* The progress that was retained at the end of this step; *is_exact: a snapshot exists there. */
struct progress settled_progress(const struct settled *s, int64_t step, bool *is_exact);
/* The sums at an earlier time, each prorated between two snapshots; from_ms is not after through_ms. */
void settled_sums_at(const struct settled *s, int64_t start_ms, int64_t at_ms, int64_t sums[static ACCOUNT_COUNT],
                     int64_t *ret_interruptions);

#endif
