#include "steplog/generic_number.h"

#include "ledger/record.h"
#include "steplog/text.h"

#include <string.h>

static bool is_gap(char c) {
    return c == ' ' || c == '\t' || c == ':' || c == '=' || c == '#' || c == '[' || c == '|' || c == '"' || c == '\'' ||
           c == '(';
}

void generic_skip_gap(struct slice *s) {
    for (int i = 0; i < GENERIC_GAP_BYTES && s->size_bytes > 0 && is_gap(s->data[0]); i++) {
        *s = slice_skip(*s, 1);
        if (s->size_bytes > 0 && s->data[0] == ' ' && s->data[-1] == ' ')
            i--; /* a table's cell */
    }
}

/* "1,000": thousands, if three digits follow and no fourth, and the number before has at most three. */
static bool take_thousands(struct slice *s, int64_t *number) {
    const struct slice from = *s;
    if (!take_step(s, number))
        return false;
    while (from.size_bytes - s->size_bytes <= 11 && *number < 1000000000 && s->size_bytes >= 4 && s->data[0] == ',' &&
           generic_is_digit(s->data[1]) && generic_is_digit(s->data[2]) && generic_is_digit(s->data[3]) &&
           (s->size_bytes == 4 || !generic_is_digit(s->data[4])) && (*number < 1000 || s->data[-4] == ',')) {
        *number = *number * 1000 + (s->data[1] - '0') * 100 + (s->data[2] - '0') * 10 + (s->data[3] - '0');
        *s = slice_skip(*s, 4);
    }
    return true;
}

/* What may not follow a counter's number: a fraction, a unit, a path's rest. */
static bool is_whole(struct slice rest) {
    if (rest.size_bytes == 0)
        return true;
    char c = rest.data[0], next = rest.size_bytes > 1 ? rest.data[1] : ' ';
    if (c == '.')
        return !generic_is_digit(next) && !generic_is_letter(next);
    return !generic_is_letter(c) && c != '%' && !((c == ':' || c == '-') && generic_is_digit(next));
}

/* "[50-100]": the lines are of the steps up to the second number. */
static void take_range_end(struct slice *s, int64_t *number) {
    struct slice rest = *s;
    int64_t last;
    if (slice_take_char(&rest, '-') && take_step(&rest, &last) && last > *number && slice_starts(rest, "]")) {
        *number = last;
        *s = rest;
    }
}

/* "1.02e+03" is 1020 (OpenAI's logger). The number before the exponent is read, and cut to what the exponent leaves
 * whole. */
static void take_exponent(struct slice *s, int64_t *number) {
    struct slice rest = *s;
    int64_t value = *number, digits = 0, exponent;
    if (slice_take_char(&rest, '.'))
        for (; rest.size_bytes > 0 && generic_is_digit(rest.data[0]) && digits < 6; digits++) {
            value = value * 10 + (rest.data[0] - '0');
            rest = slice_skip(rest, 1);
        }
    if (*number > 9 || !slice_take_prefix(&rest, "e+") || !take_step(&rest, &exponent) || exponent < digits ||
        exponent > 12)
        return;
    for (; digits < exponent; digits++)
        value *= 10;
    *number = value;
    *s = rest;
}

bool generic_number_take(struct slice *s, int64_t *number, int64_t *total) {
    struct slice rest = *s;
    *total = RECORD_NONE;
    if (!take_thousands(&rest, number))
        return false;
    take_exponent(&rest, number);
    take_range_end(&rest, number);
    if (!is_whole(rest))
        return false;
    struct slice more = rest;
    skip_spaces(&more);
    if (slice_take_char(&more, '/') || slice_take_prefix(&more, "of ")) {
        int64_t m;
        skip_spaces(&more);
        if (take_thousands(&more, &m) && is_whole(more) && m >= *number) {
            *total = m;
            rest = more;
        } else if (more.size_bytes > 0 && generic_is_digit(more.data[0])) {
            return false; /* a date, or a fraction */
        }
    }
    *s = rest;
    return true;
}

bool generic_number_after(struct slice rest, int64_t *number, int64_t *total, struct slice *behind,
                          const char **number_at) {
    if (slice_starts(rest, "(") && rest.size_bytes > 1 && generic_is_letter(rest.data[1])) {
        const char *end = slice_find_char(rest, ')');
        if (end == NULL || end - rest.data > GENERIC_GAP_BYTES)
            return false;
        rest = slice_range(end + 1, rest.data + rest.size_bytes);
    }
    /* 'global_step/max_steps': '5/855' */
    slice_take_prefix(&rest, "/max_steps");
    generic_skip_gap(&rest); /* or none: "Iter100(50/500)" */
    *number_at = rest.data;
    if (!generic_number_take(&rest, number, total))
        return false;
    *behind = rest;
    return true;
}

/* The digits that end there. */
static struct slice digits_before(const char *begin, const char *to) {
    const char *from = to;
    while (from > begin && generic_is_digit(from[-1]))
        from--;
    return slice_range(from, to);
}

bool generic_number_before(struct slice text, const char *to, struct slice *digits, int64_t *number, int64_t *total) {
    *total = RECORD_NONE;
    *digits = digits_before(text.data, to);
    struct slice rest = *digits, first;
    if (digits->size_bytes == 0 || !take_step(&rest, number))
        return false;
    const char *at = digits->data;
    if (at - text.data > 1 && (at[-1] == '/' || at[-1] == '-') && generic_is_digit(at[-2])) {
        first = digits_before(text.data, at - 1);
        bool is_share = at[-1] == '/';
        int64_t before;
        rest = first;
        if (!take_step(&rest, &before) || before > *number)
            return false;
        if (is_share) {
            *total = *number;
            *number = before;
        }
        *digits = is_share ? first : *digits;
        at = first.data;
        if (!is_share && at > text.data && at[-1] == '-') /* from before the epoch on: "-38-50batch" */
            at--;
    }
    return at == text.data ||
           (!generic_is_letter(at[-1]) && !generic_is_digit(at[-1]) && strchr("./-", at[-1]) == NULL);
}

/* "20: 9.1", "500/20000 train_loss: 3.0": what follows the number, from the space on. */
static bool takes_total(struct slice *rest, int64_t number, int64_t *total) {
    *total = RECORD_NONE;
    if (slice_take_char(rest, ':'))
        return rest->size_bytes > 0 && (rest->data[0] == ' ' || rest->data[0] == '\t');
    return slice_take_char(rest, '/') && take_step(rest, total) && number <= *total && rest->size_bytes > 1 &&
           rest->data[0] == ' ' && generic_is_letter(rest->data[1]);
}

bool generic_number_begins_row(struct slice text, struct slice *digits, int64_t *number, int64_t *total) {
    enum { LOOK_AT_BYTES = 24 };
    struct slice rest = text;
    skip_spaces(&rest);
    digits->data = rest.data;
    if (!take_step(&rest, number))
        return false;
    *digits = slice_range(digits->data, rest.data);
    if (!takes_total(&rest, *number, total))
        return false;
    for (size_t i = 2; i < rest.size_bytes && i < LOOK_AT_BYTES; i++)
        if (rest.data[i - 1] == '.' && generic_is_digit(rest.data[i - 2]) && generic_is_digit(rest.data[i]))
            return true;
    return false;
}
