/* rising: lines of one kind in which a whole number rises by the same distance from line to line, next to a number with
 * a fraction: they may be a trainer's progress in words that no format knows ("phase=7 cost 2.9"). For what a person is
 * shown; nothing is counted by it. Not for use outside steplog/. */
#ifndef STEPLOG_RISING_H
#define STEPLOG_RISING_H

#include "base/slice.h"
#include "steplog/explain.h"

#define RISING_KINDS 12
#define RISING_NUMBERS 8 /* of a line; it is of one kind with lines that are the same up to the last of them */

struct rising { /* all zero is empty */
    struct rising_kind {
        uint64_t shape; /* of the text without its digits */
        int64_t last[RISING_NUMBERS], distance[RISING_NUMBERS];
        int64_t equal[RISING_NUMBERS]; /* lines whose distance was that of the line before */
        int64_t lines, newest;
        char text[STEPLOG_SAMPLES][STEPLOG_SAMPLE_BYTES];
    } kinds[RISING_KINDS];
    int64_t lines;
};

/* A line without its stamp and escapes, shorter than STEPLOG_SAMPLE_BYTES. */
void rising_line(struct rising *r, const char *text);
/* Which kind most lines are of whose number rises; NULL: none. place: of its number within the line. */
const struct rising_kind *rising_best(const struct rising *r, int *place);
/* The number at that place. lead: the word before it, and what is between; what begins the line, where no word is
 * there. False if the line has no such number, or nothing names it. */
bool rising_number(struct slice text, int place, struct slice *lead, struct slice *number);
/* What stands behind the slash of such a number: the 200 of "180/200". */
bool rising_total(struct slice text, int place, struct slice *total);
/* A letter, a digit or part of a letter beyond ASCII. */
bool rising_is_word(char c);

#endif
