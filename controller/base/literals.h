/* literals: one search for many texts at once. Four bytes that occur in no text's start carry the search past all
 * starts that would hold them: the longer the shortest text, the further (Wu and Manber's rule). Elsewhere a hash of
 * four bytes finds the texts that begin so. Built once and never changed: threads may share it. */
#ifndef BASE_LITERALS_H
#define BASE_LITERALS_H

#include "base/slice.h"

#define LITERALS_MIN_BYTES 4
#define LITERALS_MAX 65534 /* texts */

struct literals;

/* A text that occurs. All-zero: before the first one. */
struct literals_hit {
    size_t at;     /* where it starts */
    size_t number; /* of the text, as literals_new got them */
    bool is_found; /* false: the search starts at `at` */
};

/* Borrowed, with at least LITERALS_MIN_BYTES each: a shorter one is the caller's mistake. Texts may be equal. */
struct literals *literals_new(const struct slice *texts, size_t count);
void literals_free(struct literals *l);

/* The next one in the text: by where it starts, then by its number. False: none is left. */
bool literals_next(const struct literals *l, struct slice text, struct literals_hit *hit);
/* The same for those at the start of the text. */
bool literals_next_at_start(const struct literals *l, struct slice text, struct literals_hit *hit);

#endif
