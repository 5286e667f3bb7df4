#include "base/slice.h"

#include "base/mem.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

struct slice slice_of(const char *text) {
    return text != NULL ? (struct slice){text, strlen(text)} : (struct slice){"", 0};
}

/* The all-zero slice has a NULL pointer, which memcmp() and friends must not get even with size 0. */
static bool same_bytes(const char *a, const char *b, size_t n) {
    return n == 0 || memcmp(a, b, n) == 0;
}

bool slice_equal(struct slice a, struct slice b) {
    return a.size_bytes == b.size_bytes && same_bytes(a.data, b.data, a.size_bytes);
}

int slice_compare(struct slice a, struct slice b) {
    size_t n = a.size_bytes < b.size_bytes ? a.size_bytes : b.size_bytes;
    int order = n != 0 ? memcmp(a.data, b.data, n) : 0;
    if (order != 0)
        return order;
    return a.size_bytes < b.size_bytes ? -1 : a.size_bytes > b.size_bytes;
}

const char *slice_find_char(struct slice s, char c) {
    return s.size_bytes != 0 ? memchr(s.data, c, s.size_bytes) : NULL;
}

enum { BLOCK = 16 };
typedef char block __attribute__((vector_size(BLOCK)));

static block block_at(const char *from) {
    block bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

/* A bit for each byte of a comparison that is true. */
static unsigned places(block equal) {
#ifdef __SSE2__
    return (unsigned)__builtin_ia32_pmovmskb128(equal);
#else
    uint64_t words[BLOCK / sizeof(uint64_t)];
    unsigned bits = 0;
    memcpy(words, &equal, sizeof words);
    for (int i = 0; i < BLOCK && (words[0] | words[1]) != 0; i++)
        bits |= (unsigned)(equal[i] != 0) << i;
    return bits;
#endif
}

/* Of the places from `at` to `end` where the needle may begin. */
static const char *find_between(const char *at, const char *end, const char *needle, size_t needle_bytes) {
    for (; at < end && (at = memchr(at, needle[0], (size_t)(end - at))) != NULL; at++)
        if (memcmp(at, needle, needle_bytes) == 0)
            return at;
    return NULL;
}

const char *slice_find_bytes(struct slice s, const char *needle, size_t needle_bytes) {
    if (s.size_bytes < needle_bytes || needle_bytes == 0)
        return needle_bytes == 0 ? s.data : NULL;
    /* A block at once: of all places, those with the needle's first and last byte. The last one starts sooner. */
    const char *at = s.data, *end = s.data + (s.size_bytes - needle_bytes + 1);
    if (end - at < BLOCK)
        return find_between(at, end, needle, needle_bytes);
    const block first = needle[0] - (block){0}, last = needle[needle_bytes - 1] - (block){0};
    for (; at < end; at += BLOCK) {
        at = end - at < BLOCK ? end - BLOCK : at;
        unsigned may_be = places((block)((block_at(at) == first) & (block_at(at + needle_bytes - 1) == last)));
        for (; may_be != 0; may_be &= may_be - 1)
            if (memcmp(at + __builtin_ctz(may_be), needle, needle_bytes) == 0)
                return at + __builtin_ctz(may_be);
    }
    return NULL;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct slice slice_trim(struct slice s) {
    while (s.size_bytes != 0 && is_blank(s.data[0]))
        s = slice_skip(s, 1);
    while (s.size_bytes != 0 && is_blank(s.data[s.size_bytes - 1]))
        s.size_bytes--;
    return s;
}

char *slice_dup(struct slice s) {
    char *copy = mem_alloc(s.size_bytes + 1);
    if (s.size_bytes != 0)
        memcpy(copy, s.data, s.size_bytes);
    return copy;
}

size_t slice_utf8_size(struct slice s) {
    const unsigned char *p = (const unsigned char *)s.data;
    if (s.size_bytes == 0 || p[0] < 0x80)
        return s.size_bytes > 0;
    size_t n = p[0] >= 0xC2 && p[0] <= 0xDF   ? 2
               : p[0] >= 0xE0 && p[0] <= 0xEF ? 3
               : p[0] >= 0xF0 && p[0] <= 0xF4 ? 4
                                              : 0;
    if (n == 0 || n > s.size_bytes)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF0 && p[1] < 0x90) ||
        (p[0] == 0xF4 && p[1] > 0x8F))
        return 0;
    return n;
}

