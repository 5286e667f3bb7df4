/* slices: the chips of slices that are down while an elastic job trains with k of its n slices, as its records report.
 * The job's time is not changed, but (n - k) / n of the chips are idle: their time goes to ElasticSliceDown, as far as
 * they are allocated (chips that are not allocated are waited for, and cost nothing). Private to ledger/. */
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
    int64_t from_ms;                 /* start of the open span; TIME_UNKNOWN: none */
    int64_t line, active, total;     /* where it began */
    const struct view *view;
};

/* The process's slices at at_ms, NULL: not known; *next_ms: the time of the next change. */
const struct slice_mark *slices_at(const struct process *p, int64_t at_ms, int64_t *next_ms);
/* The number of allocated chips that are idle. It is whole, so that sums do not depend on where time is cut. */
int64_t slices_down_chips(const struct slice_mark *mark, int64_t allocated, int64_t required);
/* Books the time from from_ms on. With mark NULL or all slices training, none is down. */
void slices_book(struct sweep *s, const struct view *view, const struct slice_mark *mark, int64_t from_ms);
void slices_close(struct sweep *s, int64_t at_ms);

#endif
