/* generic_line: one line of a trainer that no format names: which counter it shows, and next to which figures. It keeps
 * nothing between lines. The format Generic reads by it, and step_samples suggests by it. Not for use outside
 * steplog/. */
#ifndef STEPLOG_GENERIC_LINE_H
#define STEPLOG_GENERIC_LINE_H

#include "base/slice.h"

#define GENERIC_NAME_BYTES 24
#define GENERIC_LINE_BYTES 8192 /* the head that is read; DETR ends a line of 4.5 KB with its epoch */
#define GENERIC_TIMES 4

/* A number in the line, with the name before it. */
struct generic_figure {
    struct slice lead, number; /* "iter time: ", "12.3" */
    const char *unit;          /* of a time: as it stands behind the number, "ms"; "": the name says it, or nothing */
    int64_t us;                /* of a time */
};

struct generic_line {
    char name[GENERIC_NAME_BYTES]; /* of the counter, in lower case: "iter", "train/step"; "": the line shows none */
    struct generic_figure counter;
    struct generic_figure times[GENERIC_TIMES]; /* that may be durations, in the order of the line */
    int time_count;
    uint64_t kind;               /* lines of one kind show one counter */
    int64_t number, total;       /* RECORD_NONE: no total */
    int64_t epoch, epochs;       /* RECORD_NONE */
    int64_t all_steps;           /* "Total optimization steps = 500"; RECORD_NONE */
    uint64_t fraction;           /* slice_hash() of a counter's name whose number is not whole; 0 */
    int64_t rank;                /* of the process that printed it: "[rank3]: "; RECORD_NONE */
    bool is_epoch;               /* the counter is the epoch */
    bool counts_within_epoch;    /* "[3][50/1500]", "Epoch 3 batch 50/1500": it begins again with each epoch */
    bool may_count_within_epoch; /* "Epoch [3/10], Step [50/1500]": only other lines show it */
    bool is_of_epoch;            /* a batch with a total: it belongs to the epoch that an earlier line names */
    bool is_row;                 /* of a table or a block: its figures are on the lines around it */
    bool has_loss;               /* or another figure that only training has: a learning rate, a gradient's norm */
    bool has_time;               /* a duration or a rate */
    bool is_training;            /* the word stands there */
    bool is_evaluation;          /* it is about a validation or a test */
};

/* Whether the line is that of a step: a counter next to a figure. (Of a row or a block the lines around it decide.) */
bool generic_line_is_step(const struct generic_line *l);
/* It has the loss of a validation and nothing of training. */
bool generic_line_is_evaluation(const struct generic_line *l);

/* False if the line shows nothing of training. */
bool generic_line_parse(struct slice text, struct generic_line *ret);

#endif
