/* generic: steps of trainers that no format names: what is remembered between lines. Not for use outside steplog/. */
#ifndef STEPLOG_GENERIC_H
#define STEPLOG_GENERIC_H

#include "steplog/generic_bar.h"
#include "steplog/generic_line.h"
#include "steplog/parser.h"

#define GENERIC_CANDIDATES 4
#define GENERIC_HELD 8
#define GENERIC_FRACTIONS 4

struct generic_candidate {
    char name[GENERIC_NAME_BYTES];
    uint64_t kind;
    int64_t step;          /* the last one; RECORD_NONE: none yet */
    int64_t number, epoch; /* as the last line has them */
    int64_t before;        /* what earlier epochs counted, where no line gives their length */
    int64_t unit;          /* so much of the counter is a step */
    int64_t delta, line;   /* between the last two; the line's number */
    int64_t span;          /* so far the counter must move until it is known to be that of all epochs */
    int lines, equal, losses, figures;
    enum { SCOPE_UNKNOWN, SCOPE_EPOCH, SCOPE_ALL } scope;
    bool is_zero_based, is_epoch;
    struct {
        int64_t at_ms, step;
    } events[GENERIC_HELD]; /* until it is accepted */
    int held;
};

struct generic {
    struct generic_candidate candidates[GENERIC_CANDIDATES]; /* [0]: the one accepted */
    int candidate_count;
    bool is_accepted, is_training, has_other_ranks;
    int64_t rank;                             /* whose lines are read; RECORD_NONE: no line names one */
    int64_t tries;                            /* lines with a counter while none was accepted */
    int64_t block_line, loss_line, time_line; /* the last row; the last line with such a figure */
    int64_t epoch, epochs;                    /* of a line by itself; RECORD_NONE */
    uint64_t fractions[GENERIC_FRACTIONS];    /* names of counters that are no whole numbers; 0: free */
    struct generic_bar bar;
    char name[STEPLOG_NAME_BYTES]; /* for people */
};

void generic_set_name(struct generic *g); /* once it is accepted */
/* "Generic(iter N)", of the format's state once it was accepted. Borrowed. */
const char *generic_name(const void *state);

#endif
