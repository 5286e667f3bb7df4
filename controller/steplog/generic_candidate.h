/* generic_candidate: a counter in a log that no format names, and what its lines showed so far: its numbers, how far
 * apart they are, and which of the lines' numbers says how long steps take. generic.c chooses among the candidates. Not
 * for use outside steplog/. */
#ifndef STEPLOG_GENERIC_CANDIDATE_H
#define STEPLOG_GENERIC_CANDIDATE_H

#include "steplog/generic_epoch.h"
#include "steplog/generic_line.h"

#define GENERIC_HELD 8

struct generic_candidate {
    char name[GENERIC_NAME_BYTES];
    uint64_t kind;
    int64_t step;        /* the last one; RECORD_NONE: none yet */
    int64_t unit;        /* so much of the counter is a step */
    int64_t delta, line; /* between the last two; the line's number */
    int lines, equal, losses, figures;
    struct generic_epoch epochs;
    bool is_epoch;
    bool is_row;               /* the head of a block, or a row of a table */
    bool is_unplaced;          /* its lines leave open what the counter counts: the steps held may be of one epoch */
    int64_t at_ms;             /* of the last line; TIME_UNKNOWN */
    int agreed[GENERIC_TIMES]; /* lines whose number of that place was the time of each step since the line before */
    int time_place;            /* from 1 on; 0: no number of the line says how long steps take */
    bool leaves_out;           /* that number was once less than the time since the line before */
    struct {
        int64_t at_ms, step;
    } events[GENERIC_HELD]; /* until it is accepted */
    int held;
};

/* Of the line's counter. */
void generic_candidate_init(struct generic_candidate *c, const struct steplog *s, const struct generic_line *l);
void generic_candidate_visit(struct generic_candidate *x, struct codec *c);
/* Forgets the lines, not whose they are. */
void generic_candidate_start_over(struct generic_candidate *c);
/* The step of the line. False: the line leaves open what the counter counts. */
bool generic_candidate_step(struct generic_candidate *c, struct generic_line *l, int64_t *step);
/* The line's counter is the candidate's next one. */
void generic_candidate_count(struct generic_candidate *c, int64_t step, int64_t at_ms);
/* How much of the counter is a step. */
int64_t generic_candidate_unit(const struct generic_candidate *c);
/* Compares the line's numbers with the time of each of the steps since the line before. */
void generic_candidate_compare_times(struct generic_candidate *c, const struct generic_line *l, int64_t at_ms,
                                     int64_t steps);
/* Once it is accepted: the number with which all lines so far agree. */
void generic_candidate_choose_time(struct generic_candidate *c);
/* How long each of the steps took, by the line; RECORD_NONE. */
int64_t generic_candidate_mean_us(struct generic_candidate *c, const struct steplog *s, const struct generic_line *l,
                                  int64_t steps);

#endif
