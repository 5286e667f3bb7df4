/* keyed: finds a fact by its identity. An index from a 128-bit key to a position in the caller's array; positions are
 * handed out in order of first sight and never move. What must not depend on the order of arrival sorts by key. */
#ifndef LEDGER_KEYED_H
#define LEDGER_KEYED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keyed {
    uint64_t *mixed;     /* by position: both halves of the key */
    uint32_t *positions; /* by hash: position and one; 0: free */
    size_t table_size, count, capacity;
};

void keyed_done(struct keyed *k);
/* The position of (a, b); *is_new tells that it was not there and now has the next position. */
size_t keyed_put(struct keyed *k, uint64_t a, uint64_t b, bool *is_new);
/* The position, or SIZE_MAX. */
size_t keyed_find(const struct keyed *k, uint64_t a, uint64_t b);

#endif
