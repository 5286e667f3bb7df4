#include "ledger/slices.h"

#include "ledger/evidence.h"

#include "base/bisect.h"
#include "base/minmax.h"

const struct slice_mark *slices_at(const struct process *p, int64_t at_ms, int64_t *next_ms) {
    size_t next = BISECT(i, p->slices.count, p->slices.items[i].at_ms <= at_ms);
    *next_ms = next < p->slices.count ? p->slices.items[next].at_ms : TIME_OPEN;
    return next > 0 && p->slices.items[next - 1].total > 0 ? &p->slices.items[next - 1] : NULL;
}

static bool is_down(const struct slice_mark *mark) {
    return mark != NULL && mark->active < mark->total;
}

int64_t slices_down_chips(const struct slice_mark *mark, int64_t allocated, int64_t required) {
    if (!is_down(mark))
        return 0;
    int64_t of = max_of(allocated, required), training = (int64_t)((__int128)of * mark->active / mark->total);
    return max_of(0, allocated - training);
}

void slices_close(struct sweep *s, int64_t at_ms) {
    struct slices_down *d = &s->sums.down;
    if (d->from_ms == TIME_UNKNOWN)
        return;
    d->count++;
    if (at_ms - d->from_ms > d->largest_ms) {
        d->largest_ms = at_ms - d->from_ms;
        evidence_write_slices(d->evidence, s, d);
    }
    d->from_ms = TIME_UNKNOWN;
}

void slices_book(struct sweep *s, const struct view *view, const struct slice_mark *mark, int64_t from_ms) {
    struct slices_down *d = &s->sums.down;
    if (!is_down(mark) || d->view != view)
        slices_close(s, from_ms);
    if (!is_down(mark) || d->from_ms != TIME_UNKNOWN)
        return;
    d->from_ms = from_ms;
    d->line = mark->line;
    d->active = mark->active;
    d->total = mark->total;
    d->view = view;
    if (view->process->is_thinned)
        d->basis = BASIS_DERIVED;
}
