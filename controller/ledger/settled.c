#include "ledger/settled.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

void settled_free(struct settled *s) {
    if (s == NULL)
        return;
    for (int i = 0; i < ACCOUNT_COUNT; i++)
        free(s->evidence[i]);
    durations_done(&s->durations);
    snapshots_done(&s->snapshots);
    free(s->listed);
    free(s->executions);
    free(s->productive_before_ms);
    settled_phases_free(s->phases);
    free(s);
}

void settled_list(struct settled *s, size_t listed_count) {
    s->listed_count = listed_count;
    s->listed = mem_resize(s->listed, listed_count + 1, sizeof *s->listed);
    s->executions = mem_resize(s->executions, listed_count + 1, sizeof *s->executions);
    s->productive_before_ms = mem_resize(s->productive_before_ms, listed_count + 1, sizeof *s->productive_before_ms);
}

/* value * part / whole, rounded down; no argument is negative */
static int64_t prorated(int64_t value, int64_t part, int64_t whole) {
    return whole > 0 ? (int64_t)((__int128)value * part / whole) : 0;
}

struct progress settled_progress(const struct settled *s, int64_t step, bool *is_exact) {
    *is_exact = true;
    if (s->sums.progress.step == RECORD_NONE || step >= s->sums.progress.step)
        return s->sums.progress;
    struct kept_snapshot *const *snapshots = s->snapshots.items; /* finds the first one at this step or later */
    size_t place = BISECT(i, s->snapshots.count,
                          snapshots[i]->progress.steps <= s->sums.series.steps || snapshots[i]->progress.step < step);
    struct progress after = place < s->snapshots.count ? snapshots[place]->progress : s->sums.progress;
    if (after.step == step)
        return after;
    struct progress before = s->sums.series;
    if (place > 0 && snapshots[place - 1]->progress.steps > before.steps)
        before = snapshots[place - 1]->progress;
    if (before.step == RECORD_NONE || step <= before.step)
        return before;
    int64_t part = step - before.step, whole = after.step - before.step;
    *is_exact = false;
    return (struct progress){.step = step,
                             .steps = before.steps + prorated(after.steps - before.steps, part, whole),
                             .productive_ms = before.productive_ms +
                                              prorated(after.productive_ms - before.productive_ms, part, whole),
                             .chip_ms = before.chip_ms + prorated(after.chip_ms - before.chip_ms, part, whole)};
}

void settled_sums_at(const struct settled *s, int64_t start_ms, int64_t at_ms, int64_t sums[static ACCOUNT_COUNT],
                     int64_t *ret_interruptions) {
    size_t place = BISECT(i, s->snapshots.count, s->snapshots.items[i]->at_ms <= at_ms);
    struct snapshot before = {.at_ms = start_ms}, after = {.at_ms = s->through_ms};
    if (place > 0)
        snapshots_get(&s->snapshots, place - 1, &before);
    if (place < s->snapshots.count)
        snapshots_get(&s->snapshots, place, &after);
    for (int i = 0; i < ACCOUNT_COUNT && place == s->snapshots.count; i++)
        after.ms[i] = s->sums.accounts[i].ms;
    int64_t from = before.at_ms, to = after.at_ms;
    int64_t left = at_ms - from; /* the time that no account has yet, because of rounding */
    for (int i = 0; i < ACCOUNT_COUNT; i++) {
        int64_t ms = prorated(after.ms[i] - before.ms[i], at_ms - from, to - from);
        sums[i] = before.ms[i] + ms;
        left -= ms;
    }
    for (int i = 0; i < ACCOUNT_COUNT && left > 0; i++) {
        int64_t more = min_of(left, after.ms[i] - sums[i]);
        sums[i] += more;
        left -= more;
    }
    int64_t struck = before.interruptions;
    for (size_t i = 0; i < s->listed_count; i++) {
        int64_t number = s->older.count + (int64_t)i + 1;
        if (s->listed[i].item.at_ms < at_ms && number > struck)
            struck = number;
    }
    *ret_interruptions = struck;
}

/* ---- what the settled part loses ---- */

struct settled *settled_copy_sums(const struct settled *s) {
    struct settled *clone = mem_new(struct settled);
    *clone = *s;
    for (int i = 0; i < ACCOUNT_COUNT; i++)
        clone->evidence[i] = mem_strdup(s->evidence[i]);
    clone->listed = NULL;
    clone->executions = NULL;
    clone->productive_before_ms = NULL;
    settled_list(clone, s->listed_count);
    memcpy(clone->listed, s->listed, s->listed_count * sizeof *s->listed);
    memcpy(clone->executions, s->executions, (s->listed_count + 1) * sizeof *s->executions);
    memcpy(clone->productive_before_ms, s->productive_before_ms,
           (s->listed_count + 1) * sizeof *s->productive_before_ms);
    clone->durations.items = NULL; /* a loss does not change them */
    clone->durations.count = clone->durations.capacity = 0;
    clone->snapshots = (struct snapshots){0};
    clone->phases = settled_phases_copy(s->phases);
    return clone;
}

