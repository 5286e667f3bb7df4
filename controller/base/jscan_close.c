/* The skipping half of a loose jscan: finds the end of a skipped object or array, 64 bytes per round: a bit of
 * a word for each. Where the machine has SSE2 (every x86-64 does) this is many times as fast as walking its members,
 * and AVX2, where it is found, halves that. */
#include "base/jscan_close.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,popcnt")))
#endif

enum { BLOCK = 64 };

/* '[' and '{', ']' and '}' differ in one bit, which no other sign that matters here has in common with them. */
#define BRACKET_BIT 0x20

struct masks { /* a bit per byte of the block */
    uint64_t quotes, escapes, opens, closes;
};

#ifdef __SSE2__
static uint64_t bits(__m128i is_equal, int lane) {
    return (uint64_t)(uint32_t)_mm_movemask_epi8(is_equal) << (16 * lane);
}

static struct masks masks_of(const char *block) {
    struct masks m = {0};
    for (int lane = 0; lane < BLOCK / 16; lane++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(block + 16 * lane));
        __m128i brackets = _mm_or_si128(bytes, _mm_set1_epi8(BRACKET_BIT));
        m.quotes |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), lane);
        m.escapes |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')), lane);
        m.opens |= bits(_mm_cmpeq_epi8(brackets, _mm_set1_epi8('{')), lane);
        m.closes |= bits(_mm_cmpeq_epi8(brackets, _mm_set1_epi8('}')), lane);
    }
    return m;
}
#else
static struct masks masks_of(const char *block) {
    struct masks m = {0};
    for (int i = 0; i < BLOCK; i++) {
        char bracket = block[i] | BRACKET_BIT;
        m.quotes |= (uint64_t)(block[i] == '"') << i;
        m.escapes |= (uint64_t)(block[i] == '\\') << i;
        m.opens |= (uint64_t)(bracket == '{') << i;
        m.closes |= (uint64_t)(bracket == '}') << i;
    }
    return m;
}
#endif

/* The bytes that follow a backslash; *carry: the first is one, then the first of the next block. */
static uint64_t escaped_by(uint64_t escapes, bool *carry) {
    uint64_t escaped = *carry;
    escapes &= ~escaped;
    *carry = false;
    while (escapes != 0) {
        int at = __builtin_ctzll(escapes);
        *carry = at == BLOCK - 1;
        escaped |= *carry ? 0 : UINT64_C(2) << at;
        escapes &= ~(UINT64_C(3) << at);
    }
    return escaped;
}

/* Each bit becomes the parity of those up to it: set from an opening quote until before the closing one. */
static uint64_t parity_through(uint64_t quotes) {
    for (int shift = 1; shift < BLOCK; shift *= 2)
        quotes ^= quotes << shift;
    return quotes;
}

static inline __attribute__((always_inline)) const char *close_of(const char *at, const char *end, int depth,
                                                                  struct masks (*masks)(const char *block)) {
    bool is_in_string = false, is_escaped = false;
    char last[BLOCK];
    for (; at < end; at += BLOCK) {
        const char *block = at;
        if (end - at < BLOCK) {
            memset(last, 0, sizeof last);
            block = memcpy(last, at, (size_t)(end - at));
        }
        struct masks m = masks(block);
        if ((m.escapes != 0) | is_escaped)
            m.quotes &= ~escaped_by(m.escapes, &is_escaped);
        uint64_t strings = parity_through(m.quotes) ^ (is_in_string ? UINT64_MAX : 0);
        is_in_string = strings >> (BLOCK - 1);
        uint64_t opens = m.opens & ~strings, closes = m.closes & ~strings;
        int close_count = __builtin_popcountll(closes);
        if (close_count < depth) { /* not in this block, whatever their order */
            depth += __builtin_popcountll(opens) - close_count;
            continue;
        }
        for (uint64_t left = opens | closes; left != 0; left &= left - 1) {
            depth += (opens & left & -left) != 0 ? 1 : -1;
            if (depth == 0)
                return at + __builtin_ctzll(left);
        }
    }
    return NULL;
}

#ifdef __SSE2__
AVX2 static uint64_t bits_wide(__m256i is_equal, int lane) {
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(is_equal) << (32 * lane);
}

AVX2 static struct masks masks_wide(const char *block) {
    struct masks m = {0};
    for (int lane = 0; lane < BLOCK / 32; lane++) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(block + 32 * lane));
        __m256i brackets = _mm256_or_si256(bytes, _mm256_set1_epi8(BRACKET_BIT));
        m.quotes |= bits_wide(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"')), lane);
        m.escapes |= bits_wide(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\')), lane);
        m.opens |= bits_wide(_mm256_cmpeq_epi8(brackets, _mm256_set1_epi8('{')), lane);
        m.closes |= bits_wide(_mm256_cmpeq_epi8(brackets, _mm256_set1_epi8('}')), lane);
    }
    return m;
}

AVX2 static const char *close_wide(const char *at, const char *end, int depth) {
    return close_of(at, end, depth, masks_wide);
}
#endif

const char *jscan_close_of(const char *at, const char *end, int depth) {
#ifdef __SSE2__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"))
        return close_wide(at, end, depth);
#endif
    return close_of(at, end, depth, masks_of);
}
