/* repeats: which lines were there before: files that overlap were joined or given together (a rotated log and the one
 * after it, `kubectl logs >> FILE` twice). A line that carries a time is a repeat if the same bytes are among the last
 * REPEATS_LINES lines; a line without a time, if it and the line before it are. So a log without any time has no
 * repeats. Lines are compared by 64 bits of a hash;
 * a recorder's step line by one of the text before its numbers and of them, which were read anyway. */
#ifndef STEPLOG_REPEATS_H
#define STEPLOG_REPEATS_H

#include "base/clock.h"
#include "base/slice.h"
#include "steplog/step_line.h"

#define REPEATS_LINES ((size_t)1 << 16)

struct repeats {    /* all-zero before repeats_begin() */
    uint64_t *keys; /* of the last lines, a ring; owned */
    size_t count, capacity;
    struct repeats_table {
        uint64_t *keys; /* 0: a free place; owned */
        size_t count, places;
    } young, old;    /* of the first `entered` lines; full, the young one becomes the old one */
    size_t entered;  /* the others are entered when a line is looked for, which few logs need */
    int64_t newest;  /* the largest number of a line so far */
    uint64_t before; /* the key of the line before */
    uint64_t files;
};

void repeats_done(struct repeats *r);
/* A file starts: what comes before its first line is not in it. */
void repeats_begin(struct repeats *r);
/* The number to note a line with whose own time is not known here: of an object, the fraction at its end, which is
 * the time in a recorder's entries; 0 where it has none; else TIME_UNKNOWN. */
int64_t repeats_number(struct slice line);
/* Notes a line as it came, without its newline; true if it is a repeat. number: its time in any unit, or any other that
 * the bytes give: one that is larger than all before it is new. TIME_UNKNOWN: it carries no time. */
bool repeats_note(struct repeats *r, struct slice line, int64_t number);
/* The same of a recorder's step line, by its numbers; prefix_key: repeats_step_key() of the text before them. */
bool repeats_note_step(struct repeats *r, uint64_t prefix_key, const struct step_line *l);
uint64_t repeats_step_key(struct slice prefix);
/* Whether one of the first lines is a repeat: the file continues one that was read. */
bool repeats_overlap(struct repeats *r, struct slice lines);

#endif
