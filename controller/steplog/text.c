#include "steplog/text.h"

#include "ledger/record.h"

#include <string.h>

bool text_after(struct slice text, const char *words, struct slice *rest) {
    const char *at = slice_find(text, words);
    if (at == NULL)
        return false;
    *rest = slice_range(at + strlen(words), text.data + text.size_bytes);
    return true;
}

bool take_step(struct slice *s, int64_t *step) {
    struct slice rest = *s;
    int64_t found;
    if (!slice_take_uint(&rest, &found) || found > STEPLOG_MAX_STEP)
        return false;
    *step = found;
    *s = rest;
    return true;
}

bool take_short_step(struct slice *s, int64_t *step) {
    struct slice rest = *s, whole = *s;
    int64_t thousandths;
    if (!slice_take_scaled(&rest, 3, &thousandths) || !take_step(&whole, step))
        return false;
    bool is_thousands = slice_take_char(&rest, 'k');
    bool is_millions = !is_thousands && slice_take_char(&rest, 'M');
    if (is_thousands || is_millions)
        *step = is_thousands ? thousandths : thousandths * 1000;
    else if (thousandths % 1000 != 0)
        return false;
    *s = rest;
    return *step <= STEPLOG_MAX_STEP;
}

bool take_duration_ms(struct slice *s, int64_t *ms) {
    struct slice rest = *s;
    int64_t found;
    if (!slice_take_scaled(&rest, 3, &found) || found < 0 || found > STEPLOG_MAX_DURATION_MS)
        return false;
    *ms = found;
    *s = rest;
    return true;
}

bool take_milliseconds(struct slice *s, int64_t *ms) {
    struct slice rest = *s;
    int64_t found;
    if (!slice_take_scaled(&rest, 0, &found) || found < 0 || found > STEPLOG_MAX_DURATION_MS)
        return false;
    *ms = found;
    *s = rest;
    return true;
}

static bool is_of_number(char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == ',' || c == 'e' || c == 'E' || c == '+' || c == '-';
}

bool take_milli(struct slice *s, int64_t *milli) {
    char plain[40]; /* a longer number is none */
    size_t n = 0, used = 0;
    while (used < s->size_bytes && n < sizeof plain && is_of_number(s->data[used])) {
        bool is_comma = s->data[used] == ',';
        if (is_comma && (used + 1 == s->size_bytes || s->data[used + 1] < '0' || s->data[used + 1] > '9'))
            break; /* ends a list's element */
        if (!is_comma)
            plain[n++] = s->data[used];
        used++;
    }
    struct slice number = {plain, n};
    int64_t found;
    if (!slice_take_scaled(&number, 3, &found) || number.size_bytes != 0 || found < 0)
        return false;
    *milli = found;
    *s = slice_skip(*s, used);
    return true;
}

void skip_spaces(struct slice *s) {
    while (slice_take_char(s, ' ')) {
    }
}

bool step_after(struct slice text, const char *words, int64_t *step, struct slice *rest) {
    struct slice found;
    if (!text_after(text, words, &found))
        return false;
    skip_spaces(&found);
    if (!take_step(&found, step))
        return false;
    *rest = found;
    return true;
}

bool duration_after(struct slice text, const char *words, int64_t *ms) {
    if (!text_after(text, words, &text))
        return false;
    skip_spaces(&text);
    return take_duration_ms(&text, ms);
}

static void visit_within(struct codec *c, int64_t *value, int64_t min, int64_t max) {
    codec_time(c, value); /* RECORD_NONE is TIME_UNKNOWN: both are INT64_MIN */
    if (*value == RECORD_NONE || (*value >= min && *value <= max))
        return;
    c->failed = true;
    *value = RECORD_NONE;
}

void visit_step_number(struct codec *c, int64_t *number) {
    visit_within(c, number, 0, STEPLOG_MAX_STEP);
}

void visit_line_time(struct codec *c, int64_t *ms) {
    visit_within(c, ms, -62135596800000, 253402300799999); /* the years 1 to 9999 */
}

int64_t step_of_path(struct slice path) {
    const char *end = path.data + path.size_bytes;
    for (const char *p = end; p != path.data; end = p) {
        p = end;
        while (p != path.data && p[-1] != '/')
            p--;
        struct slice component = slice_range(p, end);
        int64_t step;
        if (take_step(&component, &step) && (component.size_bytes == 0 || slice_is(component, ".")))
            return step;
        if (p != path.data)
            p--; /* the slash */
    }
    return RECORD_NONE;
}

bool text_is_value(const char *begin, const char *from) {
    bool is_quoted = from > begin && (from[-1] == '"' || from[-1] == '\'');
    from -= is_quoted;
    while (is_quoted && from > begin && from[-1] == ' ')
        from--;
    return from > begin && (from[-1] == '=' || (is_quoted && from[-1] == ':'));
}
