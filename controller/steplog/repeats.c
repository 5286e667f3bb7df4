#include "steplog/repeats.h"

#include "base/digits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/portable.h"

#include <string.h>

enum { FIRST_PLACES = 256, LOOK_AT_LINES = 64 };

/* ---- keys ---- */

uint64_t repeats_step_key(struct slice prefix) {
    return hash_fast(0, prefix);
}

/* The multiplications of two words, not of ten. */
static uint64_t key_of_step(uint64_t prefix_key, const struct step_line *l) {
    return hash_word(hash_word(prefix_key, (uint64_t)l->step), (uint64_t)step_line_ns(l) ^ (uint64_t)l->decimals << 60);
}

static uint64_t key_of_line(struct slice line) {
    const char *at = slice_starts(line, STEP_LINE_START) ? slice_find(line, STEP_LINE_KEY) : NULL;
    if (at == NULL)
        return hash_fast(0, line);
    struct step_line l;
    struct step_layout layout = {0};
    struct slice numbers = slice_range(at + sizeof STEP_LINE_KEY - 1, line.data + line.size_bytes);
    bool is_step = numbers.size_bytes > 0 && step_line_take(numbers, &layout, &l) == numbers.size_bytes;
    return is_step ? key_of_step(repeats_step_key(slice_range(line.data, numbers.data)), &l) : hash_fast(0, line);
}

int64_t repeats_number(struct slice line) {
    enum { DIGITS_BEFORE = 10, DIGITS_AFTER = 9 };
    if (line.size_bytes == 0 || line.data[0] != '{' || line.data[line.size_bytes - 1] != '}')
        return TIME_UNKNOWN;
    const char *end = line.data + line.size_bytes, *at = portable_find_last(line, ' ');
    uint64_t whole = 0, fraction = 0;
    if (at == NULL)
        return 0;
    at++;
    if (digits_take(&at, end, &whole) > DIGITS_BEFORE || at == end || *at++ != '.')
        return 0;
    int digits = digits_take(&at, end, &fraction);
    if (digits > DIGITS_AFTER)
        return 0;
    while (digits++ < DIGITS_AFTER)
        fraction *= 10;
    return (int64_t)(whole * 1000000000 + fraction);
}

/* ---- which are there ---- */

/* The key's place, or the free one where it belongs. */
static size_t place_of(const struct repeats_table *t, uint64_t key) {
    size_t place = key & (t->places - 1);
    while (t->keys[place] != 0 && t->keys[place] != key)
        place = (place + 1) & (t->places - 1);
    return place;
}

static bool is_in(const struct repeats_table *t, uint64_t key) {
    return t->count > 0 && t->keys[place_of(t, key)] == key;
}

static void grow(struct repeats_table *t) {
    struct repeats_table larger = {.places = t->places > 0 ? 2 * t->places : FIRST_PLACES, .count = t->count};
    larger.keys = mem_alloc(larger.places * sizeof *larger.keys);
    for (size_t i = 0; i < t->places; i++)
        if (t->keys[i] != 0)
            larger.keys[place_of(&larger, t->keys[i])] = t->keys[i];
    free(t->keys);
    *t = larger;
}

static void enter(struct repeats *r, uint64_t key) {
    if (r->young.count == REPEATS_LINES) {
        struct repeats_table oldest = r->old;
        r->old = r->young;
        r->young = oldest;
        r->young.count = 0;
        if (oldest.places > 0)
            memset(oldest.keys, 0, oldest.places * sizeof *oldest.keys);
    }
    if (2 * r->young.count >= r->young.places)
        grow(&r->young);
    size_t place = place_of(&r->young, key);
    r->young.count += r->young.keys[place] == 0;
    r->young.keys[place] = key;
}

static bool is_there(struct repeats *r, uint64_t key) {
    if (r->count - r->entered > REPEATS_LINES)
        r->entered = r->count - REPEATS_LINES;
    while (r->entered < r->count)
        enter(r, r->keys[r->entered++ % REPEATS_LINES]);
    return is_in(&r->young, key) || is_in(&r->old, key);
}

static void keep(struct repeats *r, uint64_t key) {
    if (r->count == r->capacity && r->capacity < REPEATS_LINES) {
        r->capacity = r->capacity > 0 ? 2 * r->capacity : FIRST_PLACES;
        r->keys = mem_resize(r->keys, r->capacity, sizeof *r->keys);
    }
    r->keys[r->count++ % REPEATS_LINES] = key;
}

/* ---- */

void repeats_done(struct repeats *r) {
    free(r->keys);
    free(r->young.keys);
    free(r->old.keys);
}

void repeats_begin(struct repeats *r) {
    r->files++;
    r->before = hash_fast(0, HASH_BYTES(&r->files));
    if (r->files == 1)
        r->newest = TIME_UNKNOWN;
}

static bool note_key(struct repeats *r, uint64_t key, int64_t number) {
    key += key == 0; /* 0 is a free place */
    bool is_new = number > r->newest, is_repeat = !is_new && is_there(r, key);
    if (is_new)
        r->newest = number;
    if (!is_repeat)
        keep(r, key);
    r->before = key;
    return is_repeat;
}

bool repeats_note(struct repeats *r, struct slice line, int64_t number) {
    line.size_bytes -= slice_ends(line, "\r");
    return note_key(r, number == TIME_UNKNOWN ? hash_fast(r->before, line) : key_of_line(line), number);
}

bool repeats_note_step(struct repeats *r, uint64_t prefix_key, const struct step_line *l) {
    return note_key(r, key_of_step(prefix_key, l), l->decimals > 0 ? step_line_ns(l) : 0);
}

bool repeats_overlap(struct repeats *r, struct slice lines) {
    struct slice line;
    for (int i = 0; i < LOOK_AT_LINES && slice_take_line(&lines, &line); i++) {
        uint64_t key = key_of_line(line);
        if (is_there(r, key + (key == 0)))
            return true;
    }
    return false;
}
