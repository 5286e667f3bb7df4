#include "cli/analyze/repeats.h"

#include "base/mem.h"

enum { SAME_TIME = 256 }; /* records of one time that are compared, at most */

static struct analyze_repeat *at(const struct analyze_repeats *r, size_t number) {
    return &r->ring[number % ANALYZE_REPEATS];
}

void analyze_repeats_done(struct analyze_repeats *r) {
    free(r->ring);
}

void analyze_repeats_clear(struct analyze_repeats *r) {
    r->count = 0;
    r->is_behind = false;
}

static bool is_there(const struct analyze_repeats *r, struct analyze_repeat one) {
    size_t first = r->count > ANALYZE_REPEATS ? r->count - ANALYZE_REPEATS : 0, low = first, high = r->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (at(r, middle)->at_ms < one.at_ms)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < r->count && i < low + SAME_TIME && at(r, i)->at_ms == one.at_ms; i++)
        if (at(r, i)->what == one.what)
            return true;
    return false;
}

bool analyze_repeats_note(struct analyze_repeats *r, const struct record *record) {
    if (record->kind == RECORD_SIGN_OF_LIFE)
        return false;
    int64_t step = record->step == RECORD_NONE ? -1 : record->step;
    struct analyze_repeat one = {record->at_ms, step * RECORD_KIND_COUNT + (int64_t)record->kind};
    int64_t newest_ms = r->count > 0 ? at(r, r->count - 1)->at_ms : INT64_MIN;
    if (one.at_ms != newest_ms)
        r->is_behind = one.at_ms < newest_ms;
    if (r->is_behind && is_there(r, one))
        return true;
    if (one.at_ms < newest_ms)
        return false;
    if (r->count == r->capacity && r->capacity < ANALYZE_REPEATS) {
        r->capacity = r->capacity > 0 ? 2 * r->capacity : 64;
        r->ring = mem_resize(r->ring, r->capacity, sizeof *r->ring);
    }
    r->count++;
    *at(r, r->count - 1) = one;
    return false;
}
