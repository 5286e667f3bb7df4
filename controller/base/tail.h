/* tail: the last bytes of a stream, at most a maximum. All-zero with a maximum set is valid and empty. */
#ifndef BASE_TAIL_H
#define BASE_TAIL_H

#include "base/slice.h"

struct tail {
    char *data;
    size_t size_bytes, maximum_bytes;
    size_t at;   /* where the oldest byte is, once it is full */
    bool is_cut; /* older bytes were dropped */
};

void tail_append(struct tail *t, struct slice bytes);
struct slice tail_slice(struct tail *t); /* in order; borrowed until the next append */
void tail_done(struct tail *t);          /* frees the memory; it is empty then */

#endif
