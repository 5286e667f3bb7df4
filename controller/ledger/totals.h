/* totals: sums over the whole log that have no place in time.
 *
 * FLOP/s as lines of steps report them, by class of magnitude, so that whoever knows the peak of the chips can leave
 * out impossible ones (formulas/flops.h). The FLOPs of a line are its rate times the duration of its steps: the line's
 * own, else the time since the line before. The first line of a run reports no number of steps, and is left out.
 *
 * The duration of saves from their start until a restart could use them. Sums of integers: the order of the processes
 * changes nothing. Private to ledger/. */
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
    } saves[2]; /* until written, or blocking no more where nothing is written behind; until a line calls it final */
};

/* A line that ends several steps, over took_ms, at tflops_milli; impossible values are left out. */
void totals_add_flops(struct totals *t, int64_t tflops_milli, int64_t steps, int64_t took_ms);
/* A record of a save, with those of its process that are under way (process.h). */
void totals_add_save(struct totals *t, struct saving *saving, const struct record *r, int64_t at_ms);
void totals_visit(struct codec *c, struct totals *t);
/* Owned by the caller; NULL if there are none. */
struct ledger_flops *totals_copy_flops(const struct totals *t);
/* Saves of which a line calls any final count alone, as for what is durable (rollback.c). */
struct save_total totals_saves(const struct totals *t);
void totals_done(struct totals *t);

#endif