struct settled *settled_clone(const struct settled *s) {
    struct settled *clone = settled_copy_sums(s);
    for (size_t i = 0; i < s->snapshots.count; i++) {
        struct snapshot k;
        snapshots_get(&s->snapshots, i, &k);
        snapshots_add(&clone->snapshots, &k);
    }
    return clone;
}

/* The open span becomes two if the lost part began within it. A loss that began before it leaves it whole. */
static void split_span(struct settled *s, const struct settled_loss *loss) {
    struct account *productive = &s->sums.accounts[BUCKET_PRODUCTIVE],
                   *wasted = &s->sums.accounts[BUCKET_WASTED_PROGRESS];
    int64_t from = max_of(s->sums.span.from_ms, s->through_ms - loss->ms), kept = from - s->sums.span.from_ms;
    if (s->sums.span.account == BUCKET_PRODUCTIVE) {
        productive->count += kept > 0;
        if (kept > productive->largest_ms) {
            productive->largest_ms = kept;
            productive->largest_from_ms = s->sums.span.from_ms;
            productive->largest = s->sums.span.origin;
            productive->largest.last_step = loss->loss.from_step - 1;
            productive->is_settled = false;
        }
        s->sums.span.account = BUCKET_WASTED_PROGRESS;
        s->sums.span.from_ms = from;
        s->sums.span.origin.step = max_of(loss->loss.from_step, s->sums.span.origin.step);
    } else {
        wasted->count++;
        if (loss->ms > wasted->largest_ms && s->sums.span.account != BUCKET_WASTED_PROGRESS)
            wasted->largest_ms = loss->ms;
    }
    productive->largest_ms = min_of(productive->largest_ms, productive->ms);
    if (productive->ms == 0)
        productive->count = 0;
    if (productive->ms > 0 && productive->count == 0)
        productive->count = productive->largest_ms = 1;
}

/* Leaves the part of a doubtful loss that may have been kept Unattributed. Returns its chips x ms. */
static int64_t doubt_settled(struct settled *s, struct settled_loss *loss, const struct progress *cut,
                             int64_t chip_ms) {
    struct account *a = &s->sums.accounts[BUCKET_UNATTRIBUTED];
    bool is_exact;
    if (!loss->loss.is_doubtful)
        return 0;
    struct progress through = settled_progress(s, loss->loss.through_step, &is_exact);
    int64_t ms = loss_doubt_ms(&loss->loss, through.step - cut->step, through.productive_ms - cut->productive_ms);
    if (ms <= 0)
        return 0;
    chip_ms = prorated(max_of(0, chip_ms), ms, loss->ms);
    loss->ms -= ms;
    loss->chip_ms = max_of(0, loss->chip_ms - chip_ms);
    a->ms += ms;
    a->chip_ms += chip_ms;
    a->count++;
    a->largest_ms = max_of(a->largest_ms, ms);
    a->basis = (enum basis)max_of(a->basis, BASIS_DERIVED);
    return chip_ms;
}

void settled_lose(struct settled *s, struct settled_loss *loss) {
    bool is_exact;
    struct progress cut = settled_progress(s, loss->loss.from_step - 1, &is_exact);
    settled_phases_cut(s->phases, cut.steps, s->sums.progress.steps);
    struct account *productive = &s->sums.accounts[BUCKET_PRODUCTIVE],
                   *wasted = &s->sums.accounts[BUCKET_WASTED_PROGRESS];
    int64_t chip_ms = productive->chip_ms - cut.chip_ms;
    loss->ms = productive->ms - cut.productive_ms;
    loss->steps = s->sums.progress.steps - cut.steps;
    loss->chip_ms = loss->ms > 0 ? max_of(0, chip_ms) : 0;
    s->sums.lost_steps += loss->steps; /* also for steps without any time */
    if (loss->ms <= 0) {
        loss->ms = 0;
        s->sums.progress = cut;
        snapshots_cut(&s->snapshots, &cut);
        return;
    }
    int64_t left = loss->ms;
    productive->ms -= loss->ms;
    productive->chip_ms -= chip_ms;
    chip_ms -= doubt_settled(s, loss, &cut, chip_ms);
    wasted->ms += loss->ms;
    wasted->chip_ms += chip_ms;
    wasted->basis = (enum basis)max_of(wasted->basis, loss->loss.is_assumed ? BASIS_ASSUMED
                                                      : is_exact            ? BASIS_OBSERVED
                                                                            : BASIS_DERIVED);
    for (size_t i = 0; i <= s->listed_count; i++) {
        struct execution *x = &s->executions[i];
        int64_t kept = max_of(0, min_of(x->productive_ms, cut.productive_ms - s->productive_before_ms[i]));
        left -= x->productive_ms - kept;
        x->productive_ms = kept;
        s->productive_before_ms[i] = min_of(s->productive_before_ms[i], cut.productive_ms);
    }
    s->older.productive_ms -= left;
    s->sums.progress = cut;
    snapshots_cut(&s->snapshots, &cut);
    split_span(s, loss);
}
