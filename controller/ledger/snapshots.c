#include "ledger/snapshots.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <assert.h>

#define CHECKPOINTS 64 /* rollbacks to the newest of them are exact */
#define WINDOW_PARTS 360

void snapshots_done(struct snapshots *k) {
    for (size_t i = 0; i < k->count; i++)
        free(k->items[i]);
    free(k->items);
    *k = (struct snapshots){0};
}

static struct kept_snapshot *keep(const struct snapshot *from) {
    static_assert(ACCOUNT_COUNT <= 64, "kept_snapshot.accounts has a bit for each");
    size_t used = 0, n = 0;
    for (int i = 0; i < ACCOUNT_COUNT; i++)
        used += from->ms[i] != 0;
    struct kept_snapshot *kept = mem_alloc(sizeof *kept + used * sizeof *kept->ms);
    kept->at_ms = from->at_ms;
    kept->interruptions = from->interruptions;
    kept->is_checkpoint = from->is_checkpoint;
    kept->progress = from->progress;
    for (int i = 0; i < ACCOUNT_COUNT; i++)
        if (from->ms[i] != 0) {
            kept->accounts |= UINT64_C(1) << i;
            kept->ms[n++] = from->ms[i];
        }
    return kept;
}

void snapshots_add(struct snapshots *k, const struct snapshot *snapshot) {
    MEM_GROW(k->items, k->count, k->capacity);
    k->items[k->count++] = keep(snapshot);
}

void snapshots_get(const struct snapshots *k, size_t i, struct snapshot *ret) {
    const struct kept_snapshot *kept = k->items[i];
    size_t n = 0;
    *ret = (struct snapshot){kept->at_ms, kept->interruptions, kept->is_checkpoint, kept->progress, {0}};
    for (int a = 0; a < ACCOUNT_COUNT; a++)
        if (kept->accounts >> a & 1)
            ret->ms[a] = kept->ms[n++];
}

void snapshots_move(struct snapshots *to, struct snapshots *from) {
    for (size_t i = 0; i < from->count; i++) {
        MEM_GROW(to->items, to->count, to->capacity);
        to->items[to->count++] = from->items[i];
    }
    from->count = 0;
}

static int64_t part_of(const struct ledger_options *options, int window) {
    return max_of(1, options->windows_ms[window] / WINDOW_PARTS);
}

/* The time from which on a window that ends at through_ms or later needs its grid. */
static int64_t grid_from(const struct ledger_options *options, int window, int64_t through_ms) {
    return through_ms - options->windows_ms[window] - part_of(options, window);
}

int64_t snapshots_next(const struct ledger_options *options, int64_t after_ms, int64_t through_ms) {
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

void snapshots_prune(struct snapshots *k, const struct ledger_options *options, int64_t through_ms) {
    size_t checkpoints = 0, n = 0;
    for (size_t i = 0; i < k->count; i++)
        checkpoints += k->items[i]->is_checkpoint;
    for (size_t i = 0; i < k->count; i++) {
        struct kept_snapshot *snapshot = k->items[i];
        if (snapshot->is_checkpoint && checkpoints-- > CHECKPOINTS)
            snapshot->is_checkpoint = false;
        if (snapshot->is_checkpoint || is_on_grid(options, snapshot->at_ms, through_ms))
            k->items[n++] = snapshot;
        else
            free(snapshot);
    }
    k->count = n;
}

void snapshots_cut(struct snapshots *k, const struct progress *cut) {
    for (size_t i = k->count; i > 0; i--) {
        struct snapshot snapshot;
        snapshots_get(k, i - 1, &snapshot);
        int64_t lost = snapshot.ms[BUCKET_PRODUCTIVE] - cut->productive_ms;
        if (lost > 0) {
            snapshot.ms[BUCKET_PRODUCTIVE] -= lost;
            snapshot.ms[BUCKET_WASTED_PROGRESS] += lost;
        }
        if (snapshot.progress.productive_ms > cut->productive_ms || snapshot.progress.steps > cut->steps)
            snapshot.progress = *cut;
        free(k->items[i - 1]);
        k->items[i - 1] = keep(&snapshot);
    }
}
