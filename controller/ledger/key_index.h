/* key_index: finds a fact by its identity. An index from a 128-bit key to a position in the caller's array; positions
 * are given in order of arrival and never change. Code that must not depend on the order of arrival sorts by key. */
#ifndef LEDGER_KEY_INDEX_H
#define LEDGER_KEY_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct key_index {
    uint64_t *mixed;     /* by position: the two halves of the key, mixed */
    uint32_t *positions; /* by hash: position + 1; 0: free */
    size_t table_size, count, capacity;
};

void key_index_done(struct key_index *k);
/* The position of (a, b); *is_new: it was not there and now has the next position. */
size_t key_index_put(struct key_index *k, uint64_t a, uint64_t b, bool *is_new);
/* The position, or SIZE_MAX. */
size_t key_index_find(const struct key_index *k, uint64_t a, uint64_t b);

#endif
