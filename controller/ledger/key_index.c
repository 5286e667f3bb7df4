#include "ledger/key_index.h"

#include "base/hash.h"
#include "base/mem.h"

void key_index_done(struct key_index *k) {
    free(k->mixed);
    free(k->positions);
    *k = (struct key_index){0};
}

/* Keys are mostly hashes already, so a collision of two pairs is as unlikely as one of two keys. */
static uint64_t mix(uint64_t a, uint64_t b) {
    return hash_local(b, HASH_BYTES(&a));
}

/* The place of the key, or the free place where it would go. */
static size_t probe(const struct key_index *k, uint64_t mixed) {
    size_t mask = k->table_size - 1, i = (size_t)mixed & mask;
    while (k->positions[i] != 0 && k->mixed[k->positions[i] - 1] != mixed)
        i = (i + 1) & mask;
    return i;
}

static void grow(struct key_index *k) {
    k->table_size = k->table_size ? k->table_size * 2 : 16;
    free(k->positions);
    k->positions = mem_alloc(k->table_size * sizeof *k->positions);
    for (size_t i = 0; i < k->count; i++)
        k->positions[probe(k, k->mixed[i])] = (uint32_t)(i + 1);
}

size_t key_index_put(struct key_index *k, uint64_t a, uint64_t b, bool *is_new) {
    if (k->count * 4 >= k->table_size * 3)
        grow(k);
    uint64_t mixed = mix(a, b);
    size_t at = probe(k, mixed);
    *is_new = k->positions[at] == 0;
    if (*is_new) {
        MEM_GROW(k->mixed, k->count, k->capacity);
        k->mixed[k->count] = mixed;
        k->positions[at] = (uint32_t)++k->count;
    }
    return k->positions[at] - 1u;
}

size_t key_index_find(const struct key_index *k, uint64_t a, uint64_t b) {
    if (k->table_size == 0)
        return SIZE_MAX;
    size_t at = probe(k, mix(a, b));
    return k->positions[at] == 0 ? SIZE_MAX : k->positions[at] - 1u;
}
