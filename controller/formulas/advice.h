/* advice: what to change about a job, from its own ledger: what was seen, what to do, what it would bring. Each piece
 * is a row of a table (advice.c); without a number there is none, and none for what would bring less than 0.1 point of
 * job goodput or a minute. Pure.
 *
 * What a change brings: the same progress in less time, P / (W - x) - P / W, where x is the time that it saves. Where a
 * change can save a span in full at best, the words say "up to"; where it saves no less, "at least". tests/advice/
 * proves each rule. */
#ifndef FORMULAS_ADVICE_H
#define FORMULAS_ADVICE_H

#include "ledger/evaluate.h"
#include "rootcause/classes.h"

#define ADVICE_MAX 5
#define ADVICE_TEXT_SIZE 256

struct advice {
    const char *kind;    /* one word for programs: "CheckpointInterval" */
    const char *formula; /* how saved_ms or the gain is computed */
    const char *topic;   /* the section of deploy/docs/how-to/advice.md */
    char seen[ADVICE_TEXT_SIZE], change[ADVICE_TEXT_SIZE];
    int64_t gain_ppm;  /* of job goodput, in parts per million of 1: 10,000 is a point */
    int64_t saved_ms;  /* of wall time so far */
    int64_t within_ms; /* saved_ms is known within that: luck decides the rest; 0: nothing is left to luck */
    int64_t chip_ms;   /* accelerator time so far that it would have saved */
};

/* The best of what applies to this result, by gain. Returns how many; 0 without steps. classes: of the root causes of
 * the result's interruptions, CLASS_UNKNOWN where none is known; NULL: of none.
 * accused: the nodes that showed the causes of these interruptions, NULL where none did; NULL: none did.
 * save_errors: how many errors of checkpoints training survived in the execution that each of them ended, and, after
 * these, how many came after the newest checkpoint of the execution that runs; NULL: none. */
int advise(const struct ledger_result *result, const enum rootcause_class *classes, const char *const *accused,
           const int64_t *save_errors, struct advice out[static ADVICE_MAX]);
/* The buckets whose time a change lowers, separated by commas; "*": all lost time; "": none, but that of steps. NULL:
 * no such advice. */
const char *advice_lowers(const char *kind);
/* The work of the steps since the newest checkpoint, which an interruption now would lose; 0: not known, or none. */
int64_t advice_unsaved_ms(const struct ledger_result *result);

#endif
