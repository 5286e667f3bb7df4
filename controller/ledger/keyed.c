#include "ledger/keyed.h"

#include "base/mem.h"

void keyed_done(struct keyed *k) {
    free(k->table);
    *k = (struct keyed){0};
}

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t h = a ^ (b * 0x9E3779B97F4A7C15u);
    h = (h ^ (h >> 31)) * 0xBF58476D1CE4E5B9u;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
    return h ^ (h >> 31);
}

static struct keyed_entry *probe(const struct keyed *k, uint64_t a, uint64_t b) {
    size_t mask = k->table_size - 1;
    for (size_t i = (size_t)mix(a, b) & mask;; i = (i + 1) & mask) {
        struct keyed_entry *e = &k->table[i];
        if (e->position_plus_1 == 0 || (e->a == a && e->b == b))
            return e;
    }
}

static void grow(struct keyed *k) {
    struct keyed old = *k;
    k->table_size = old.table_size ? old.table_size * 2 : 16;
    k->table = mem_alloc(k->table_size * sizeof *k->table);
    for (size_t i = 0; i < old.table_size; i++)
        if (old.table[i].position_plus_1 != 0)
            *probe(k, old.table[i].a, old.table[i].b) = old.table[i];
    free(old.table);
}

size_t keyed_put(struct keyed *k, uint64_t a, uint64_t b, bool *is_new) {
    if (k->count * 3 >= k->table_size * 2)
        grow(k);
    struct keyed_entry *e = probe(k, a, b);
    *is_new = e->position_plus_1 == 0;
    if (*is_new)
        *e = (struct keyed_entry){a, b, (uint32_t)++k->count};
    return e->position_plus_1 - 1u;
}

size_t keyed_find(const struct keyed *k, uint64_t a, uint64_t b) {
    if (k->table_size == 0)
        return SIZE_MAX;
    const struct keyed_entry *e = probe(k, a, b);
    return e->position_plus_1 == 0 ? SIZE_MAX : e->position_plus_1 - 1u;
}
