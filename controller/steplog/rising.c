#include "steplog/rising.h"

#include "steplog/generic_number.h"

#include <string.h>

enum { MIN_LINES = 5, MIN_EQUAL = 3, LEAD_BYTES = 24 };

#define MAX_NUMBER 100000000 /* more: a time, bytes or an identifier */

struct number {
    struct slice text;
    int64_t value; /* -1: not whole, or too large */
    bool is_fraction;
};

static bool is_digit_at(const char *at, const char *end) {
    return at < end && generic_is_digit(*at);
}

/* "7", "2.9", "1.5e-05", also "7/100" and "12:00:01": the first is whole, the last two are no fractions. */
static struct number take_number(const char **at, const char *end) {
    struct number n = {.text = {*at, 0}, .value = 0};
    int dots = 0, others = 0;
    for (; *at < end; (*at)++) {
        char c = **at;
        bool joins = strchr(".:,/-", c) != NULL && is_digit_at(*at + 1, end);
        bool is_exponent = (c | 32) == 'e' && dots > 0 &&
                           (is_digit_at(*at + 1, end) ||
                            (end - *at > 2 && strchr("+-", (*at)[1]) != NULL && is_digit_at(*at + 2, end)));
        if (!generic_is_digit(c) && !joins && !is_exponent)
            break;
        *at += is_exponent;
        dots += c == '.';
        others += joins && c != '.' && !(c == '/' && dots == 0);
    }
    n.text.size_bytes = (size_t)(*at - n.text.data);
    n.is_fraction = dots == 1 && others == 0;
    struct slice rest = n.text;
    bool is_whole = dots == 0 && others == 0 && slice_take_uint(&rest, &n.value) && n.value <= MAX_NUMBER;
    if (!is_whole)
        n.value = -1;
    return n;
}

/* The line's numbers, and the text around them: without blanks and signs, which come and go as numbers grow. */
static int read_numbers(struct slice text, struct number numbers[static RISING_NUMBERS], uint64_t *shape) {
    const char *at = text.data, *end = text.data + text.size_bytes;
    int count = 0;
    *shape = SLICE_HASH_START;
    while (at < end && count < RISING_NUMBERS) {
        if (generic_is_digit(*at)) {
            numbers[count] = take_number(&at, end);
            *shape = slice_hash_add(*shape, numbers[count].is_fraction ? SLICE("0.0") : SLICE("0"));
            count++;
        } else {
            if (strchr(" \t+-", *at) == NULL)
                *shape = slice_hash_add(*shape, (struct slice){at, 1});
            at++;
        }
    }
    return count;
}

/* That of the shape; else an empty one, or the one with the fewest lines, the oldest of several. */
static struct rising_kind *kind_of(struct rising *r, uint64_t shape) {
    struct rising_kind *victim = &r->kinds[0];
    for (int i = 0; i < RISING_KINDS; i++) {
        struct rising_kind *k = &r->kinds[i];
        if (k->lines > 0 && k->shape == shape)
            return k;
        if (k->lines < victim->lines || (k->lines == victim->lines && k->newest < victim->newest))
            victim = k;
    }
    *victim = (struct rising_kind){.shape = shape};
    return victim;
}

void rising_line(struct rising *r, const char *text) {
    struct number numbers[RISING_NUMBERS];
    uint64_t shape;
    int count = read_numbers(slice_of(text), numbers, &shape);
    bool has_whole = false, has_fraction = false;
    for (int i = 0; i < count; i++) {
        has_whole |= numbers[i].value >= 0;
        has_fraction |= numbers[i].is_fraction;
    }
    if (!has_whole || !has_fraction)
        return;
    struct rising_kind *k = kind_of(r, shape);
    for (int i = 0; i < count; i++) {
        int64_t distance = k->lines > 0 && numbers[i].value > k->last[i] ? numbers[i].value - k->last[i] : 0;
        k->equal[i] += distance > 0 && distance == k->distance[i];
        if (distance > 0)
            k->distance[i] = distance;
        k->last[i] = numbers[i].value;
    }
    if (k->lines < STEPLOG_SAMPLES)
        slice_copy(k->text[k->lines], sizeof k->text[0], slice_of(text));
    k->lines++;
    k->newest = ++r->lines;
}

/* The number that rises by the smallest distance: the others count samples or seconds. -1: none rises in most lines. */
static int place_of(const struct rising_kind *k) {
    int best = -1;
    for (int i = 0; i < RISING_NUMBERS && k->lines >= MIN_LINES; i++)
        if (k->equal[i] >= MIN_EQUAL && k->equal[i] >= k->lines / 2 && (best < 0 || k->distance[i] < k->distance[best]))
            best = i;
    return best;
}

const struct rising_kind *rising_best(const struct rising *r, int *place) {
    const struct rising_kind *best = NULL;
    for (int i = 0; i < RISING_KINDS; i++) {
        int p = place_of(&r->kinds[i]);
        if (p < 0 || (best != NULL && r->kinds[i].lines <= best->lines))
            continue;
        best = &r->kinds[i];
        *place = p;
    }
    return best;
}

bool rising_is_word(char c) {
    return generic_is_letter(c) || generic_is_digit(c) || (unsigned char)c >= 0x80;
}

bool rising_number(struct slice text, int place, struct slice *lead, struct slice *number) {
    struct number numbers[RISING_NUMBERS];
    uint64_t shape;
    if (place >= read_numbers(text, numbers, &shape) || numbers[place].value < 0)
        return false;
    *number = numbers[place].text;
    const char *from = number->data;
    bool is_named = false;
    while (from > text.data && !rising_is_word(from[-1]))
        from--;
    for (; from > text.data && rising_is_word(from[-1]); from--)
        is_named |= !generic_is_digit(from[-1]);
    *lead = slice_range(from, number->data);
    return (is_named || from == text.data) && lead->size_bytes <= LEAD_BYTES;
}

bool rising_total(struct slice text, int place, struct slice *total) {
    struct number numbers[RISING_NUMBERS];
    uint64_t shape;
    int64_t done, of;
    if (place >= read_numbers(text, numbers, &shape) || numbers[place].value < 0)
        return false;
    *total = numbers[place].text;
    if (!slice_take_uint(total, &done) || !slice_take_char(total, '/'))
        return false;
    struct slice rest = *total;
    return slice_take_uint(&rest, &of) && rest.size_bytes == 0;
}
