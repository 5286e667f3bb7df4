/* analyze_repeats: records that a file has twice, as files that overlap were joined (a rotated log and the one after
 * it, a log that was appended to one that was kept). A record behind the newest time is a repeat if the last
 * ANALYZE_REPEATS records have one of the same time, kind and step. */
#ifndef CLI_ANALYZE_REPEATS_H
#define CLI_ANALYZE_REPEATS_H

#include "ledger/record.h"

#include <stddef.h>

#define ANALYZE_REPEATS ((size_t)1 << 16)

struct analyze_repeats { /* all-zero before the first record */
    struct analyze_repeat {
        int64_t at_ms, what;
    } * ring; /* by time; owned */
    size_t count, capacity;
    bool is_behind; /* since a record came that was older than the newest */
};

void analyze_repeats_done(struct analyze_repeats *r);
void analyze_repeats_clear(struct analyze_repeats *r); /* another file starts */
/* Notes a record; true if it is a repeat. */
bool analyze_repeats_note(struct analyze_repeats *r, const struct record *record);

#endif
