#include "ledger/sweep.h"

#include "ledger/holds.h"
#include "ledger/sweep_entries.h"
#include "ledger/sweep_interruptions.h"
#include "ledger/sweep_resume.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/minmax.h"

#include <assert.h>
#include <string.h>

/* ---- passed steps ---- */

/* The index of the first checkpoint at this step or later. */
static size_t checkpoint_place(const struct sweep *s, int64_t step) {
    return BISECT(i, s->settling.checkpoint_count, s->settling.checkpoints[i] < step);
}

static void add_snapshot(struct sweep *s, int64_t at_ms, bool is_of_checkpoint) {
    struct snapshot k = {.at_ms = at_ms, .is_checkpoint = is_of_checkpoint, .progress = s->sums.progress};
    k.interruptions = (s->settled ? s->settled->older.count : 0) + s->at.interruption + 1;
    for (int i = 0; i < ACCOUNT_COUNT; i++)
        k.ms[i] = s->sums.accounts[i].ms;
    snapshots_add(&s->settling.snapshots, &k);
}

static void mark_phases(struct sweep *s, int64_t steps) {
    if (s->settling.phases != NULL)
        settled_phases_add_mark(s->settling.phases, steps, s->phase_ms);
}

/* The present series of steps begins with this run. */
static void begin_series(struct sweep *s, const struct run *run) {
    bool is_present = run >= &s->training->runs[s->training->series_first_run];
    if (s->at.is_series_started || (!is_present && s->sums.series.step != RECORD_NONE))
        return;
    s->at.is_series_started = is_present;
    s->sums.series =
        (struct progress){run->resumed_step - 1, s->sums.step_count - s->sums.lost_steps,
                          s->sums.accounts[BUCKET_PRODUCTIVE].ms, s->sums.accounts[BUCKET_PRODUCTIVE].chip_ms};
    mark_phases(s, s->sums.series.steps);
}

/* Keeps a step that is retained so far; the time until its end is booked. */
static void keep_step(struct sweep *s, const struct step_span *span, int64_t step) {
    if (s->settling.until_ms == TIME_UNKNOWN)
        return;
    s->sums.progress =
        (struct progress){step, s->sums.step_count - s->sums.lost_steps, s->sums.accounts[BUCKET_PRODUCTIVE].ms,
                          s->sums.accounts[BUCKET_PRODUCTIVE].chip_ms};
    size_t i = checkpoint_place(s, step);
    if (i == s->settling.checkpoint_count || s->settling.checkpoints[i] != step)
        return;
    add_snapshot(s, span->to_ms, true);
    mark_phases(s, s->sums.progress.steps);
}

static void count_steps(struct sweep *s, int64_t count, const struct loss *loss) {
    s->sums.step_count += count;
    if (loss == NULL)
        return;
    s->sums.lost_steps += count;
    if (loss->interruption >= 0)
        s->recoveries[loss->interruption].lost_steps += count;
}

/* Whether time from t on counts, and until when. */
static bool is_counted(struct sweep *s, int64_t t, int64_t *until_ms) {
    *until_ms = TIME_OPEN;
    if (s->booked.items == NULL)
        return true;
    while (s->booked.next < s->booked.count && s->booked.items[s->booked.next].to_ms <= t)
        s->booked.next++;
    if (s->booked.next == s->booked.count)
        return false;
    const struct time_span *next = &s->booked.items[s->booked.next];
    *until_ms = next->from_ms > t ? next->from_ms : next->to_ms;
    return next->from_ms <= t;
}

/* A step counts where it ends. */
static bool ends_counted(const struct sweep *s, int64_t to_ms) {
    size_t place = BISECT(i, s->booked.count, s->booked.items[i].to_ms < to_ms);
    return s->booked.items == NULL || (place < s->booked.count && s->booked.items[place].from_ms < to_ms);
}

