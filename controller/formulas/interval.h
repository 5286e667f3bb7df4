/* interval: how much of a job's time is in a window, from its ledger's lines. The rule: of an amount that lies
 * somewhere in a time, of which a part is in the window, the window has no more than that part, and no less than what
 * the rest of the time has no room for. So a span is cut exactly, and a sum between two bounds.
 *
 * Work that was lost after its span was written is the newest productive time before the loss that is not lost yet: a
 * trainer that goes back to a step takes back the newest steps. */
#ifndef FORMULAS_INTERVAL_H
#define FORMULAS_INTERVAL_H

#include <stddef.h>
#include <stdint.h>

struct interval_range { /* low = high: exact */
    int64_t low, high;
};

struct interval_time { /* a time's length, and how much of it is in the window */
    int64_t ms;
    struct interval_range inside;
};

struct interval_piece {
    int64_t from_ms, to_ms;
};

struct interval {
    int64_t start_ms, complete_ms;  /* sums alone are known of the time between them */
    int64_t from_ms, to_ms;         /* the window; it does not reach beyond the job's time */
    int64_t trained_before_ms;      /* of those sums: the productive time that is not lost */
    struct interval_piece *trained; /* productive spans, in time order: what is not lost of them */
    size_t trained_count, trained_capacity;
};

struct interval_time interval_span(const struct interval *v, int64_t from_ms, int64_t to_ms);
/* Where the sums lie. */
struct interval_time interval_sums(const struct interval *v);
/* The part of an amount that is in the window. */
struct interval_range interval_share(int64_t ms, const struct interval_time *time);

void interval_train(struct interval *v, int64_t from_ms, int64_t to_ms);
/* Takes the newest productive time so far. A ledger never loses more than it has; then less is taken. */
struct interval_time interval_lose(struct interval *v, int64_t ms);
struct interval_range interval_trained(const struct interval *v);
void interval_done(struct interval *v);

#endif
