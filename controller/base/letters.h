/* letters: which of eight bytes are letters, without a look at each. The first byte is the lowest one. */
#ifndef BASE_LETTERS_H
#define BASE_LETTERS_H

#include <stdint.h>
#include <string.h>

#define LETTERS_EACH UINT64_C(0x0101010101010101)
#define LETTERS_TOP UINT64_C(0x8080808080808080)

/* Zeros stand for bytes behind the end. */
static inline uint64_t letters_load(const char *at, const char *end) {
    uint64_t bytes = 0;
    if (end - at >= (long)sizeof bytes)
        memcpy(&bytes, at, sizeof bytes);
    else
        memcpy(&bytes, at, (size_t)(end - at));
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? bytes : __builtin_bswap64(bytes);
}

/* The top bit of each byte from A to Z and from a to z. */
static inline uint64_t letters_of(uint64_t bytes) {
    uint64_t low = (bytes | 0x20 * LETTERS_EACH) & ~LETTERS_TOP; /* in lower case; sums stay within their byte */
    uint64_t from = low + (0x80 - 'a') * LETTERS_EACH, behind = low + (0x80 - 'z' - 1) * LETTERS_EACH;
    return from & ~behind & ~bytes & LETTERS_TOP;
}

/* The top bit of each byte that is that ASCII character. */
static inline uint64_t letters_equal(uint64_t bytes, char c) {
    uint64_t differ = bytes ^ (uint64_t)c * LETTERS_EACH;
    return ~(((differ & ~LETTERS_TOP) + ~LETTERS_TOP) | differ) & LETTERS_TOP;
}

#endif
