/* lines_seen: which records of a process's last line were read, so that a line read twice (a follow that reconnected)
 * counts once. Plain data of its process; all-zero is valid. */
#ifndef LEDGER_LINES_SEEN_H
#define LEDGER_LINES_SEEN_H

#include "ledger/record.h"

#define LINES_SEEN_NUMBERS 6

struct lines_seen {
    int64_t last;           /* the last line */
    uint64_t hashes[8];     /* of its records */
    int hash_count, phases; /* of the last line */
    /* Its first record, as long as no hash is needed: almost all lines have one record. */
    int64_t first[LINES_SEEN_NUMBERS];
    bool has_first;
};

/* Another line is the last one. The rest of it is left as it is: nothing reads it. */
void lines_seen_begin(struct lines_seen *lines, int64_t line);
/* Notes a record of the last line; true if it was noted before. */
bool lines_seen_note(struct lines_seen *lines, const struct record *r);
/* Makes the hash of the first record, before `hashes` is read. */
void lines_seen_hash(struct lines_seen *lines);

#endif
