/* history: the transitions of a condition, and spans of time. */
#ifndef OPERATOR_STORE_HISTORY_H
#define OPERATOR_STORE_HISTORY_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

/* MEM_GROW for counts that are int: they are bounded. */
#define STORE_GROW(items, count, capacity)                                                                             \
    do {                                                                                                               \
        if ((count) == (capacity)) {                                                                                   \
            (capacity) = (capacity) ? (capacity)*2 : 1; /* few lists of a pod grow longer */                           \
            (items) = mem_resize((items), (size_t)(capacity), sizeof *(items));                                        \
        }                                                                                                              \
    } while (0)

#define STORE_MAX_TRANSITIONS 512 /* of one history; the oldest is dropped */

struct transition {
    int64_t at_ms;
    bool is_true;
    bool is_derived;    /* at_ms is a receipt time; a condition's own time replaces it */
    const char *reason; /* interned */
    char *message;      /* heap; may be NULL */
};

struct history {
    struct transition *items;
    int count, capacity;
    bool is_cut; /* the oldest are dropped, and a condition says so; after a restart: perhaps */
};

/* Adds what a condition shows, unless that is known. True if it was new. */
bool history_add(struct history *h, struct transition t);
const struct transition *history_last(const struct history *h); /* NULL if empty */
bool history_is_true(const struct history *h);                  /* now */
void history_done(struct history *h);

struct span {
    int64_t from_ms, to_ms; /* TIME_OPEN */
};

struct spans {
    struct span *items;
    int count, capacity;
};

struct span *spans_add(struct spans *s, int64_t from_ms, int64_t to_ms);

#endif
