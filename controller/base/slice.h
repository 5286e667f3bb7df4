/* slice: a borrowed run of bytes. The bytes belong to somebody else and need not end in NUL.
 *
 * The parse functions are cursors: they advance *s past what they took and only on success; on failure *s is
 * unchanged. */
#ifndef BASE_SLICE_H
#define BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slice {
    const char *data;
    size_t size_bytes;
};

#define SLICE(literal) ((struct slice){(literal), sizeof(literal) - 1})
#define SLICE_ARG(s) (int)(s).size_bytes, (s).data /* for "%.*s" */

struct slice slice_of(const char *text); /* NULL gives the empty slice */
static inline struct slice slice_range(const char *from, const char *to) {
    return (struct slice){from, (size_t)(to - from)};
}
/* In line, so that a comparison with a constant costs no strlen(): a reader of JSON makes a dozen for each key. */
static inline bool slice_is(struct slice s, const char *text) {
    size_t n = strlen(text);
    return s.size_bytes == n && (n == 0 || memcmp(s.data, text, n) == 0);
}
bool slice_equal(struct slice a, struct slice b);
int slice_compare(struct slice a, struct slice b); /* bytewise, like strcmp */
static inline bool slice_starts(struct slice s, const char *prefix) {
    size_t n = strlen(prefix);
    return s.size_bytes >= n && (n == 0 || memcmp(s.data, prefix, n) == 0);
}
static inline bool slice_ends(struct slice s, const char *suffix) {
    size_t n = strlen(suffix);
    return s.size_bytes >= n && (n == 0 || memcmp(s.data + s.size_bytes - n, suffix, n) == 0);
}
/* Where `needle` first occurs in s, or NULL. memmem() builds a table of 256 bytes at each call, which costs more than a
 * log's line takes to compare. */
const char *slice_find_bytes(struct slice s, const char *needle, size_t needle_bytes);
static inline const char *slice_find(struct slice s, const char *needle) {
    return slice_find_bytes(s, needle, strlen(needle));
}
static inline bool slice_contains(struct slice s, const char *needle) {
    return *needle == '\0' || slice_find(s, needle) != NULL;
}
const char *slice_find_char(struct slice s, char c);
struct slice slice_trim(struct slice s);                          /* spaces, tabs, CR, LF at both ends */
static inline struct slice slice_skip(struct slice s, size_t n) { /* n beyond the size: all of it */
    if (n > s.size_bytes)
        n = s.size_bytes;
    return n != 0 ? (struct slice){s.data + n, s.size_bytes - n} : s;
}
char *slice_dup(struct slice s); /* heap, NUL-terminated; caller frees */
/* The bytes of the valid UTF-8 character that it starts with (RFC 3629: no overlong forms, no surrogates); 0: none. */
size_t slice_utf8_size(struct slice s);
/* Copies with truncation at a UTF-8 boundary; always NUL-terminates. True if it all fitted. */
bool slice_copy(char *to, size_t to_size, struct slice s);
/* FNV-1a: by it the format Generic knows lines and counters, in checkpoints too, so that another hash is another
 * layout. For everything else: hash.h. */
uint64_t slice_hash(struct slice s);
/* The same in pieces, from SLICE_HASH_START on. */
#define SLICE_HASH_START UINT64_C(0xcbf29ce484222325)
static inline uint64_t slice_hash_add(uint64_t hash, struct slice more) {
    for (size_t i = 0; i < more.size_bytes; i++)
        hash = (hash ^ (unsigned char)more.data[i]) * 0x100000001b3u;
    return hash;
}

/* Cursors. */
static inline bool slice_take_char(struct slice *s, char c) {
    if (s->size_bytes == 0 || s->data[0] != c)
        return false;
    *s = slice_skip(*s, 1);
    return true;
}
static inline bool slice_take_prefix(struct slice *s, const char *prefix) {
    if (!slice_starts(*s, prefix))
        return false;
    *s = slice_skip(*s, strlen(prefix));
    return true;
}
/* Takes up to the delimiter, which is dropped; false if it does not occur. */
bool slice_take_until(struct slice *s, char delimiter, struct slice *taken);
/* Takes the next item of a list such as "a,b"; false at the end. An item may be empty, but none follows the last
 * delimiter. */
bool slice_take_item(struct slice *list, char delimiter, struct slice *item);
/* The value of the first "name=value" among pairs such as "a=b; c=d", blanks around them left out; false if there is
 * none. */
bool slice_find_pair(struct slice pairs, char separator, const char *name, struct slice *value);
/* Takes the next line without its "\n" (and "\r"); false at the end. A last line without "\n" counts. */
bool slice_take_line(struct slice *s, struct slice *line);
bool slice_take_int(struct slice *s, int64_t *value);  /* [+-]digits; false on overflow */
bool slice_take_uint(struct slice *s, int64_t *value); /* digits only; false on overflow */
/* Decimal with optional fraction and exponent, also "nan"/"inf" (any case); correctly rounded, locale-free. */
bool slice_take_double(struct slice *s, double *value);
/* The same decimal scaled by 10^digits and rounded to nearest, exact in integers: "1.2345", 3 -> 1235 (half away
 * from zero). False on overflow, nan, inf. For seconds -> ms or us without floating point. */
bool slice_take_scaled(struct slice *s, int digits, int64_t *value);

#endif
