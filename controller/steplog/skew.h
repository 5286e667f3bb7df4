/* skew: a clock that is set while it stamps the lines of a log (NTP, daylight saving time without a zone). Stamps
 * become times as if it had not been set:
 *   - A line stamped more than SKEW_MIN_MS before the line before it: the clock was set back. If it was set forward by
 *     as much before, both are undone, in a second reading. Else, if the end of it would show, times continue from the
 * line before at the median distance of lines, until the clock is set forward by as much.
 *   - A line that comes an hour after the line before it, beyond the usual distance, by a clock without a zone: the
 * clock was set forward. Any other distance forward may be silence: it stays (ahead.h). Two other things are not the
 * clock's, and stay: another log that was appended (back by more than seven eighths of the time so far, but not by half
 * hours), and lines that are out of order (back more than SKEW_MAX_SETS times). */
#ifndef STEPLOG_SKEW_H
#define STEPLOG_SKEW_H

#include "base/clock.h"

#include <stdbool.h>
#include <stddef.h>

#define SKEW_MIN_MS 1000
#define SKEW_MAX_SETS 8

struct skew {            /* all-zero at the start; then skew_begin() */
    bool can_read_again; /* the caller offers a second reading, if skew_wants_again() after the first */
    bool is_again;       /* this is the second */
    int64_t sets, largest_ms;

    int64_t lines;                 /* with a stamp: the number of the present one */
    int64_t last_ms, last_time_ms; /* its stamp, and its time */
    int64_t first_ms, newest_ms;   /* of the file's stamps */
    int64_t offset_ms;             /* what stamps become times by */
    int64_t back_ms;               /* of offset_ms, what the clock was set back last */
    int backs;                     /* that were not undone */
    struct {
        int64_t ms[15];
        size_t count;
    } distances; /* of the last lines; a ring */
    struct skew_jump {
        int64_t line, by_ms;
    } forward[64]; /* what may have been silence; a ring */
    size_t forward_count;
    struct skew_jump *undone; /* of which a second reading knows; owned */
    size_t undone_count, undone_capacity, undone_next;
};

void skew_done(struct skew *k);
/* A file starts, which does not continue the one before: there may be any time between their lines. */
void skew_begin(struct skew *k);
/* The time of a line with that stamp. */
int64_t skew_follow(struct skew *k, int64_t stamp_ms, bool has_zone);
bool skew_wants_again(const struct skew *k);
/* Prepares *again, which is all-zero, for the second reading, with what the first has found; *k is empty then. */
void skew_read_again(struct skew *again, struct skew *k);

#endif