static void on_step(void *context, const struct run *run, const struct step_span *span, int64_t step,
                    const struct loss *loss, size_t event) {
    struct sweep *s = context;
    bool counts = ends_counted(s, span->to_ms);
    s->sums.last_step = step;
    if (counts)
        count_steps(s, span->weight, loss);
    if (counts && loss == NULL && event != SIZE_MAX)
        phases_sum(&s->training->views[run->view], event, event + 1, s->phase_ms);
    if (loss == NULL)
        keep_step(s, span, step);
    if (s->sums.max_step == RECORD_NONE || step > s->sums.max_step)
        s->sums.max_step = step;
    struct execution *x = &s->executions[s->at.interruption + 1];
    if (x->first_step != RECORD_NONE)
        x->last_step = step;
    for (int i = s->at.interruption; i >= 0 && i >= s->at.interruption - 1; i--) {
        struct recovery *r = &s->recoveries[i];
        bool is_new = r->max_step_before == RECORD_NONE || step > r->max_step_before;
        if (is_new && r->new_progress_ms == TIME_UNKNOWN && r->first_step_ms != TIME_UNKNOWN)
            r->new_progress_ms = span->to_ms;
    }
}

/* Notes the first step that begins after the interruption. Times in objects are whole seconds, so the last steps of the
 * process that died may seem to begin after it. */
static void see_step(struct sweep *s, const struct base *b, int64_t t) {
    struct execution *x = &s->executions[s->at.interruption + 1];
    int64_t struck = s->at.interruption >= 0 ? s->interruptions->items[s->at.interruption].at_ms : s->start_ms;
    bool is_of_before = s->at.interruption >= 0 && b->run->begin_ms < struck && b->from_ms < struck + 2000;
    if (x->first_step != RECORD_NONE || is_of_before)
        return;
    x->first_step = b->step;
    x->first_step_ms = max_of(b->from_ms, struck) < t ? t : max_of(b->from_ms, struck);
    if (s->at.interruption >= 0)
        s->recoveries[s->at.interruption].first_step_ms = x->first_step_ms;
}

/* ---- the choice of a bucket ---- */

static struct verdict of_objects(const struct sweep *s, enum bucket bucket) {
    return (struct verdict){
        .account = (int)bucket, .basis = BASIS_OBSERVED, .lost_to = -1, .origin = {.interruption = s->at.interruption}};
}

static struct verdict unobserved(const struct sweep *s) {
    struct verdict v = of_objects(s, BUCKET_UNOBSERVED);
    v.basis = BASIS_DERIVED;
    return v;
}

static struct verdict unavailable(const struct sweep *s, int64_t t) {
    const struct hold_fact *hold = s->holds->items[s->at.hold].scheduling;
    bool is_interrupted = s->at.interruption >= 0 && t < s->interruptions->items[s->at.interruption].until_ms;
    struct verdict v = of_objects(s, hold != NULL ? hold->kind : is_interrupted ? BUCKET_RESCHEDULING : BUCKET_BINDING);
    if (hold != NULL) {
        v.basis = hold->basis;
        v.origin.hold = hold;
    }
    return v;
}

static struct verdict of_segment(const struct view *view, const struct segment *g) {
    int account = g->bucket == BUCKET_CUSTOM ? BUCKET_COUNT + view->custom_map[g->custom] : g->bucket;
    return (struct verdict){.account = account,
                            .basis = view->process->is_thinned || g->is_derived ? BASIS_DERIVED : BASIS_OBSERVED,
                            .is_available = true,
                            .lost_to = -1,
                            .origin = {.view = view, .line = g->line, .step = RECORD_NONE}};
}

static struct verdict of_work(const struct base *b) {
    struct verdict v = {.is_available = true,
                        .is_work = true,
                        .lost_to = -1,
                        .origin = {.view = b->view, .line = b->line, .step = b->step, .last_step = b->step}};
    assert(b->view != NULL); /* work is of a process */
    const struct process *p = b->view->process;
    bool is_observed = b->kind == BASE_STEP && !p->is_thinned && !p->is_derived && !b->view->is_buffered;
    v.basis = is_observed ? BASIS_OBSERVED : BASIS_DERIVED;
    if (b->startup_ms > 0) {
        v.account = BUCKET_PROGRAM_STARTUP;
        v.basis = BASIS_DERIVED;
    } else if (b->ordinary_ms <= 0 && b->unreported_ms > 0) {
        v.account = BUCKET_UNATTRIBUTED;
        v.basis = BASIS_DERIVED;
    } else if (b->ordinary_ms <= 0) {
        v.account = BUCKET_STALL;
    } else if (b->kind == BASE_UNFINISHED || b->loss != NULL) {
        v.account = BUCKET_WASTED_PROGRESS;
        v.lost_to = b->loss->interruption;
        v.is_assumed = b->loss->is_assumed;
        if (v.is_assumed)
            v.basis = BASIS_ASSUMED;
    } else {
        v.account = BUCKET_PRODUCTIVE;
    }
    return v;
}

