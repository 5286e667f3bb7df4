/* steps: a set of step numbers in the order in which they were added, as the keys of a Python dictionary. Numbers that
 * go up by one (nearly all logs) take no room; those that only go up are found by bisection; from the first that does
 * not on, by hashing. Private. */
#ifndef LIBRARY_STEPS_H
#define LIBRARY_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct steps {
    int64_t first;
    int64_t *items; /* of which nothing counts while the numbers go up by one (is_range) */
    size_t count, capacity;
    bool is_range;
    uint32_t *table; /* index + 1; NULL while the numbers go up */
    size_t table_size;
};

static inline int64_t steps_at(const struct steps *s, size_t index) {
    return s->is_range ? s->first + (int64_t)index : s->items[index];
}
bool steps_find(const struct steps *s, int64_t step, size_t *index);
/* Adds the number that is one above a range, which is in no range yet: nearly all are. False: it is not that one. */
static inline bool steps_extend(struct steps *s, int64_t step) {
    bool is_next = s->is_range && step == s->first + (int64_t)s->count;
    s->count += is_next;
    return is_next;
}
void steps_add(struct steps *s, int64_t step); /* not in it yet */
void steps_clear(struct steps *s);
void steps_done(struct steps *s);

#endif
