/* told: what the lines of steps say of FLOP/s, summed by how high they say it is, so that whoever knows the peak of the
 * chips can leave out what cannot be (formulas/flops.h). One line's FLOPs are what it says times how long its steps
 * took: the line's own word, else since the line before. The first line of a run tells no number of steps, and is left
 * out. Sums of integers: the order in which processes are told changes nothing. Private to ledger/. */
#ifndef LEDGER_TOLD_H
#define LEDGER_TOLD_H

#include "ledger/ledger.h"

struct codec;

struct told {
    struct ledger_flops *items; /* by class, ascending */
    size_t count, capacity;
};

/* Several ends of steps told by one line, over took_ms, at tflops_milli; nonsense is left out. */
void told_add(struct told *t, int64_t tflops_milli, int64_t steps, int64_t took_ms);
void told_visit(struct codec *c, struct told *t);
/* Owned by the caller; NULL if there are none. */
struct ledger_flops *told_copy(const struct told *t);
void told_done(struct told *t);

#endif