static struct verdict of_base(const struct base *b) {
    static const enum bucket buckets[] = {
        [BASE_NOTHING] = BUCKET_UNATTRIBUTED,
        [BASE_PREPARATION] = BUCKET_TRAINING_PREPARATION,
        [BASE_DEAD] = BUCKET_PROCESS_FAILURE_DETECTION,
        [BASE_SHUTDOWN] = BUCKET_SHUTDOWN,
        [BASE_UNREAD] = BUCKET_UNATTRIBUTED,
    };
    if (b->kind == BASE_STEP || b->kind == BASE_CREDIT || b->kind == BASE_UNFINISHED)
        return of_work(b);
    return (struct verdict){.account = (int)buckets[b->kind],
                            .basis = b->kind == BASE_PREPARATION ? BASIS_ASSUMED : BASIS_OBSERVED,
                            .is_available = true,
                            .lost_to = -1,
                            .origin = {.view = b->view, .line = b->line, .step = RECORD_NONE}};
}

/* The bucket of an instant: first whether all slots were available, then what the processes did. Completed steps prove
 * that all slots were available. */
static struct verdict judge(const struct sweep *s, const struct base *b, const struct segment *g, int64_t t) {
    const struct slot_state *slots = &s->slots->items[s->at.slot];
    const struct hold_fact *dead = s->holds->items[s->at.hold].process;
    bool is_proved = b->kind == BASE_STEP, is_winding_down = t >= s->interruptions->tail_ms;
    if (!is_proved && !is_winding_down) {
        if (!slot_state_is_available(slots))
            return slot_state_is_unobserved(slots) ? unobserved(s) : unavailable(s, t);
        struct verdict v = of_objects(s, slots->pulling > 0 ? BUCKET_IMAGE_PULL : BUCKET_CONTAINER_START);
        v.is_available = true;
        if (!slot_state_is_running(slots) && b->kind != BASE_UNREAD)
            return v;
        if (dead != NULL) {
            v.account = BUCKET_PROCESS_FAILURE_DETECTION;
            v.basis = dead->basis;
            v.origin.hold = dead;
            return v;
        }
    }
    return g != NULL ? of_segment(b->view, g) : of_base(b);
}

/* ---- booking ---- */

static void close_span(struct sweep *s, int64_t t) {
    if (s->sums.span.account < 0)
        return;
    struct account *a = &s->sums.accounts[s->sums.span.account];
    a->count++;
    if (t - s->sums.span.from_ms > a->largest_ms) {
        a->is_settled = false;
        a->largest_ms = t - s->sums.span.from_ms;
        a->largest_from_ms = s->sums.span.from_ms;
        a->largest = s->sums.span.origin;
    }
    s->sums.span.account = -1;
}

static void book_span(struct sweep *s, const struct verdict *v, int64_t t) {
    struct account *a = &s->sums.accounts[v->account];
    if (v->basis > a->basis)
        a->basis = v->basis;
    bool is_named = v->account >= BUCKET_COUNT || v->origin.step == RECORD_NONE;
    bool is_same = s->sums.span.account == v->account && s->sums.span.origin.hold == v->origin.hold &&
                   (!is_named || s->sums.span.origin.line == v->origin.line);
    if (is_same) {
        s->sums.span.origin.last_step = v->origin.last_step;
        return;
    }
    close_span(s, t);
    s->sums.span.account = v->account;
    s->sums.span.from_ms = t;
    s->sums.span.origin = v->origin;
}

static void book_windows(struct sweep *s, const struct verdict *v, int64_t from, int64_t to) {
    const struct ledger_options *options = &s->ledger->options;
    for (int i = 0; i < options->window_count; i++) {
        int64_t begin = max_of(from, s->through_ms - options->windows_ms[i]);
        if (begin >= to)
            continue;
        s->sums.accounts[v->account].window_ms[i] += to - begin;
        if (v->is_available)
            s->window_available_ms[i] += to - begin;
    }
}

static void book_execution(struct sweep *s, const struct verdict *v, int64_t t, int64_t ms) {
    struct execution *x = &s->executions[s->at.interruption + 1];
    if (v->is_available && x->available_ms == TIME_UNKNOWN)
        x->available_ms = t;
    if (v->account == BUCKET_IMAGE_PULL) {
        x->image_pull_ms += ms;
        x->pull_from_ms = x->pull_from_ms == TIME_UNKNOWN ? t : x->pull_from_ms;
        x->pull_to_ms = t + ms;
        x->puller[0] = '\0';
    } else if (v->account == BUCKET_CONTAINER_START)
        x->container_start_ms += ms;
    else if (v->account == BUCKET_PROGRAM_STARTUP)
        x->startup_ms += ms;
    else if (v->account == BUCKET_PRODUCTIVE)
        x->productive_ms += ms;
}

