/* The decoding half of jscan: escapes to UTF-8. */
#include "base/jscan.h"

#include <string.h>

/* Four hexadecimal digits at *p, which is advanced; -1 if they are not there. */
static int take_hex4(const char **p, const char *end) {
    int value = 0;
    if (end - *p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = (*p)[i], low = (char)(c | 0x20);
        int digit = c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    *p += 4;
    return value;
}

/* After "\u". What cannot stand in a C string of UTF-8 (half a surrogate pair, NUL) becomes U+FFFD. */
static int take_unicode(const char **p, const char *end) {
    int code = take_hex4(p, end);
    if (code >= 0xD800 && code <= 0xDBFF) {
        const char *second = *p;
        if (end - second >= 6 && second[0] == '\\' && second[1] == 'u') {
            second += 2;
            int low = take_hex4(&second, end);
            if (low >= 0xDC00 && low <= 0xDFFF) {
                *p = second;
                return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            }
        }
        return 0xFFFD;
    }
    return code == 0 || (code >= 0xDC00 && code <= 0xDFFF) ? 0xFFFD : code;
}

/* After a backslash: the code point meant, -1 if it is not an escape. */
static int take_escape(const char **p, const char *end) {
    if (*p == end)
        return -1;
    char c = *(*p)++;
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'u':
        return take_unicode(p, end);
    default:
        return -1;
    }
}

static size_t encode(char out[4], int code) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const int leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)(leads[n] | code);
    return n;
}

/* *ret_at: where a malformed escape ends. */
static bool decode(struct slice raw, char *out, size_t out_size, const char **ret_at) {
    const char *p = raw.data, *end = raw.data + raw.size_bytes;
    if (slice_find_char(raw, '\\') == NULL) {
        slice_copy(out, out_size, raw);
        return true;
    }
    size_t size = 0;
    bool full = out_size == 0;
    while (p < end) {
        char one[4] = {*p};
        size_t n = 1;
        if (*p++ == '\\') {
            int code = take_escape(&p, end);
            if (code < 0) {
                *ret_at = p;
                return false;
            }
            n = encode(one, code);
        }
        /* Continuation bytes go with their character, so that truncation cuts none in two. */
        while (n < 4 && p < end && ((unsigned char)*p & 0xC0) == 0x80)
            one[n++] = *p++;
        /* After the first character that does not fit the rest is only checked. */
        full = full || size + n >= out_size;
        if (!full) {
            memcpy(out + size, one, n);
            size += n;
        }
    }
    if (out_size != 0)
        out[size] = '\0';
    return true;
}

bool jscan_unescape(struct slice raw, char *out, size_t out_size) {
    const char *at;
    return decode(raw, out, out_size, &at);
}

bool jscan_string(struct jscan *j, char *out, size_t out_size) {
    struct slice raw;
    const char *at;
    if (!jscan_string_raw(j, &raw))
        return false;
    if (decode(raw, out, out_size, &at))
        return true;
    j->error = "malformed escape";
    j->at = j->end = at;
    return false;
}
