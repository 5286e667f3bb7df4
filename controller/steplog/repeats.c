#include "steplog/repeats.h"

#include "base/digits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/portable.h"

#include <string.h>

enum { FIRST_PLACES = 256, LOOK_AT_LINES = 64 };

/* ---- keys ---- */

static uint64_t key_of(uint64_t before, struct slice line) {
    uint64_t key = hash_fast(before, line);
    return key != 0 ? key : 1;
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

bool repeats_note(struct repeats *r, struct slice line, int64_t number) {
    line.size_bytes -= slice_ends(line, "\r");
    uint64_t key = key_of(number == TIME_UNKNOWN ? r->before : 0, line);
    bool is_new = number > r->newest, is_repeat = !is_new && is_there(r, key);
    if (is_new)
        r->newest = number;
    if (!is_repeat)
        keep(r, key);
    r->before = key;
    return is_repeat;
}

bool repeats_overlap(struct repeats *r, struct slice lines) {
    struct slice line;
    for (int i = 0; i < LOOK_AT_LINES && slice_take_line(&lines, &line); i++)
        if (is_there(r, key_of(0, line)))
            return true;
    return false;
}