/* Productive, but after the last checkpoint. */
static bool is_provisional(const struct sweep *s, const struct verdict *v, const struct base *b) {
    return v->account == BUCKET_PRODUCTIVE && !s->at_end &&
           b->run >= &s->training->runs[s->training->series_first_run] &&
           (s->training->durable_step == RECORD_NONE || b->step > s->training->durable_step);
}

static void book(struct sweep *s, const struct verdict *v, const struct base *b, int64_t from, int64_t to) {
    const struct slot_state *slots = &s->slots->items[s->at.slot];
    int64_t ms = to - from;
    book_span(s, v, from);
    s->sums.accounts[v->account].ms += ms;
    const struct slice_mark *slices = v->is_available ? s->at.slices : NULL;
    int64_t required = slot_state_chips(slots, s->at.largest_chips);
    int64_t down = slices_down_chips(slices, slots->chips_allocated, required);
    slices_book(s, b->view, slices, from);
    sweep_add_chips(&s->sums.accounts[v->account].chip_ms, slots->chips_allocated - down, ms);
    sweep_add_chips(&s->sums.down.chip_ms, down, ms);
    if (v->account != BUCKET_UNOBSERVED) /* the chips may have been allocated */
        sweep_add_chips(&s->sums.chip_ms_waiting, required - slots->chips_allocated, ms);
    if (v->is_available)
        s->sums.available_ms += ms;
    if (s->ledger->options.window_count > 0)
        book_windows(s, v, from, to);
    book_execution(s, v, from, ms);
    struct booked booked = {.base = b,
                            .cost = sweep_book_interruptions(s, v, from, ms, slots->chips_allocated - down),
                            .chips = slots->chips_allocated - down,
                            .idle_chips = down,
                            .waiting_chips = v->account != BUCKET_UNOBSERVED ? required - slots->chips_allocated : 0,
                            .is_provisional = is_provisional(s, v, b)};
    if (booked.is_provisional)
        s->provisional_ms += ms;
    sweep_add_entry(s, v, &booked, from, to);
}

/* ---- the walk ---- */

static void enter_interruption(struct sweep *s, int64_t t) {
    const struct interruptions *list = s->interruptions;
    while (s->at.interruption + 1 < (int)list->count && list->items[s->at.interruption + 1].at_ms <= t) {
        s->executions[s->at.interruption + 1].end_ms = list->items[s->at.interruption + 1].at_ms;
        s->at.interruption++;
        s->productive_before_ms[s->at.interruption + 1] = s->sums.accounts[BUCKET_PRODUCTIVE].ms;
        s->executions[s->at.interruption + 1].start_ms = list->items[s->at.interruption].at_ms;
        s->recoveries[s->at.interruption].max_step_before = s->sums.max_step;
    }
}

/* Moves every stream to t; returns when the first of them changes again. */
static int64_t advance(struct sweep *s, int64_t t) {
    int64_t next = s->through_ms;
    bool was_running = slot_state_is_running(&s->slots->items[s->at.slot]);
    while (s->at.slot + 1 < s->slots->count && s->slots->items[s->at.slot + 1].from_ms <= t) {
        s->at.slot++;
        bool is_running = slot_state_is_running(&s->slots->items[s->at.slot]);
        if (is_running && !was_running)
            s->sums.running_since_ms = s->slots->items[s->at.slot].from_ms;
        was_running = is_running;
    }
    while (s->at.hold + 1 < s->holds->count && s->holds->items[s->at.hold + 1].from_ms <= t)
        s->at.hold++;
    enter_interruption(s, t);
    if (s->at.slot + 1 < s->slots->count)
        next = min_of(next, s->slots->items[s->at.slot + 1].from_ms);
    if (s->at.hold + 1 < s->holds->count)
        next = min_of(next, s->holds->items[s->at.hold + 1].from_ms);
    if (s->at.interruption + 1 < (int)s->interruptions->count) {
        const struct interruption *coming = &s->interruptions->items[s->at.interruption + 1];
        bool is_before_quiet = coming->quiet_ms > 0 && coming->quiet_from_ms > t;
        next = min_of(next, is_before_quiet ? coming->quiet_from_ms : coming->at_ms);
    }
    if (s->at.interruption >= 0 && s->interruptions->items[s->at.interruption].until_ms > t)
        next = min_of(next, s->interruptions->items[s->at.interruption].until_ms);
    if (s->interruptions->tail_ms > t)
        next = min_of(next, s->interruptions->tail_ms);
    return next;
}

