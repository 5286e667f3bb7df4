#include "ledger/settled.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/minmax.h"

#define CHECKPOINTS 256 /* rollbacks to the newest of them are exact */
#define WINDOW_PARTS 360

void settled_free(struct settled *s) {
    if (s == NULL)
        return;
    for (int i = 0; i < ACCOUNT_COUNT; i++)
        free(s->evidence[i]);
    durations_done(&s->durations);
    knots_done(&s->knots);
    free(s);
}

void knots_done(struct knots *k) {
    for (size_t i = 0; i < k->count; i++)
        free(k->items[i]);
    free(k->items);
    *k = (struct knots){0};
}

struct knot *knots_add(struct knots *k) {
    MEM_GROW(k->items, k->count, k->capacity);
    return k->items[k->count++] = mem_new(struct knot);
}

void knots_move(struct knots *to, struct knots *from) {
    for (size_t i = 0; i < from->count; i++) {
        MEM_GROW(to->items, to->count, to->capacity);
        to->items[to->count++] = from->items[i];
    }
    from->count = 0;
}

static int64_t part_of(const struct ledger_options *options, int window) {
    return max_of(1, options->windows_ms[window] / WINDOW_PARTS);
}

/* From when on a window that ends at through_ms or later needs its grid. */
static int64_t grid_from(const struct ledger_options *options, int window, int64_t through_ms) {
    return through_ms - options->windows_ms[window] - part_of(options, window);
}

int64_t knots_next(const struct ledger_options *options, int64_t after_ms, int64_t through_ms) {
    int64_t next = TIME_OPEN;
    for (int i = 0; i < options->window_count; i++) {
        int64_t part = part_of(options, i), after = max_of(after_ms, grid_from(options, i, through_ms) - 1);
        int64_t from = after - after % part;
        next = min_of(next, from > after ? from : from + part);
    }
    return next;
}

static bool is_on_grid(const struct ledger_options *options, int64_t at_ms, int64_t through_ms) {
    for (int i = 0; i < options->window_count; i++)
        if (at_ms % part_of(options, i) == 0 && at_ms >= grid_from(options, i, through_ms))
            return true;
    return false;
}

void knots_prune(struct knots *k, const struct ledger_options *options, int64_t through_ms) {
    size_t checkpoints = 0, n = 0;
    for (size_t i = 0; i < k->count; i++)
        checkpoints += k->items[i]->is_checkpoint;
    for (size_t i = 0; i < k->count; i++) {
        struct knot *knot = k->items[i];
        if (knot->is_checkpoint && checkpoints-- > CHECKPOINTS)
            knot->is_checkpoint = false;
        if (knot->is_checkpoint || is_on_grid(options, knot->at_ms, through_ms))
            k->items[n++] = knot;
        else
            free(knot);
    }
    k->count = n;
}

void knots_cut(struct knots *k, const struct progress *cut) {
    for (size_t i = k->count; i > 0; i--) {
        struct knot *knot = k->items[i - 1];
        int64_t lost = knot->ms[BUCKET_PRODUCTIVE] - cut->productive_ms;
        if (lost > 0) {
            knot->ms[BUCKET_PRODUCTIVE] -= lost;
            knot->ms[BUCKET_WASTED_PROGRESS] += lost;
        }
        if (knot->progress.productive_ms > cut->productive_ms || knot->progress.steps > cut->steps)
            knot->progress = *cut;
    }
}

/* value of `part` of `whole`, rounded down; none is negative */
static int64_t prorated(int64_t value, int64_t part, int64_t whole) {
    return whole > 0 ? (int64_t)((__int128)value * part / whole) : 0;
}

struct progress settled_progress(const struct settled *s, int64_t step, bool *is_exact) {
    *is_exact = true;
    if (s->progress.step == RECORD_NONE || step >= s->progress.step)
        return s->progress;
    struct knot *const *knots = s->knots.items; /* the first one with this step or a later one */
    size_t place =
        BISECT(i, s->knots.count, knots[i]->progress.steps <= s->series.steps || knots[i]->progress.step < step);
    struct progress after = place < s->knots.count ? knots[place]->progress : s->progress;
    if (after.step == step)
        return after;
    struct progress before = s->series;
    if (place > 0 && knots[place - 1]->progress.steps > before.steps)
        before = knots[place - 1]->progress;
    int64_t part = step - before.step, whole = after.step - before.step;
    if (part <= 0)
        return before;
    *is_exact = false;
    return (struct progress){.step = step,
                             .steps = before.steps + prorated(after.steps - before.steps, part, whole),
                             .productive_ms = before.productive_ms +
                                              prorated(after.productive_ms - before.productive_ms, part, whole),
                             .chip_ms = before.chip_ms + prorated(after.chip_ms - before.chip_ms, part, whole)};
}

void settled_sums_at(const struct settled *s, int64_t start_ms, int64_t at_ms, int64_t sums[static ACCOUNT_COUNT],
                     int64_t *ret_interruptions) {
    size_t place = BISECT(i, s->knots.count, s->knots.items[i]->at_ms <= at_ms);
    const struct knot *before = place > 0 ? s->knots.items[place - 1] : NULL;
    const struct knot *after = place < s->knots.count ? s->knots.items[place] : NULL;
    int64_t from = before ? before->at_ms : start_ms, to = after ? after->at_ms : s->through_ms;
    int64_t left = at_ms - from; /* what no account has yet of the part's time: rounding */
    for (int i = 0; i < ACCOUNT_COUNT; i++) {
        int64_t base = before ? before->ms[i] : 0, whole = (after ? after->ms[i] : s->accounts[i].ms) - base;
        int64_t ms = prorated(whole, at_ms - from, to - from);
        sums[i] = base + ms;
        left -= ms;
    }
    for (int i = 0; i < ACCOUNT_COUNT && left > 0; i++) {
        int64_t more = min_of(left, (after ? after->ms[i] : s->accounts[i].ms) - sums[i]);
        sums[i] += more;
        left -= more;
    }
    int64_t struck = before ? before->interruptions : 0;
    for (size_t i = 0; i < s->listed_count; i++) {
        int64_t number = s->older.count + (int64_t)i + 1;
        if (s->listed[i].item.at_ms < at_ms && number > struck)
            struck = number;
    }
    *ret_interruptions = struck;
}
