#include "rootcause/line.h"

#include "base/escape.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "rootcause/prefixes.h"

#include <ctype.h>

enum { ESCAPE = 0x1b, HEAD_BYTES = 80 };

/* As escape_end(); an OSC sequence (ECMA-48) up to BEL or ST. */
static const char *end_of_escape(const char *at, const char *end) {
    const char *next = at + 1;
    if (next == end || *next != ']')
        return escape_end(at, end);
    while (next < end && *next != '\a' && *next != ESCAPE)
        next++;
    return next < end ? next + 1 : end;
}

/* U+00A0, a space that web pages put into what people copy from them. */
static bool is_wide_space(const char *at, const char *end) {
    return end - at >= 2 && at[0] == '\xc2' && at[1] == '\xa0';
}

/* Eight bytes at once, as far as all are plain. */
static const char *skip_plain(const char *at, const char *end) {
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
    uint64_t bytes;
    for (; (size_t)(end - at) >= sizeof bytes; at += sizeof bytes) {
        memcpy(&bytes, at, sizeof bytes);
        uint64_t is_wide = bytes ^ ones * 0xc2;
        uint64_t is_control = (bytes - ones * 0x20) & ~bytes;
        if (((is_control | ((is_wide - ones) & ~is_wide)) & high) != 0)
            break;
    }
    return at;
}

static const char *end_of_plain(const char *at, const char *end) {
    at = skip_plain(at, end);
    while (at < end && ((unsigned char)*at >= 0x20 || *at == '\t') && !is_wide_space(at, end))
        at++;
    return at;
}

/* Takes escapes and other control characters out; a NUL is one. */
struct slice line_plain(struct slice raw, struct buf *plain) {
    const char *end = raw.data + raw.size_bytes, *at = end_of_plain(raw.data, end);
    if (at == end)
        return raw;
    buf_clear(plain);
    buf_append(plain, raw.data, (size_t)(at - raw.data));
    while (at < end) {
        const char *from = at;
        if (*at == ESCAPE) {
            at = end_of_escape(at, end);
        } else if (is_wide_space(at, end)) {
            buf_append_char(plain, ' ');
            at += 2;
        } else {
            at = end_of_plain(at, end);
            buf_append(plain, from, (size_t)(at - from));
            at += at == from;
        }
    }
    return buf_slice(plain);
}

/* "stdout F " of CRI. */
static void take_stream(struct slice *text) {
    struct slice rest = *text;
    if ((slice_take_prefix(&rest, "stdout ") || slice_take_prefix(&rest, "stderr ")) &&
        (slice_take_prefix(&rest, "F ") || slice_take_prefix(&rest, "P ")))
        *text = rest;
}

static void take_indentation(struct line *line) {
    size_t n = 0;
    while (n < line->text.size_bytes && (line->text.data[n] == ' ' || line->text.data[n] == '\t'))
        n++;
    line->indentation = n;
    line->text = slice_trim(line->text);
}

void line_read_text(struct line *line, struct slice raw, struct buf *plain) {
    line->text = line_plain(raw, plain);
    line->rank = RANK_UNKNOWN;
    line->writer = prefixes_take(&line->text, &line->rank);
    take_indentation(line);
}

void line_read(struct line *line, struct slice raw, bool is_stamped, struct buf *plain) {
    struct slice rest = raw;
    line->at_ns = INT64_MIN;
    if (is_stamped && rfc3339_take(&rest, &line->at_ns, NULL)) {
        if (rest.size_bytes > 0)
            rest = slice_skip(rest, 1);
        take_stream(&rest);
    } else {
        rest = raw;
        line->at_ns = INT64_MIN;
    }
    line_read_text(line, rest, plain);
}

static bool is_digits(struct slice text, size_t at, size_t count) {
    if (text.size_bytes < at + count)
        return false;
    for (size_t i = at; i < at + count; i++)
        if (!isdigit((unsigned char)text.data[i]))
            return false;
    return true;
}

bool line_starts_record(struct slice text) {
    slice_take_char(&text, '[');
    bool is_dated = is_digits(text, 0, 4) && text.size_bytes > 4 && (text.data[4] == '-' || text.data[4] == '/');
    bool is_glog = text.size_bytes > 5 && strchr("IWEF", text.data[0]) != NULL && is_digits(text, 1, 4);
    return is_dated || is_glog;
}

bool line_is_warning(struct slice text) {
    bool is_bracket = slice_take_char(&text, '[');
    if (text.size_bytes > 5 && (text.data[0] == 'W' || text.data[0] == 'I') &&
        (is_digits(text, 1, 3) || (is_bracket && text.data[1] == ' ')))
        return true;
    if (text.size_bytes > HEAD_BYTES)
        text.size_bytes = HEAD_BYTES;
    const char *debug = slice_find(text, "DEBUG");
    return slice_contains(text, "WARNING") || (debug != NULL && (debug == text.data || debug[-1] != '_'));
}