static size_t hold_at(const struct hold_timeline *t, int64_t at_ms) {
    size_t after = BISECT(i, t->count, t->items[i].from_ms <= at_ms);
    return after > 0 ? after - 1 : 0;
}

static void prepare(struct sweep *s, struct strike *strikes) {
    size_t count = s->interruptions->count;
    s->executions = mem_alloc((count + 1) * sizeof *s->executions);
    s->recoveries = mem_alloc((count + 1) * sizeof *s->recoveries);
    s->productive_before_ms = mem_alloc((count + 1) * sizeof *s->productive_before_ms);
    for (size_t i = 0; i <= count; i++) {
        s->executions[i] = (struct execution){.start_ms = TIME_UNKNOWN,
                                              .available_ms = TIME_UNKNOWN,
                                              .first_step_ms = TIME_UNKNOWN,
                                              .end_ms = TIME_OPEN,
                                              .pull_from_ms = TIME_UNKNOWN,
                                              .pull_to_ms = TIME_UNKNOWN,
                                              .first_step = RECORD_NONE,
                                              .last_step = RECORD_NONE};
        s->recoveries[i] = (struct recovery){
            .first_step_ms = TIME_UNKNOWN, .new_progress_ms = TIME_UNKNOWN, .max_step_before = RECORD_NONE};
    }
    s->executions[0].start_ms = s->start_ms;
    s->at.interruption = -1;
    s->sums.span.account = -1;
    s->sums.down.from_ms = TIME_UNKNOWN;
    s->sums.running_since_ms = INT64_MIN;
    s->sums.last_step = s->sums.max_step = s->sums.progress.step = s->sums.series.step = RECORD_NONE;
    if (s->settled != NULL) {
        sweep_resume(s);
    }
    s->at.slot = slot_timeline_at(s->slots, s->training->from_ms);
    s->at.hold = hold_at(s->holds, s->training->from_ms);
    s->at.largest_chips = s->slots->items[slot_timeline_at(s->slots, s->through_ms)].largest_chips;
    for (size_t i = 0; i < count; i++)
        strikes[i].at_ms = s->interruptions->items[i].at_ms;
    s->at.cursor = (struct cursor){.training = s->training,
                                   .end_ms = s->through_ms,
                                   .at_end = s->at_end,
                                   .outcome = s->ledger->outcome,
                                   .strikes = strikes,
                                   .strike_count = count,
                                   .on_step = on_step,
                                   .context = s};
}

static bool is_catching_up(const struct sweep *s) {
    for (int i = s->at.interruption; i >= 0 && i >= s->at.interruption - 1; i--)
        if (s->recoveries[i].new_progress_ms == TIME_UNKNOWN && s->recoveries[i].first_step_ms != TIME_UNKNOWN)
            return true;
    return false;
}

/* The last step number up to which steps can be handled together: the steps are all durable or all not, and no snapshot
 * is needed in between. */
static int64_t last_alike(const struct sweep *s, const struct base *b) {
    int64_t durable = s->training->durable_step, last = INT64_MAX;
    if (s->executions[s->at.interruption + 1].first_step == RECORD_NONE || is_catching_up(s))
        return INT64_MIN;
    if (durable != RECORD_NONE && b->step <= durable)
        last = durable;
    size_t low = s->settling.until_ms == TIME_UNKNOWN ? s->settling.checkpoint_count : checkpoint_place(s, b->step);
    return low < s->settling.checkpoint_count ? min_of(last, s->settling.checkpoints[low] - 1) : last;
}

/* on_step for many steps at once. */
static void see_ordinary(struct sweep *s, const struct base *first, const struct steps_ahead *steps) {
    struct account *a = &s->sums.accounts[BUCKET_PRODUCTIVE];
    bool counts = ends_counted(s, steps->to_ms);
    if (counts)
        count_steps(s, steps->weight, first->loss);
    if (counts && first->loss == NULL)
        phases_sum(first->view, steps->first, steps->end, s->phase_ms);
    s->sums.last_step = steps->last_step;
    s->sums.max_step = max_of(s->sums.max_step, steps->last_step);
    s->executions[s->at.interruption + 1].last_step = steps->last_step;
    if (first->loss == NULL)
        s->sums.progress =
            (struct progress){steps->last_step, s->sums.step_count - s->sums.lost_steps, a->ms, a->chip_ms};
}

