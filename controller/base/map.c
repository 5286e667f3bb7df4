#include "base/map.h"

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

void map_init(struct map *m, void (*value_free)(void *value)) {
    *m = (struct map){.value_free = value_free};
}

void map_init_stable(struct map *m, void (*value_free)(void *value)) {
    *m = (struct map){.value_free = value_free, .is_stable = true};
}

static uint64_t hash_of(const struct map *m, struct slice key) {
    return m->is_stable ? hash_stable(0, key) : hash_local(0, key);
}

void map_done(struct map *m) {
    for (size_t i = 0; i < m->count; i++) {
        if (!m->borrows_keys)
            free(m->entries[i].key);
        if (m->value_free != NULL)
            m->value_free(m->entries[i].value);
    }
    free(m->entries);
    free(m->table);
    *m = (struct map){.value_free = m->value_free, .is_stable = m->is_stable};
}

static bool entry_is(const struct map_entry *e, struct slice key, uint64_t hash) {
    return e->hash == (uint32_t)hash && slice_equal((struct slice){e->key, e->key_size}, key);
}

/* The place in the table that holds the key, or the free place where it would go. The table is never full. */
static size_t find_place(const struct map *m, struct slice key, uint64_t hash) {
    size_t mask = m->table_size - 1, place = (uint32_t)hash & mask;
    while (m->table[place] != 0 && !entry_is(&m->entries[m->table[place] - 1], key, hash))
        place = (place + 1) & mask;
    return place;
}

static void grow_table(struct map *m) {
    size_t size = m->table_size != 0 ? m->table_size * 2 : 16;
    free(m->table);
    m->table = mem_alloc(size * sizeof *m->table);
    m->table_size = size;
    for (size_t i = 0; i < m->count; i++) {
        size_t place = (size_t)m->entries[i].hash & (size - 1);
        while (m->table[place] != 0)
            place = (place + 1) & (size - 1);
        m->table[place] = (uint32_t)(i + 1);
    }
}

void *map_get(const struct map *m, struct slice key) {
    if (m->count == 0)
        return NULL;
    uint32_t index = m->table[find_place(m, key, hash_of(m, key))];
    return index != 0 ? m->entries[index - 1].value : NULL;
}

static bool has_hash(const struct map_entry *e, uint64_t hash) {
    return e->hash == (uint32_t)hash && hash_stable(0, (struct slice){e->key, e->key_size}) == hash;
}

void *map_get_hashed(const struct map *m, uint64_t hash) {
    assert(m->is_stable);
    if (m->count == 0)
        return NULL;
    size_t mask = m->table_size - 1, place = (uint32_t)hash & mask;
    while (m->table[place] != 0 && !has_hash(&m->entries[m->table[place] - 1], hash))
        place = (place + 1) & mask;
    return m->table[place] != 0 ? m->entries[m->table[place] - 1].value : NULL;
}

const char *map_put_borrowed(struct map *m, struct slice key, void *value) {
    m->borrows_keys = true;
    return map_put(m, key, value);
}

const char *map_put(struct map *m, struct slice key, void *value) {
    if ((m->count + 1) * 4 > m->table_size * 3)
        grow_table(m);
    uint64_t hash = hash_of(m, key);
    size_t place = find_place(m, key, hash);
    if (m->table[place] != 0) {
        struct map_entry *e = &m->entries[m->table[place] - 1];
        if (m->borrows_keys)
            e->key = (char *)key.data;
        if (m->value_free != NULL && e->value != value)
            m->value_free(e->value);
        e->value = value;
        return e->key;
    }
    MEM_GROW(m->entries, m->count, m->capacity);
    assert(key.size_bytes <= UINT32_MAX && m->count < UINT32_MAX);
    m->entries[m->count++] = (struct map_entry){.key = m->borrows_keys ? (char *)key.data : slice_dup(key),
                                                .value = value,
                                                .key_size = (uint32_t)key.size_bytes,
                                                .hash = (uint32_t)hash};
    m->table[place] = (uint32_t)m->count;
    return m->entries[m->count - 1].key;
}

/* Frees a place of the table and moves later members of the same run up, so that no mark of the removed is needed. */
static void free_place(struct map *m, size_t hole) {
    size_t mask = m->table_size - 1;
    for (size_t next = (hole + 1) & mask; m->table[next] != 0; next = (next + 1) & mask) {
        size_t home = (size_t)m->entries[m->table[next] - 1].hash & mask;
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            m->table[hole] = m->table[next];
            hole = next;
        }
    }
    m->table[hole] = 0;
}

void *map_take(struct map *m, struct slice key) {
    if (m->count == 0)
        return NULL;
    size_t place = find_place(m, key, hash_of(m, key));
    if (m->table[place] == 0)
        return NULL;
    size_t index = m->table[place] - 1, last = m->count - 1;
    struct map_entry removed = m->entries[index];
    free_place(m, place);
    if (index != last) {
        struct map_entry moved = m->entries[last];
        size_t moved_place = find_place(m, (struct slice){moved.key, moved.key_size}, moved.hash);
        m->entries[index] = moved;
        m->table[moved_place] = (uint32_t)(index + 1);
    }
    m->count--;
    if (!m->borrows_keys)
        free(removed.key);
    return removed.value;
}

void *map_at(const struct map *m, size_t index) {
    assert(index < m->count);
    return m->entries[index].value;
}

struct slice map_key_at(const struct map *m, size_t index) {
    assert(index < m->count);
    return (struct slice){m->entries[index].key, m->entries[index].key_size};
}

bool map_remove(struct map *m, struct slice key) {
    size_t before = m->count;
    void *value = map_take(m, key);
    if (m->count == before)
        return false;
    if (m->value_free != NULL)
        m->value_free(value);
    return true;
}
