#include "base/jwrite.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 63

void jwrite_init(struct jwrite *w, struct buf *out) {
    *w = (struct jwrite){.out = out};
}

/* The comma before a value or key, where one is due. */
static void separate(struct jwrite *w) {
    if (w->comma[w->depth])
        buf_append_char(w->out, ',');
    w->comma[w->depth] = 1;
}

static void enter(struct jwrite *w, char opener) {
    separate(w);
    assert(w->depth < MAX_DEPTH);
    buf_append_char(w->out, opener);
    w->comma[++w->depth] = 0;
}

static void leave(struct jwrite *w, char closer) {
    assert(w->depth > 0);
    w->depth--;
    buf_append_char(w->out, closer);
}

void jwrite_object(struct jwrite *w) {
    enter(w, '{');
}

void jwrite_object_end(struct jwrite *w) {
    leave(w, '}');
}

void jwrite_array(struct jwrite *w) {
    enter(w, '[');
}

void jwrite_array_end(struct jwrite *w) {
    leave(w, ']');
}

static bool is_plain(unsigned char c) {
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

static void write_escape(struct buf *out, unsigned char c) {
    switch (c) {
    case '"':
        buf_append_text(out, "\\\"");
        break;
    case '\\':
        buf_append_text(out, "\\\\");
        break;
    case '\n':
        buf_append_text(out, "\\n");
        break;
    case '\t':
        buf_append_text(out, "\\t");
        break;
    case '\r':
        buf_append_text(out, "\\r");
        break;
    default:
        buf_format(out, "\\u%04x", c);
    }
}

static void write_escaped(struct buf *out, struct slice text) {
    const unsigned char *p = (const unsigned char *)text.data;
    size_t from = 0, at = 0; /* [from, at) is waiting to be copied as it is */
    buf_append_char(out, '"');
    while (at < text.size_bytes) {
        size_t n = is_plain(p[at]) ? 1 : p[at] >= 0x80 ? slice_utf8_size(slice_skip(text, at)) : 0;
        if (n != 0) {
            at += n;
            continue;
        }
        buf_append(out, p + from, at - from);
        if (p[at] < 0x80)
            write_escape(out, p[at]);
        else
            buf_append_text(out, "\xEF\xBF\xBD");
        from = ++at;
    }
    if (at != from)
        buf_append(out, p + from, at - from);
    buf_append_char(out, '"');
}

/* Of each of eight bytes the highest bit, where is_plain() does not hold for one of them; which one is not exact. */
static uint64_t find_unplain(const char *bytes) {
    const uint64_t ones = UINT64_MAX / 255;
    uint64_t v, quotes, backslashes, deletes;
    memcpy(&v, bytes, sizeof v);
    quotes = v ^ ones * '"';
    backslashes = v ^ ones * '\\';
    deletes = v ^ ones * 0x7F;
    return (((v - ones * 0x20) | (quotes - ones) | (backslashes - ones) | (deletes - ones)) & ~v & ones * 0x80) |
           (v & ones * 0x80);
}

static bool is_plain_text(struct slice text) {
    size_t n = text.size_bytes, at = 0;
    for (; at + 8 <= n; at += 8)
        if (find_unplain(text.data + at) != 0)
            return false;
    if (n >= 8)
        return find_unplain(text.data + n - 8) == 0;
    while (at < n && is_plain((unsigned char)text.data[at]))
        at++;
    return at == n;
}

static inline void write_text(struct jwrite *w, struct slice text, bool is_key, bool is_plain) {
    size_t n = text.size_bytes, comma = w->comma[w->depth];
    char *at = is_plain ? buf_extend(w->out, comma + n + (is_key ? 3 : 2)) : NULL;
    if (at == NULL) {
        separate(w);
        write_escaped(w->out, text);
        if (is_key)
            buf_append_char(w->out, ':');
    } else {
        if (comma)
            *at++ = ',';
        at[0] = at[n + 1] = '"';
        if (n > 0)
            memcpy(at + 1, text.data, n);
        if (is_key)
            at[n + 2] = ':';
    }
    w->comma[w->depth] = !is_key; /* the value that follows a key needs none */
}

void jwrite_key(struct jwrite *w, const char *key) {
    jwrite_key_slice(w, slice_of(key));
}

void jwrite_key_slice(struct jwrite *w, struct slice key) {
    write_text(w, key, true, is_plain_text(key)); /* as most texts are */
}

void jwrite_plain_key(struct jwrite *w, struct slice key) {
    write_text(w, key, true, true);
}

void jwrite_text(struct jwrite *w, const char *text) {
    jwrite_slice(w, slice_of(text));
}

void jwrite_slice(struct jwrite *w, struct slice text) {
    write_text(w, text, false, is_plain_text(text));
}

void jwrite_int(struct jwrite *w, int64_t value) {
    separate(w);
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (value < 0)
        digits[--at] = '-';
    buf_append(w->out, digits + at, sizeof digits - at);
}

void jwrite_bool(struct jwrite *w, bool value) {
    separate(w);
    buf_append_text(w->out, value ? "true" : "false");
}

void jwrite_null(struct jwrite *w) {
    separate(w);
    buf_append_text(w->out, "null");
}

void jwrite_raw(struct jwrite *w, struct slice json) {
    separate(w);
    buf_append_slice(w->out, json);
}

void jwrite_member_text(struct jwrite *w, const char *key, const char *text) {
    jwrite_key(w, key);
    jwrite_text(w, text);
}

void jwrite_member_int(struct jwrite *w, const char *key, int64_t value) {
    jwrite_key(w, key);
    jwrite_int(w, value);
}

void jwrite_member_percent(struct jwrite *w, const char *key, int64_t ppm) {
    char text[32];
    int64_t hundredths = (ppm + 50) / 100;
    snprintf(text, sizeof text, "%lld.%02lld%%", (long long)(hundredths / 100), (long long)(hundredths % 100));
    jwrite_member_text(w, key, text);
}

void jwrite_member_bool(struct jwrite *w, const char *key, bool value) {
    jwrite_key(w, key);
    jwrite_bool(w, value);
}

void jwrite_member_object(struct jwrite *w, const char *key) {
    jwrite_key(w, key);
    jwrite_object(w);
}

void jwrite_member_array(struct jwrite *w, const char *key) {
    jwrite_key(w, key);
    jwrite_array(w);
}
