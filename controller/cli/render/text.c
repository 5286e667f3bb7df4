#include "cli/render/text.h"

#include "base/clock.h"
#include "base/rfc3339.h"

#include <stdio.h>
#include <string.h>

/* Length in bytes of the code point at s (1 for a stray byte); *is_safe: a terminal may show it. */
static size_t code_point(const char *s, bool *is_safe) {
    unsigned char c = (unsigned char)*s;
    size_t size = c < 0x80 ? 1 : (c & 0xe0) == 0xc0 ? 2 : (c & 0xf0) == 0xe0 ? 3 : (c & 0xf8) == 0xf0 ? 4 : 0;
    *is_safe = size != 0 && c >= 0x20 && c != 0x7f;
    for (size_t i = 1; i < size; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80) {
            *is_safe = false;
            return 1;
        }
    if (size == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0) /* C1 controls */
        *is_safe = false;
    /* Characters that reorder or hide text: zero-width and bidirectional controls, line and paragraph separators. */
    if (size == 3 && c == 0xe2) {
        unsigned char d = (unsigned char)s[1], e = (unsigned char)s[2];
        *is_safe = !(d == 0x80 && ((e >= 0x8b && e <= 0x8f) || (e >= 0xa8 && e <= 0xae))) &&
                   !(d == 0x81 && e >= 0xa0 && e <= 0xaf);
    }
    return size ? size : 1;
}

int text_width(const char *text) {
    int width = 0;
    bool is_safe;
    for (; *text; width++)
        text += code_point(text, &is_safe);
    return width;
}

void text_repeat(struct buf *out, const char *glyph, int count) {
    for (int i = 0; i < count; i++)
        buf_append_text(out, glyph);
}

static void append_safe(struct buf *out, const char *text, int columns) {
    for (; *text && columns > 0; columns--) {
        bool is_safe;
        size_t size = code_point(text, &is_safe);
        if (is_safe)
            buf_append(out, text, size);
        else
            buf_append_char(out, '?');
        text += size;
    }
}

void text_cell(struct buf *out, const char *text, int width, int pad) {
    int has = text_width(text), shown = width > 0 && has > width ? width : has;
    if (pad < 0)
        text_repeat(out, " ", width - shown);
    append_safe(out, text, has > shown ? shown - 1 : shown);
    if (has > shown)
        buf_append_char(out, '~');
    if (pad > 0)
        text_repeat(out, " ", width - shown);
}

void text_color(struct buf *out, const struct text_style *style, enum text_color color) {
    static const char *const codes[] = {
        [COLOR_NONE] = "\033[0m",        [COLOR_SCHEDULING] = "\033[33m", [COLOR_RUNTIME] = "\033[35m",
        [COLOR_PRODUCTIVE] = "\033[36m", [COLOR_BOLD] = "\033[1m",        [COLOR_DIM] = "\033[2m"};
    if (style->has_color)
        buf_append_text(out, codes[color]);
}

static int columns_left(const struct text_style *style, int indent) {
    return style->columns > indent + 20 ? style->columns - indent : 0;
}

void text_wrap(struct buf *out, const struct text_style *style, int indent, int hang, const char *text) {
    int room = columns_left(style, indent), used = 0;
    text_repeat(out, " ", indent);
    while (*text) {
        char word[512];
        size_t size = strcspn(text, " \n\t");
        slice_copy(word, sizeof word, (struct slice){text, size});
        int width = text_width(word);
        if (room > 0 && used > 0 && used + 1 + width > room) {
            buf_append_char(out, '\n');
            text_repeat(out, " ", indent + hang);
            room = columns_left(style, indent + hang);
            used = 0;
        }
        if (used > 0 && width > 0)
            buf_append_char(out, ' ');
        used += width > 0 && used > 0 ? width + 1 : width;
        text_cell(out, word, room, 0);
        text += size;
        text += strspn(text, " \n\t");
    }
    buf_append_char(out, '\n');
}

const char *text_duration_in(char out[TEXT_DURATION_SIZE], int64_t ms, int64_t unit_ms) {
    if (ms < 0)
        return snprintf(out, TEXT_DURATION_SIZE, "-"), out;
    long long s = (long long)(ms / 1000);
    char seconds[16];
    bool has_minutes = s >= 60;
    snprintf(seconds, sizeof seconds, has_minutes ? "%02lld" : "%lld", s % 60);
    size_t n = strlen(seconds);
    if (unit_ms < 100)
        snprintf(seconds + n, sizeof seconds - n, ".%03lld", (long long)(ms % 1000));
    else if (unit_ms < 1000)
        snprintf(seconds + n, sizeof seconds - n, ".%lld", (long long)(ms / 100 % 10));
    if (s >= 86400)
        snprintf(out, TEXT_DURATION_SIZE, "%lldd %02lldh %02lldm %ss", s / 86400, s / 3600 % 24, s / 60 % 60, seconds);
    else if (s >= 3600)
        snprintf(out, TEXT_DURATION_SIZE, "%lldh %02lldm %ss", s / 3600, s / 60 % 60, seconds);
    else if (has_minutes)
        snprintf(out, TEXT_DURATION_SIZE, "%lldm %ss", s / 60, seconds);
    else
        snprintf(out, TEXT_DURATION_SIZE, "%ss", seconds);
    return out;
}

const char *text_duration(char out[TEXT_DURATION_SIZE], int64_t ms) {
    long long s = (long long)((ms + 500) / 1000);
    if (s >= 86400)
        snprintf(out, TEXT_DURATION_SIZE, "%lldd %02lldh", s / 86400, s / 3600 % 24);
    else if (s >= 3600)
        snprintf(out, TEXT_DURATION_SIZE, "%lldh %02lldm", s / 3600, s / 60 % 60);
    else if (s >= 60)
        snprintf(out, TEXT_DURATION_SIZE, "%lldm %02llds", s / 60, s % 60);
    else
        snprintf(out, TEXT_DURATION_SIZE, "%lld.%lld%s", (long long)(ms / 1000), (long long)(ms / 100 % 10), "s");
    return out;
}

const char *text_seconds(char out[TEXT_DURATION_SIZE], int64_t s) {
    if (s < 0 || s >= 60)
        return text_duration(out, s * 1000);
    return snprintf(out, TEXT_DURATION_SIZE, "%llds", (long long)s), out;
}

const char *text_stamp(char out[TEXT_DURATION_SIZE], int64_t unix_ms) {
    char stamp[RFC3339_SIZE];
    if (unix_ms == TIME_UNKNOWN)
        return snprintf(out, TEXT_DURATION_SIZE, "-"), out;
    rfc3339_format_s(stamp, unix_ms);
    slice_copy(out, TEXT_DURATION_SIZE, slice_of(stamp));
    char *t = strchr(out, 'T'), *z = strchr(out, 'Z');
    if (t)
        *t = ' ';
    if (z)
        *z = '\0';
    return out;
}

/* 128 bits: the product of years in ms and the scale overflows 64. */
static int64_t rounded(int64_t sum, int64_t whole, int64_t scale) {
    return (int64_t)(((__int128)sum * scale * 2 + whole) / ((__int128)whole * 2));
}

int64_t text_share(int64_t before, int64_t part, int64_t whole, int64_t scale) {
    return whole <= 0 ? 0 : rounded(before + part, whole, scale) - rounded(before, whole, scale);
}
