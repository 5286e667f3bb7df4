/* told: sums over the whole log of what is of no place in time. What the lines of steps say of FLOP/s, by how high they
 * say it is, so that whoever knows the peak of the chips can leave out what cannot be (formulas/flops.h). One line's
 * FLOPs are what it says times how long its steps took: the line's own word, else since the line before. The first line
 * of a run tells no number of steps, and is left out. And how long saves took from their beginning until a restart
 * could use them. Sums of integers: the order in which processes are told changes nothing. Private to ledger/. */
#ifndef LEDGER_TOLD_H
#define LEDGER_TOLD_H

#include "ledger/ledger.h"

struct codec;
struct saving;

struct told {
    struct ledger_flops *items; /* by class, ascending */
    size_t count, capacity;
    struct told_saves {
        int64_t count, ms;
    } saves[2]; /* until written, or blocking no more where nothing is written behind; until a line calls it final */
};

/* Several ends of steps told by one line, over took_ms, at tflops_milli; nonsense is left out. */
void told_add(struct told *t, int64_t tflops_milli, int64_t steps, int64_t took_ms);
/* A record of a save, with those of its process that are under way (process.h). */
void told_save(struct told *t, struct saving *saving, const struct record *r, int64_t at_ms);
void told_visit(struct codec *c, struct told *t);
/* Owned by the caller; NULL if there are none. */
struct ledger_flops *told_copy(const struct told *t);
/* Saves of which a line calls any final count alone, as for what is durable (rollback.c). */
struct told_saves told_saves(const struct told *t);
void told_done(struct told *t);

#endif
