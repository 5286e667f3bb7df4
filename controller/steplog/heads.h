/* heads: the first lines of a process show where another process starts within one log: a file that several attempts
 * were written to, one after the other. Another process starts where lines from before the first step come again
 * between two steps: one of the log's first four, and another one behind it if there were more. One of them is not a
 * warning, or there are four. Digits do not count: they are times and numbers of processes.
 *
 * Not used are lines that a process writes again and again: of a step, an epoch, an evaluation or a save; those that
 * begin with a space; progress bars; and those that come again before the second step. A process needs a tenth of a
 * second to start: a line that comes sooner after the line before is of the same process (stamps of whole seconds do
 * not show it).
 *
 * In a log that is all there is to know, a silence of a day ends a process. One of an hour ends it if one of the log's
 * first lines follows before the next step, or that step was done before. A line of training or of an error shows that
 * the same process was silent. */
#ifndef STEPLOG_HEADS_H
#define STEPLOG_HEADS_H

#include "base/codec.h"
#include "base/slice.h"
#include "ledger/record.h"

#define HEADS_LINES 16
#define HEADS_HELD 8
#define HEADS_SILENCE_MS INT64_C(3600000)
#define HEADS_LONG_SILENCE_MS INT64_C(86400000)

struct heads { /* all-zero before heads_begin() */
    uint64_t lines[HEADS_LINES];
    int count;
    uint64_t looks;     /* of all of them: a line that has none of these bits is none of them */
    uint32_t warnings;  /* a bit for each that is one */
    bool is_useless;    /* they come again and again */
    bool is_all;        /* the log is all there is to know; set it after heads_begin() */
    int64_t last_ms;    /* of the last line before that has a time */
    int64_t silence_ms; /* the longest that ended with such a line */
    int64_t ended_ms;   /* the process before had its last line then, or later */
    int64_t steps;      /* that the log had when its present process started, with lines that look like them */
    /* Those that came again since the last step, or all behind hours of silence: */
    int64_t since;       /* the log's steps then; -1: none */
    int64_t silent_ms;   /* of the line before the silence; TIME_UNKNOWN: there was none */
    int64_t at_ms;       /* of the first of them */
    uint32_t again;      /* a bit for each */
    struct record *held; /* of those lines and the lines between them; NULL: none */
    int held_count;      /* HEADS_HELD at most */
};

void heads_begin(struct heads *h);
void heads_drop_held(struct heads *h);
void heads_visit(struct heads *h, struct codec *c);
/* A line came again: those since then may be of another process than those before. */
bool heads_is_open(const struct heads *h, int64_t steps);
/* Keeps a record of which it is open whose it is. False: it is of the process before. */
bool heads_hold(struct heads *h, const struct record *r, int64_t steps);
/* A line of the log after `steps` steps, the last of them `last_step` (RECORD_NONE). True: it proves another process,
 * which started at h->at_ms. */
bool heads_line(struct heads *h, struct slice line, int64_t at_ms, int64_t steps, int64_t last_step);

#endif
