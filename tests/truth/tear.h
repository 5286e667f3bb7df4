/* tear: one line of a log is torn, as a full disk, a rotation or a cut connection does it, and what that costs. A torn
 * line may cost its steps and the adjacent one, and the time that its steps took; the rest of the log counts as before.
 */
#ifndef TRUTH_TEAR_H
#define TRUTH_TEAR_H

#include "base/buf.h"
#include "ledger/record.h"
#include "steplog/steplog.h"

struct tear {
    uint64_t seed;
    bool is_whole; /* the line is only looked at */
    bool is_shown; /* printed, and how it is torn */
    /* Of the whole line: */
    int64_t line, counted_ms; /* how long its steps took: as it says, else since the steps before them */
    int64_t step_ms;          /* of the last step so far; 0: none */
    bool logs_checkpoint;     /* the last safe step, or where it continued */
};

/* One line of the text, torn: its rest lost, its rest and its end lost (so that the next one is glued on), its end
 * alone lost, or its head lost. Which line and how is the seed's choice. */
void tear_line(struct tear *t, struct buf *text);
/* A record of the log of which a line is torn, while the line is whole. */
void tear_note(struct tear *t, const struct record *r);

/* Jobs of N seeds, each with a torn line: false if too many lost more than the line could cost. */
bool tear_jobs(enum steplog_format format, uint64_t seed, int64_t jobs);

#endif