bool line_is_information(struct slice text) {
    if (text.size_bytes > HEAD_BYTES)
        text.size_bytes = HEAD_BYTES;
    const char *at = slice_find(text, "INFO");
    return at != NULL && (at == text.data || at[-1] != '=') && !slice_contains(text, "NCCL INFO");
}

static bool has_word(struct slice text, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (slice_contains(text, words[i]))
            return true;
    return false;
}

bool line_is_fatal(struct slice text) {
    return text.size_bytes > 6 && text.data[0] == 'F' && is_digits(text, 1, 4) && text.data[5] == ' ';
}

bool line_is_python_warning(struct slice text) {
    if (slice_starts(text, "warnings.warn(")) /* the line of source that Python shows */
        return true;
    const char *at = slice_find(text, "Warning: ");
    return at != NULL && at > text.data && islower((unsigned char)at[-1]);
}

bool line_says_retry(struct slice text) {
    static const char *const words[] = {
        "Retrying",  "retrying",         "ill retry",     "ill be retried", "Retry in ",
        "retry in ", "trying again in ", "ill try again", "backing off",    "automatically retried"};
    bool may_be = slice_contains(text, "etr") || slice_contains(text, "again") || slice_contains(text, "backing off");
    return may_be && has_word(text, words, ARRAY_SIZE(words)) &&
           !slice_contains(text, "maybe retrying"); /* TensorFlow's RPCs */
}

bool line_says_skipped(struct slice text) {
    static const char *const words[] = {"kipping ", "kip the ", "kip this "};
    return slice_contains(text, "kip") && has_word(text, words, ARRAY_SIZE(words));
}

/* ---- quoted data ---- */

bool line_is_message_key(struct slice key) {
    static const char *const parts[] = {"essage", "msg", "rror", "xc_", "xception", "stack", "trace", "textPayload"};
    static const char *const whole[] = {"log",    "line",  "data",    "event",  "err",    "exc",
                                        "reason", "cause", "details", "detail", "warning"};
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (slice_contains(key, parts[i]))
            return true;
    for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
        if (slice_is(key, whole[i]))
            return true;
    return false;
}

/* The word that ends before `end`, perhaps itself in quotation marks. */
static struct slice word_before(const char *start, const char *end) {
    while (end > start && (end[-1] == ' ' || end[-1] == '"' || end[-1] == '\''))
        end--;
    const char *from = end;
    while (from > start && (isalnum((unsigned char)from[-1]) || from[-1] == '_' || from[-1] == '.' || from[-1] == '-'))
        from--;
    return slice_range(from, end);
}

static bool ends_in_article(struct slice text) {
    static const char *const articles[] = {"a", "an", "the", "any", "no", "of"};
    struct slice word = word_before(text.data, text.data + text.size_bytes);
    for (size_t i = 0; i < ARRAY_SIZE(articles); i++)
        if (slice_is(word, articles[i]))
            return true;
    return false;
}

bool line_is_prose(struct slice text, size_t at) {
    static const char *const words[] = {"? ",   " I ",  "I'm ",  " my ",  "My ",
                                        " me ", "See ", "grep ", "e.g. ", " not found "};
    struct slice before = slice_trim(slice_range(text.data, text.data + at));
    bool is_argument = slice_ends(before, "(\"") || slice_ends(before, "('");
    return is_argument || ends_in_article(before) || slice_ends(text, "?") || has_word(text, words, ARRAY_SIZE(words));
}

static bool starts_request(struct slice text) {
    static const char *const methods[] = {"GET /", "POST /", "PUT /", "HEAD /", "DELETE /", "PATCH /"};
    for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
        if (slice_starts(text, methods[i]))
            return true;
    return false;
}

/* Where the quoted text starts that covers `at`; NULL: none does. A quotation is text: other bytes end it. */
static const char *quotation(struct slice text, size_t at) {
    const char *open = NULL;
    size_t size = 1;
    for (size_t i = 0; i < at; i += size) {
        const char *p = text.data + i;
        size = slice_utf8_size(slice_skip(text, i));
        if (size == 0)
            open = NULL, size = 1;
        else if (*p == '\\')
            size = 2;
        else if (open == NULL && (*p == '"' || (*p == '\'' && i > 0 && strchr(" :=", p[-1]) != NULL)))
            open = p;
        else if (open != NULL && *p == *open)
            open = NULL;
    }
    return open;
}

bool line_quotes(struct slice text, size_t at) {
    if (slice_starts(text, "+ "))
        return true;
    const char *open = quotation(text, at);
    if (open == NULL)
        return false;
    if (starts_request(slice_range(open + 1, text.data + text.size_bytes)))
        return true;
    const char *end = open;
    while (end > text.data && end[-1] == ' ')
        end--;
    if (end == text.data || (end[-1] != ':' && end[-1] != '='))
        return false;
    bool is_json = end - 1 > text.data && (end[-2] == '"' || end[-2] == '\'');
    struct slice key = word_before(text.data, end - 1);
    return (is_json || end[-1] == '=') && key.size_bytes > 1 && !line_is_message_key(key);
}