bool slice_copy(char *to, size_t to_size, struct slice s) {
    if (to_size == 0)
        return s.size_bytes == 0;
    size_t n = s.size_bytes;
    bool fits = n < to_size;
    if (!fits) {
        n = to_size - 1;
        /* Step back over continuation bytes, at most three, so that no character is cut in two. */
        for (size_t back = 0; back < 3 && n > 0 && ((unsigned char)s.data[n] & 0xC0) == 0x80; back++)
            n--;
    }
    if (n != 0)
        memcpy(to, s.data, n);
    to[n] = '\0';
    return fits;
}

uint64_t slice_hash(struct slice s) {
    return slice_hash_add(SLICE_HASH_START, s);
}

bool slice_take_until(struct slice *s, char delimiter, struct slice *taken) {
    const char *at = slice_find_char(*s, delimiter);
    if (at == NULL)
        return false;
    *taken = slice_range(s->data, at);
    *s = slice_skip(*s, taken->size_bytes + 1);
    return true;
}

bool slice_take_item(struct slice *list, char delimiter, struct slice *item) {
    if (list->size_bytes == 0)
        return false;
    if (!slice_take_until(list, delimiter, item)) {
        *item = *list;
        *list = slice_skip(*list, list->size_bytes);
    }
    return true;
}

bool slice_find_pair(struct slice pairs, char separator, const char *name, struct slice *value) {
    struct slice pair;
    while (slice_take_item(&pairs, separator, &pair)) {
        pair = slice_trim(pair);
        if (slice_take_prefix(&pair, name) && slice_take_char(&pair, '=')) {
            *value = pair;
            return true;
        }
    }
    return false;
}

bool slice_take_line(struct slice *s, struct slice *line) {
    if (s->size_bytes == 0)
        return false;
    if (!slice_take_until(s, '\n', line)) {
        *line = *s;
        *s = slice_skip(*s, s->size_bytes);
    }
    if (line->size_bytes != 0 && line->data[line->size_bytes - 1] == '\r')
        line->size_bytes--;
    return true;
}

bool slice_take_uint(struct slice *s, int64_t *value) {
    enum { SAFE_DIGITS = 18 }; /* that no int64_t overflows with */
    const char *from = s->data, *at = from;
    const size_t size = s->size_bytes;
    int64_t sum = 0;
    for (size_t safe = size < SAFE_DIGITS ? size : SAFE_DIGITS; safe > 0 && is_digit(*at); at++, safe--)
        sum = sum * 10 + (*at - '0');
    for (; (size_t)(at - from) < size && is_digit(*at); at++)
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, *at - '0', &sum))
            return false;
    if (at == from)
        return false;
    *s = (struct slice){at, size - (size_t)(at - from)};
    *value = sum;
    return true;
}

bool slice_take_int(struct slice *s, int64_t *value) {
    struct slice rest = *s;
    bool negative = slice_take_char(&rest, '-');
    if (!negative)
        slice_take_char(&rest, '+');
    int64_t sum = 0;
    struct slice digits = number_digits(&rest);
    for (size_t i = 0; i < digits.size_bytes; i++) {
        int digit = digits.data[i] - '0';
        /* Downwards for negative numbers, so that INT64_MIN itself is read. */
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, negative ? -digit : digit, &sum))
            return false;
    }
    if (digits.size_bytes == 0)
        return false;
    *s = rest;
    *value = sum;
    return true;
}

static bool take_word(struct slice *s, const char *lower) {
    size_t n = strlen(lower);
    if (s->size_bytes < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((s->data[i] | 0x20) != lower[i])
            return false;
    *s = slice_skip(*s, n);
    return true;
}

bool slice_take_double(struct slice *s, double *value) {
    struct number n;
    if (number_take(s, &n)) {
        *value = number_to_double(&n);
        return true;
    }
    struct slice rest = *s;
    bool negative = slice_take_char(&rest, '-');
    if (!negative)
        slice_take_char(&rest, '+');
    double found;
    if (take_word(&rest, "nan"))
        found = (double)NAN;
    else if (take_word(&rest, "infinity") || take_word(&rest, "inf"))
        found = (double)INFINITY;
    else
        return false;
    *value = negative ? -found : found;
    *s = rest;
    return true;
}

bool slice_take_scaled(struct slice *s, int digits, int64_t *value) {
    struct slice rest = *s;
    struct number n;
    if (!number_take(&rest, &n) || !number_to_scaled(&n, digits, value, NULL))
        return false;
    *s = rest;
    return true;
}
