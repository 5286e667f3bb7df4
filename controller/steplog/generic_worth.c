#include "steplog/generic_worth.h"

#include "base/letters.h"
#include "steplog/generic_line.h"
#include "steplog/generic_number.h"

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* "[64/60000]", "[100] loss=": not "[2026-11-21" and not "[   12.345678]". */
static bool is_bracketed_number(const char *at, const char *end) {
    while (at < end && *at == ' ')
        at++;
    const char *from = at;
    while (at < end && generic_is_digit(*at))
        at++;
    return at > from && at < end && (*at == ']' || *at == '/');
}

/* The beginnings of the words that are looked for, so that all other words cost two comparisons. */
static bool is_worth(const char *at, const char *end) {
    if (end - at < 2)
        return false;
    char next = lower(at[1]);
    switch (lower(at[0])) {
    case 's': /* step, saving */
        return (next == 't' && end - at > 3 && lower(at[2]) == 'e' && lower(at[3]) == 'p') ||
               (next == 'a' && end - at > 3 && lower(at[2]) == 'v');
    case 'i': /* it, iter, itr */
        return next == 't' && (end - at == 2 || !generic_is_letter(at[2]) || lower(at[2]) == 'r' ||
                               (lower(at[2]) == 'e' && end - at > 3 && lower(at[3]) == 'r'));
    case 't': /* train, tick, total_timesteps; not "to", "the", "true" */
        return end - at > 4 &&
               ((next == 'r' && lower(at[2]) == 'a' && lower(at[3]) == 'i') ||
                slice_starts(slice_range(at, end), "tick ") ||
                (next == 'o' && lower(at[2]) == 't' && lower(at[3]) == 'a' && end - at > 5 && at[5] == '_'));
    case 'b':
        return next == 'a' && end - at > 3 && lower(at[2]) == 't';
    case 'e':
        return (next == 'p' && end - at > 2 && lower(at[2]) == 'o') ||
               (next == 'v' && end - at > 2 && lower(at[2]) == 'a');
    case 'u':
        return next == 'p' && end - at > 2 && (lower(at[2]) == 'd' || at[2] == '.');
    case 'v':
        return next == 'a' && end - at > 2 && lower(at[2]) == 'l';
    case 'g':
        return next == 'l' && end - at > 2 && lower(at[2]) == 'o';
    case 'n':
        return (next == 'u' && end - at > 3 && at[3] == '_') || next == '_';
    case 'c':
        return next == 'u' && end - at > 3 && lower(at[2]) == 'r';
    case 'o':
        return next == 'p' && end - at > 3 && lower(at[2]) == 't';
    default:
        return false;
    }
}

/* The second letters of those beginnings, by the first: most words differ here from all. */
#define BIT(c) (UINT32_C(1) << ((c)&31))
static const uint32_t seconds[32] = {['s' & 31] = BIT('t') | BIT('a'),
                                     ['i' & 31] = BIT('t'),
                                     ['t' & 31] = BIT('r') | BIT('i') | BIT('o'),
                                     ['b' & 31] = BIT('a'),
                                     ['e' & 31] = BIT('p') | BIT('v'),
                                     ['u' & 31] = BIT('p'),
                                     ['v' & 31] = BIT('a'),
                                     ['g' & 31] = BIT('l'),
                                     ['n' & 31] = BIT('u') | BIT('_'),
                                     ['c' & 31] = BIT('u'),
                                     ['o' & 31] = BIT('p')};

static bool is_worth_at(const char *at, const char *end) {
    if (*at == '[')
        return is_bracketed_number(at + 1, end);
    return end - at >= 2 && (seconds[*at & 31] >> (at[1] & 31) & 1) != 0 && is_worth(at, end);
}

bool generic_is_worth(struct slice text) {
    struct slice digits;
    int64_t number, total;
    if (text.size_bytes > GENERIC_LINE_BYTES)
        text.size_bytes = GENERIC_LINE_BYTES;
    if (generic_number_begins_row(text, &digits, &number, &total))
        return true;
    const char *at = text.data, *end = text.data + text.size_bytes;
    for (uint64_t before = 0; at < end; at += sizeof(uint64_t)) {
        uint64_t bytes = letters_load(at, end), letters = letters_of(bytes);
        uint64_t starts = (letters & ~(letters << 8 | before)) | letters_equal(bytes, '[');
        before = letters >> 56;
        for (; starts != 0; starts &= starts - 1)
            if (is_worth_at(at + __builtin_ctzll(starts) / 8, end))
                return true;
    }
    return false;
}
