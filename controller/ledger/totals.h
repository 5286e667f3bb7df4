/* totals: sums over the whole log, without a time.
 *
 * FLOP/s as step lines report them, by class of magnitude, so that a reader that knows the peak of the chips can leave
 * out impossible ones (formulas/flops.h). The FLOPs of a line are its rate times the duration of its steps: the line's
 * own, else the time since the line before. The first line of a run reports no number of steps, and is left out.
 *
 * The duration of saves from their start until a restart could use them. The sums are integers, so the order of the
 * processes does not matter. Private to ledger/. */
#ifndef LEDGER_TOTALS_H
#define LEDGER_TOTALS_H

#include "ledger/evaluate.h"

struct codec;
struct saving;

struct totals {
    struct ledger_flops *items; /* by class, ascending */
    size_t count, capacity;
    struct save_total {
        int64_t count, ms;
    } saves[2]; /* [0] until written, or until the end of the blocking part; [1] until a line calls it final */
};

/* Adds a line that ends several steps, over took_ms, at tflops_milli; impossible values are left out. */
void totals_add_flops(struct totals *t, int64_t tflops_milli, int64_t steps, int64_t took_ms);
/* Adds a record of a save; saving: the saves in progress of its process (process.h). */
void totals_add_save(struct totals *t, struct saving *saving, const struct record *r, int64_t at_ms);
void totals_visit(struct codec *c, struct totals *t);
/* Owned by the caller; NULL if there are none. */
struct ledger_flops *totals_copy_flops(const struct totals *t);
/* If a line calls any save final, only final saves count, as for durability (rollback.c). */
struct save_total totals_saves(const struct totals *t);
void totals_done(struct totals *t);

#endif
