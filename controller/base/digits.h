/* digits: the value of a run of decimal digits, eight at a time (a log of a million steps has thirty million of them).
 */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_MAX 19 /* fit into 64 bits */

/* The value of the digits at the start of eight bytes that can be read; returns how many there are, 0 to 8. The digits
 * become the bytes 0 to 9 of one word, and three multiplications join them to pairs, to fours and to eight, as if zeros
 * stood before them: without a branch for their number, which differs from line to line. */
static inline int digits_eight(const char *at, uint64_t *value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    bytes ^= 0x3030303030303030u;
    uint64_t other = ((bytes + 0x7676767676767676u) | bytes) & 0x8080808080808080u; /* top bits of other bytes */
    int n = other != 0 ? __builtin_ctzll(other) / 8 : 8;
    *value = 0;
    if (n == 0)
        return 0;
    bytes <<= 8 * (8 - n);
    bytes = (bytes * (1 + (10 << 8))) >> 8 & 0x00ff00ff00ff00ffu;
    bytes = (bytes * (1 + (100 << 16))) >> 16 & 0x0000ffff0000ffffu;
    *value = (bytes * (1 + ((uint64_t)10000 << 32))) >> 32;
    return n;
#else
    int n = 0;
    for (*value = 0; n < 8 && (unsigned char)(at[n] - '0') <= 9; n++)
        *value = *value * 10 + (uint64_t)(at[n] - '0');
    return n;
#endif
}

/* The digits from *at on, at most DIGITS_MAX: moves *at behind them, returns how many there were. */
static inline int digits_take(const char **at, const char *end, uint64_t *value) {
    static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    const char *p = *at;
    uint64_t sum = 0, eight;
    for (int n = 8; n == 8 && end - p >= 8 && p - *at <= 8; p += n) {
        n = digits_eight(p, &eight);
        sum = sum * powers[n] + eight;
    }
    while (p < end && p - *at < DIGITS_MAX && (unsigned char)(*p - '0') <= 9)
        sum = sum * 10 + (uint64_t)(*p++ - '0');
    int count = (int)(p - *at);
    *at = p;
    *value = sum;
    return count;
}

/* The top bit of each byte that is not a digit. */
static inline uint64_t digits_others(uint64_t bytes) {
    bytes ^= 0x3030303030303030u;
    return (((bytes & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | bytes) & 0x8080808080808080u;
}

/* How many bytes of eight, as they were in memory, come before the first digit: 8 if none is one. */
static inline size_t digits_first(uint64_t bytes) {
    uint64_t digits = digits_others(bytes) ^ 0x8080808080808080u;
    if (digits == 0)
        return sizeof bytes;
    return (size_t)(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_ctzll(digits) : __builtin_clzll(digits)) / 8;
}

/* Whether all bytes in which two words differ are digits in both. */
static inline bool digits_differ(uint64_t left, uint64_t right) {
    uint64_t differ = left ^ right;
    differ = (((differ & 0x7f7f7f7f7f7f7f7fu) + 0x7f7f7f7f7f7f7f7fu) | differ) & 0x8080808080808080u;
    return (differ & (digits_others(left) | digits_others(right))) == 0;
}

/* Whether two texts of that size differ in nothing but which digits stand at the places of digits. */
static inline bool digits_alone_differ(const char *a, const char *b, size_t size_bytes) {
    uint64_t left, right;
    for (; size_bytes >= sizeof left; a += sizeof left, b += sizeof right, size_bytes -= sizeof left) {
        memcpy(&left, a, sizeof left);
        memcpy(&right, b, sizeof right);
        if (left != right && !digits_differ(left, right))
            return false;
    }
    for (; size_bytes > 0; a++, b++, size_bytes--)
        if (*a != *b && ((unsigned char)(*a - '0') > 9 || (unsigned char)(*b - '0') > 9))
            return false;
    return true;
}

#endif
