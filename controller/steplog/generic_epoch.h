/* generic_epoch: the number of a counter over all epochs, where it starts again with each epoch. Not for use outside
 * steplog/. */
#ifndef STEPLOG_GENERIC_EPOCH_H
#define STEPLOG_GENERIC_EPOCH_H

#include "steplog/generic_line.h"
#include "steplog/parser.h"

struct generic_epoch {
    int64_t number, total, epoch; /* as the last line has them; RECORD_NONE */
    int64_t before;               /* what earlier epochs counted, where no line names the epoch */
    int64_t first, length;        /* the first epoch's number, and the steps of each; RECORD_NONE */
    int64_t span;                 /* so far the counter must move until it is known to be that of all epochs */
    enum counter_scope scope;
    bool is_zero_based;
    bool is_batch_of_epoch; /* "Batch 3/100", "Batch 3/200": the epoch and the batch */
};

/* With what processes before have shown of that counter. */
void generic_epoch_init(struct generic_epoch *e, const struct steplog *s, uint64_t kind);
void generic_epoch_visit(struct generic_epoch *e, struct codec *c);

/* The counter of such a line is the number behind the slash, and the number before it is the epoch. */
void generic_epoch_split(struct generic_line *l);
/* True: the line before this one was of that form, and so is this one. */
bool generic_epoch_is_split(const struct generic_epoch *e, const struct generic_line *l);

/* The counter over all epochs. False: the line leaves open what it counts, and no earlier line shows it. has_held: the
 * steps of earlier lines may still change. */
bool generic_epoch_number(struct generic_epoch *e, const struct generic_line *l, bool has_held, int64_t *number);
/* What the lines before, whose epoch was left open until this line, must be moved by. */
int64_t generic_epoch_before(const struct generic_epoch *e);
/* After generic_epoch_number(): the line is the last one now. */
void generic_epoch_note(struct generic_epoch *e, const struct generic_line *l);
/* Later processes of the job start from what this one has shown. */
void generic_epoch_share(const struct generic_epoch *e, struct steplog *s, uint64_t kind);

#endif