/* Books one span from t on in which nothing changes; returns its end. */
static int64_t sweep_one(struct sweep *s, int64_t t, int64_t until_ms) {
    int64_t segment_to, counted_to;
    cursor_leave(&s->at.cursor, t);
    bool counts = is_counted(s, t, &counted_to);
    int64_t to_limit = min_of(advance(s, t), counted_to);
    const struct base *b = cursor_at(&s->at.cursor, t, s->sums.running_since_ms);
    const struct segment *g = cursor_segment(&s->at.cursor, t, &segment_to);
    to_limit = min_of(to_limit, segment_to);
    int64_t to = min_of(min_of(to_limit, b->to_ms), until_ms);
    s->at.slices = NULL;
    if (b->view == NULL || t < b->view->begin_ms || t >= b->view->end_ms) {
        g = NULL;
    } else if (b->view->process->slices.count > 0) {
        int64_t slices_to;
        s->at.slices = slices_at(b->view->process, t, &slices_to);
        to_limit = min_of(to_limit, slices_to);
    }
    to = min_of(to, to_limit);
    if (b->kind == BASE_STEP) {
        see_step(s, b, t);
        begin_series(s, b->run);
    }
    struct verdict v = judge(s, b, g, t);
    int64_t limit = min_of(to_limit, until_ms);
    if (b->kind == BASE_STEP && g == NULL && limit > b->to_ms && b->ordinary_ms >= b->to_ms - t) {
        struct steps_ahead ahead;
        struct base first = *b;
        if (cursor_leave_ordinary(&s->at.cursor, limit, last_alike(s, b), &ahead)) {
            v.origin.last_step = ahead.last_step;
            if (counts)
                book(s, &v, &first, t, ahead.to_ms);
            see_ordinary(s, &first, &ahead);
            return ahead.to_ms;
        }
    }
    if (v.is_work) {
        int64_t left = b->startup_ms > 0 ? b->startup_ms : b->ordinary_ms > 0 ? b->ordinary_ms : b->unreported_ms;
        if (left > 0 && left < to - t)
            to = t + left;
    }
    if (counts)
        book(s, &v, b, t, to);
    if (v.is_work)
        cursor_book(&s->at.cursor, t, to);
    return to;
}

/* Sweeps up to settle_ms, where a span may stay open, and adds snapshots. */
static void sweep_to_settle(struct sweep *s) {
    int64_t t = s->training->from_ms, next = snapshots_next(&s->ledger->options, t, s->settling.until_ms);
    while (t < s->settling.until_ms) {
        t = sweep_one(s, t, min_of(next, s->settling.until_ms));
        if (t < next)
            continue;
        cursor_leave(&s->at.cursor, t);
        add_snapshot(s, t, false);
        next = snapshots_next(&s->ledger->options, t, s->settling.until_ms);
    }
    cursor_leave(&s->at.cursor, s->settling.until_ms);
}

void sweep_run(struct sweep *s) {
    CLEANUP_FREE struct strike *strikes = mem_resize(NULL, s->interruptions->count + 1, sizeof *strikes);
    prepare(s, strikes);
    if (s->settling.until_ms != TIME_UNKNOWN) {
        sweep_to_settle(s);
        return;
    }
    int64_t until = s->through_ms, counted_to;
    if (s->booked.items != NULL)
        until = s->booked.count > 0 ? min_of(until, s->booked.items[s->booked.count - 1].to_ms) : s->training->from_ms;
    for (int64_t t = s->training->from_ms; t < until;) {
        if (!is_counted(s, t, &counted_to)) {
            close_span(s, t);
            slices_close(s, t);
        }
        t = sweep_one(s, t, until);
    }
    close_span(s, until);
    slices_close(s, until);
    if (until == s->through_ms)
        cursor_finish(&s->at.cursor);
    else
        cursor_leave(&s->at.cursor, until);
}

void sweep_done(struct sweep *s) {
    free(s->executions);
    free(s->recoveries);
    free(s->productive_before_ms);
    snapshots_done(&s->settling.snapshots);
}
