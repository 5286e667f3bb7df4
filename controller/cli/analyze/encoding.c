#include "cli/analyze/encoding.h"

#include <string.h>

#define REPLACEMENT 0xFFFDu

static const char mark[] = "\xEF\xBB\xBF";
enum { MARK_BYTES = sizeof mark - 1, LOOK_BYTES = 4 };

/* Two units of Latin text: one byte of each is zero. No other text has such bytes. */
static bool is_latin(const char *first, const char *second) {
    return first[0] == '\0' && first[2] == '\0' && second[0] != '\0' && second[2] != '\0';
}

size_t analyze_encoding_look(struct analyze_encoding *e, const char *bytes, size_t size, bool is_all) {
    bool is_little_endian = size >= 2 && memcmp(bytes, "\xFF\xFE", 2) == 0;
    e->is_big_endian = size >= 2 && memcmp(bytes, "\xFE\xFF", 2) == 0;
    bool has_mark = is_little_endian || e->is_big_endian;
    if (!has_mark && size >= LOOK_BYTES) {
        is_little_endian = is_latin(bytes + 1, bytes);
        e->is_big_endian = is_latin(bytes, bytes + 1);
    }
    e->is_utf16 = is_little_endian || e->is_big_endian;
    e->is_known = is_all || has_mark || size >= LOOK_BYTES;
    if (has_mark)
        return 2;
    return size >= MARK_BYTES && memcmp(bytes, mark, MARK_BYTES) == 0 ? MARK_BYTES : 0;
}

static char *put(char *out, unsigned c) {
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    if (c < 0x800) {
        *out++ = (char)(0xC0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *out++ = (char)(0xE0 | c >> 12);
        } else {
            *out++ = (char)(0xF0 | c >> 18);
            *out++ = (char)(0x80 | (c >> 12 & 0x3F));
        }
        *out++ = (char)(0x80 | (c >> 6 & 0x3F));
    }
    *out++ = (char)(0x80 | (c & 0x3F));
    return out;
}

static char *put_unit(struct analyze_encoding *e, char *out, unsigned unit) {
    bool is_high = unit >= 0xD800 && unit < 0xDC00, is_low = unit >= 0xDC00 && unit < 0xE000;
    unsigned high = e->high_unit;
    e->high_unit = is_high ? unit : 0;
    if (high != 0 && is_low)
        return put(out, 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
    if (high != 0)
        out = put(out, REPLACEMENT);
    return is_high ? out : put(out, is_low ? REPLACEMENT : unit);
}

size_t analyze_encoding_decode(struct analyze_encoding *e, const char *bytes, size_t size, char *out) {
    char *at = out;
    for (size_t i = 0; i < size; i++) {
        unsigned char second = (unsigned char)bytes[i];
        if (e->has_odd)
            at = put_unit(e, at, e->is_big_endian ? e->odd * 256u + second : second * 256u + e->odd);
        e->odd = second;
        e->has_odd = !e->has_odd;
    }
    return (size_t)(at - out);
}

size_t analyze_encoding_drop_marks(char *lines, size_t size) {
    char *from = lines, *to = lines, *end = lines + size, *at = lines;
    while ((at = memchr(at, (unsigned char)mark[0], (size_t)(end - at))) != NULL) {
        bool is_mark = end - at >= MARK_BYTES && memcmp(at, mark, MARK_BYTES) == 0 && (at == lines || at[-1] == '\n');
        if (is_mark) {
            memmove(to, from, (size_t)(at - from));
            to += at - from;
            from = at + MARK_BYTES;
        }
        at += is_mark ? MARK_BYTES : 1;
    }
    if (from != to)
        memmove(to, from, (size_t)(end - from));
    return (size_t)(to - lines) + (size_t)(end - from);
}
