#include "base/sparse.h"

#include "base/mem.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { WORD = sizeof(uint64_t), BITS = 64 };

static uint64_t word_at(const void *bytes, size_t i) {
    uint64_t word;
    memcpy(&word, (const char *)bytes + i * WORD, WORD);
    return word;
}

/* The words that hold the bits come first. */
static size_t map_words(size_t size_bytes) {
    return (size_bytes / WORD + BITS - 1) / BITS;
}

void *sparse_pack(const void *from, size_t size_bytes) {
    size_t words = size_bytes / WORD, maps = map_words(size_bytes), used = 0;
    assert(size_bytes % WORD == 0);
    for (size_t i = 0; i < words; i++)
        used += word_at(from, i) != 0;
    uint64_t *packed = mem_alloc((maps + used) * sizeof *packed), *next = packed + maps;
    for (size_t i = 0; i < words; i++)
        if (word_at(from, i) != 0) {
            packed[i / BITS] |= UINT64_C(1) << i % BITS;
            *next++ = word_at(from, i);
        }
    return packed;
}

void sparse_unpack(const void *packed, void *to, size_t size_bytes) {
    const uint64_t *map = packed, *next = map + map_words(size_bytes);
    memset(to, 0, size_bytes);
    for (size_t i = 0; i < size_bytes / WORD; i++)
        if (map[i / BITS] >> i % BITS & 1)
            memcpy((char *)to + i * WORD, next++, WORD);
}
