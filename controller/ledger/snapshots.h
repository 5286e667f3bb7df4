/* snapshots: the sums of a ledger at earlier times, in time order: at the newest checkpoints for rollbacks, and on the
 * grid of the windows. Private to ledger/. */
#ifndef LEDGER_SNAPSHOTS_H
#define LEDGER_SNAPSHOTS_H

#include "ledger/ledger.h"

#define ACCOUNT_COUNT (BUCKET_COUNT + LEDGER_MAX_CUSTOM + 1) /* buckets, then the custom ones, the last is Other */

/* The progress that was retained when a step ended. */
struct progress {
    int64_t step, steps; /* the last step (RECORD_NONE: none yet); the number of retained steps */
    int64_t productive_ms, chip_ms;
};

struct snapshot {
    int64_t at_ms, interruptions;
    bool is_checkpoint;
    struct progress progress; /* when its last retained step ended, which may be before at_ms */
    int64_t ms[ACCOUNT_COUNT];
};

struct kept_snapshot { /* a job has hundreds, and time in few accounts */
    int64_t at_ms, interruptions;
    struct progress progress;
    uint64_t accounts; /* a bit for each that has time */
    bool is_checkpoint;
    int64_t ms[]; /* of these accounts, in their order */
};

struct snapshots {
    struct kept_snapshot **items; /* in time order, each allocated separately */
    size_t count, capacity;
};

void snapshots_done(struct snapshots *k);
void snapshots_add(struct snapshots *k, const struct snapshot *snapshot);
void snapshots_get(const struct snapshots *k, size_t i, struct snapshot *ret);
/* Moves all of them to the end of another's. */
void snapshots_move(struct snapshots *to, struct snapshots *from);
/* Drops the snapshots that no window and no rollback to one of the newest checkpoints needs. */
void snapshots_prune(struct snapshots *k, const struct ledger_options *options, int64_t through_ms);
/* The next time after after_ms for a snapshot on the windows' grid. Returns only times that snapshots_prune keeps for a
 * ledger settled through through_ms, so that their number is bounded. TIME_OPEN without windows. */
int64_t snapshots_next(const struct ledger_options *options, int64_t after_ms, int64_t through_ms);
/* Progress that was retained after the cut is lost: Productive becomes WastedProgress. */
void snapshots_cut(struct snapshots *k, const struct progress *cut);

#endif
