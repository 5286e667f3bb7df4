/* slices: an elastic job trains on with k of its n slices, as its records say. Its time is then what it is without
 * that, but (n - k) / n of the chips stand still: their time goes to ElasticSliceDown, as far as they are allocated
 * (chips that are not allocated are waited for, and nobody pays for them). Private to ledger/. */
#ifndef LEDGER_SLICES_H
#define LEDGER_SLICES_H

#include "ledger/ledger.h"
#include "ledger/process.h"

struct sweep;
struct view;

struct slices_down {
    int64_t chip_ms, count, largest_ms;
    enum basis basis;
    char evidence[LEDGER_TEXT_SIZE]; /* of the longest span */
    int64_t from_ms;                 /* the span that is open; TIME_UNKNOWN: none */
    int64_t line, active, total;     /* where it began */
    const struct view *view;
};

/* What the process's slices are at a time, NULL: not known; *next_ms: when that changes. */
const struct slice_mark *slices_at(const struct process *p, int64_t at_ms, int64_t *next_ms);
/* How many of the allocated chips stand still. A whole number, so that sums do not depend on where time is cut. */
int64_t slices_down_chips(const struct slice_mark *mark, int64_t allocated, int64_t required);
/* Books the time that begins at from_ms; mark NULL, or all of them train: none is down. */
void slices_book(struct sweep *s, const struct view *view, const struct slice_mark *mark, int64_t from_ms);
void slices_close(struct sweep *s, int64_t at_ms);

#endif
