/* generic_bar: progress bars of trainers that no format names (tqdm's and rich's). Not for use outside steplog/. */
#ifndef STEPLOG_GENERIC_BAR_H
#define STEPLOG_GENERIC_BAR_H

#include "steplog/parser.h"

#define GENERIC_DRAWINGS 32
#define GENERIC_DESCRIPTION_BYTES 48

struct generic_bar {
    bool is_accepted;
    bool is_in_epochs;          /* another bar is named "Epoch" */
    bool has_loss;              /* behind the bar that is counted: without it another one is drawn */
    uint64_t kind;              /* of the bar that is counted; 0: none yet */
    int64_t epoch, total, done; /* as last drawn; RECORD_NONE */
    int64_t named_epoch;        /* by a line by itself since the bar was last drawn; RECORD_NONE */
    int64_t epoch_of_line;      /* the bar began after such a line; RECORD_NONE */
    int64_t all_steps;          /* that a line announced; RECORD_NONE */
    int64_t began_ms;           /* its clock was zero; TIME_UNKNOWN */
    int64_t before;             /* what earlier bars counted, where no drawing gives the epoch */
    int64_t drawn;              /* drawings that moved the bar */
    int64_t start_total, start; /* of a bar drawn when its clock was zero: what it began from; RECORD_NONE */
    int64_t resumed_step;       /* the first step of the log */
    bool shows_loss;            /* the last text that was asked for it, of that shape (parser.h) */
    uint64_t shape;
    /* The last description, and what it says. */
    struct {
        char text[GENERIC_DESCRIPTION_BYTES];
        size_t size_bytes; /* more than that: the text is not kept */
        uint64_t kind;
        int64_t epoch, epochs; /* RECORD_NONE */
        bool is_training, is_evaluation;
    } described;
    /* Of the line being read. */
    struct {
        int64_t step, clock_ms;
    } * drawings;                 /* room for GENERIC_DRAWINGS; NULL: no bar was drawn */
    int count;                    /* where there are more, every second one is left out */
    int64_t clock_ms, earlier_ms; /* of the last drawing; of the bars before it in this line */
    int64_t stamped_ms;           /* the clock when the line was stamped */
    /* By the clock of an evaluation's bar: at its end (0: not reached), and when the line was stamped. */
    int64_t evaluated_ms, evaluation_stamped_ms;
};

void generic_bar_init(struct generic_bar *b);
void generic_bar_done(struct generic_bar *b);
void generic_bar_visit(struct generic_bar *b, struct codec *c);
/* A line by itself names the epoch: that of a bar without one that begins after it. */
void generic_bar_name_epoch(struct generic_bar *b, int64_t epoch);
/* False if it is not a bar. */
bool generic_bar_line(struct generic_bar *b, struct steplog *s, struct slice text);
/* Whether the bar counts steps by now: after some drawings. */
bool generic_bar_accept(struct generic_bar *b);
/* Emits the line's steps, once the bar is accepted. */
void generic_bar_end_line(struct generic_bar *b, struct steplog *s);

#endif
