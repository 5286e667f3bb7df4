/* map: a hash map from a byte string to a pointer. Keys are copied, but by map_put_borrowed; values are borrowed unless
 * a free function was given. Iteration order is insertion order as long as nothing was removed (removal moves the last
 * entry into the gap); whatever must be deterministic sorts. The key of the hash is random (hash_local). */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/slice.h"

struct map_entry { /* there are many */
    char *key;
    void *value;
    uint32_t key_size, hash; /* hash: its lower half */
};

struct map {
    struct map_entry *entries;
    size_t count, capacity;
    bool borrows_keys, is_stable;
    uint32_t *table; /* open addressing: entry index + 1, 0 = free */
    size_t table_size;
    void (*value_free)(void *value);
};

void map_init(struct map *m, void (*value_free)(void *value));
/* Hashes by hash_stable, so that map_get_hashed finds an entry by an identity that was stored. No one untrusted may
 * choose its keys. */
void map_init_stable(struct map *m, void (*value_free)(void *value));
void map_done(struct map *m);
void *map_get(const struct map *m, struct slice key); /* NULL if absent */
void *map_get_hashed(const struct map *m,
                     uint64_t hash); /* of a stable map, by its key's hash_stable(0, key); NULL if absent */
/* Puts or replaces (a replaced value is freed). */
/* Returns the map's own copy of the key, which ends in NUL and stays where it is as long as it is in the map. */
const char *map_put(struct map *m, struct slice key, void *value);
/* The same, for a map into which nothing else is put: the key is part of the value, and is not looked at once that was
 * taken or replaced. */
const char *map_put_borrowed(struct map *m, struct slice key, void *value);
bool map_remove(struct map *m, struct slice key); /* frees the value */
void *map_take(struct map *m, struct slice key);  /* removes without freeing the value */
/* For loops from 0 to count - 1: the value and the key of an entry. A loop that removes goes from the last to the
 * first: the entry that moves into the gap was visited. */
void *map_at(const struct map *m, size_t index);
struct slice map_key_at(const struct map *m, size_t index);

#endif
