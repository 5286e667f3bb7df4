#include "ledger/cursor.h"
#include "ledger/bursts.h"
#include "ledger/cursor_silent.h"
#include "ledger/rollback.h"
#include "ledger/step_list.h"
#include "ledger/step_times.h"

#include "base/bisect.h"
#include "base/minmax.h"

#include <math.h>

/* A tenth of a step's time may be around what its line states: the loop itself, a late stamp. */
#define STATED_SLACK 10

/* ---- steps ---- */

/* The first step number that another loss took, or none. */
static int64_t next_fate(const struct run *run, const struct loss *loss) {
    size_t i = loss != NULL ? (size_t)(loss - run->losses) : run->loss_count;
    return i > 0 ? run->losses[i - 1].from_step : INT64_MAX;
}

/* A line of several steps is in parts where training was resumed within it: each step takes as long, and some were
 * lost. */
struct part {
    struct step_span span;
    int64_t last_step;
    const struct loss *loss;
};

/* The part of line i that begins after that step; its first one after RECORD_NONE. A process's first line, which holds
 * its start-up, has one part. */
static struct part part_after(const struct cursor *c, const struct run *run, size_t i, int64_t step) {
    const struct view *v = &c->training->views[run->view];
    struct step_span s = training_step(c->training, run, i);
    int64_t last = v->list->items[i].step, first = last - s.weight + 1, from_ms = s.from_ms, ms = s.to_ms - from_ms;
    bool is_first_line = i == run->first && !run->is_continued && !v->is_buffered;
    if (run->loss_count == 0 || s.weight <= 1 || v->reports_starts || is_first_line)
        return (struct part){s, last, training_loss(run, last)};
    step = step == RECORD_NONE ? first : step + 1;
    const struct loss *loss = training_loss(run, step);
    int64_t end = min_of(next_fate(run, loss), last + 1);
    s.from_ms = from_ms + (int64_t)((__int128)ms * (step - first) / s.weight);
    s.to_ms = from_ms + (int64_t)((__int128)ms * (end - first) / s.weight);
    s.weight = end - step;
    return (struct part){s, end - 1, loss};
}

/* Reports the steps of the cursor's line. All count when it comes, at to_ms. */
static void pass_line(const struct cursor *c, const struct run *run, int64_t to_ms) {
    int64_t last = c->training->views[run->view].list->items[c->event].step;
    struct part p = {.last_step = RECORD_NONE};
    do {
        p = part_after(c, run, c->event, p.last_step);
        p.span.to_ms = to_ms;
        c->on_step(c->context, run, &p.span, p.last_step, p.loss, p.last_step == last ? c->event : SIZE_MAX);
    } while (p.last_step < last);
}

static void leave_steps(struct cursor *c, const struct view *v, int64_t until_ms) {
    size_t run_end = v->run_first + v->run_count;
    for (; c->run < run_end; c->run++, c->is_placed = false) {
        const struct run *run = &c->training->runs[c->run];
        if (!c->is_placed)
            c->event = run->first;
        c->is_placed = true;
        for (; c->event < run->end; c->event++) {
            struct step_span s = training_step(c->training, run, c->event);
            bool is_counted =
                s.to_ms > v->begin_ms && s.from_ms < v->end_ms; /* other steps lie outside the view's own time */
            s.to_ms = min_of(s.to_ms, v->end_ms); /* a step that is partly the view's own is one step in that part */
            if (s.to_ms > until_ms)
                return;
            if (is_counted)
                pass_line(c, run, s.to_ms);
        }
    }
}

/* The part of a span that named intervals cover. */
static int64_t named_ms(const struct cursor *c, const struct view *v, int64_t from_ms, int64_t to_ms) {
    int64_t sum = 0;
    for (size_t i = c->segment; i < v->segment_count && v->segments[i].from_ms < to_ms; i++) {
        int64_t from = max_of(v->segments[i].from_ms, from_ms), to = min_of(v->segments[i].to_ms, to_ms);
        sum += to > from ? to - from : 0;
    }
    return sum;
}

/* Whether no more lines of the run will come. */
static bool is_complete(const struct view *v, const struct run *run) {
    return v->ended_ms != TIME_OPEN || run->end < v->event_count;
}

/* The duration that lines state for line i, of all its steps; below 0: none. Where lines are late (MaxText), one of the
 * next two states it, as the host runs ahead of the device: TIME_OPEN until they have come, or the process has ended.
 */
static int64_t stated_ms(const struct view *v, const struct run *run, size_t i) {
    const struct step_event *e = v->list->items;
    int64_t ms = e[i].duration_ms;
    if (v->process->given.line_lag <= 0 || v->is_buffered)
        return ms;
    if (i + 2 >= run->end && !is_complete(v, run))
        return TIME_OPEN;
    for (size_t k = i + 1; k <= i + 2 && k < run->end; k++)
        ms = max_of(ms, e[k].duration_ms);
    return ms;
}

/* How long `weight` steps of line i take: as long as it states, but at least as usual, as some trainers time only the
 * host's part of a step. In bursts, which hold the time of all else, too: as it states, else as in the fastest. */
static int64_t expected_ms(const struct cursor *c, const struct view *v, const struct run *run, size_t i,
                           int64_t weight) {
    const struct step_event *e = &v->list->items[i];
    int64_t ms = stated_ms(v, run, i), all_ms = ms;
    int64_t of_line = v->is_buffered ? training_step(c->training, run, i).weight : i > 0 ? e[0].step - e[-1].step : 0;
    if (ms > 0 && ms < TIME_OPEN && of_line > weight)
        ms = ms * weight / of_line;
    if (!v->is_buffered)
        return max_of(c->training->usual_ms * weight, ms);
    if (ms <= 0)
        return c->training->low_ms * weight;
    return of_line > weight ? max_of(0, ms - bursts_split_doubt_ms(all_ms, weight, of_line)) : ms;
}

/* The longest time that the steps of line i may take. In slower ones something else happened that has no line (a save,
 * an evaluation, a wait for input). TIME_OPEN: no limit, as where the recorder reports everything else. */
static int64_t slow_after_ms(const struct cursor *c, const struct view *v, const struct run *run, size_t i,
                             int64_t weight) {
    const struct training *t = c->training;
    bool is_at_end = v->process->starts.count == 0 && !v->reports_starts;
    if (v->reports_starts && i + 1 == v->event_count && t->usual_ms > 0)
        return t->usual_ms; /* no line gives its end: until the job's, anything may have been waited for */
    if (!is_at_end || (t->usual_ms <= 0 && !v->is_buffered))
        return TIME_OPEN;
    int64_t slow_ms = t->slow_ms, expected = expected_ms(c, v, run, i, weight);
    if (expected == TIME_OPEN)
        return TIME_OPEN;
    if (v->is_buffered)
        return expected;
    if (v->process->given.line_lag > 0 && i + 2 >= run->end)
        slow_ms = t->high_ms * weight * 3 / 2; /* no line states it: half as much again as the slowest one */
    else if (v->list->items[i].duration_ms >= 0)
        slow_ms = t->usual_ms * weight / STATED_SLACK;
    else if (weight != t->interval)
        slow_ms = (int64_t)((double)slow_ms * sqrt((double)weight / (double)t->interval));
    return expected + slow_ms;
}

/* The time by which a step's line is early: it came sooner after the line before it than a step takes. */
static int64_t early_ms(const struct cursor *c, const struct view *v, const struct run *run, size_t i) {
    const struct step_event *e = v->list->items;
    int64_t took_ms = e[i].duration_ms,
            weight = 1; /* set for the first step after the settled ones: step_list_drop() */
    if (i == run->first && !run->is_continued)
        return 0;
    if (i > 0) {
        took_ms = e[i].at_ms - e[i - 1].at_ms;
        weight = e[i].step - e[i - 1].step;
    }
    return took_ms < 0 ? 0 : max_of(0, c->training->usual_ms * weight - took_ms);
}

/* Where lines may be late (user patterns), a line that waited (for a save) has a neighbor that did not wait and so is
 * early: only the sum of both durations is right. TIME_OPEN: the next line has not come yet. */
static int64_t borrowed_ms(const struct cursor *c, const struct view *v, const struct run *run) {
    if (v->process->given.line_lag >= 0 || v->reports_starts || v->is_buffered)
        return 0;
    if (c->event + 1 >= run->end)
        return is_complete(v, run) ? early_ms(c, v, run, c->event - 1) : TIME_OPEN;
    return early_ms(c, v, run, c->event - 1) + early_ms(c, v, run, c->event + 1);
}

/* Splits a slow step's time into the expected part and an unknown one, however long: a pause without a line, a hang
 * that ended and a clock that was set forward look the same. Only what a line states can be a stall. */
static void set_unreported(struct cursor *c, const struct view *v, const struct step_span *s, int64_t t) {
    struct base *b = &c->base;
    int64_t slow_ms = slow_after_ms(c, v, b->run, c->event, s->weight), from = max_of(s->from_ms, t);
    if (slow_ms == TIME_OPEN || b->to_ms - from <= slow_ms)
        return;
    int64_t borrowed = borrowed_ms(c, v, b->run), net = b->to_ms - from - named_ms(c, v, from, b->to_ms);
    int64_t expected = expected_ms(c, v, b->run, c->event, s->weight);
    if (borrowed == TIME_OPEN || net - borrowed <= slow_ms)
        return;
    b->unreported_ms = net - expected - borrowed;
    b->ordinary_ms = min_of(b->ordinary_ms, expected + borrowed);
}

/* Where lines are late, the first line may be even later, after a save or an evaluation. The next gap is then shorter
 * by the same time, and that part of the first step's excess is not start-up. */
static int64_t overdue_ms(const struct cursor *c, const struct view *v, const struct run *run) {
    const struct step_event *e = &v->list->items[c->event];
    if (v->reports_starts || v->process->given.line_lag <= 0 || c->event + 1 >= run->end)
        return 0;
    return max_of(0, (e[1].step - e[0].step) * c->training->first_ms - (e[1].at_ms - e[0].at_ms));
}

/* The first line of a process: what it holds beyond its steps is start-up. Of one step, the usual time is the step's.
 * Of several, the fastest line's pace is theirs, and up to the slowest's, or half the usual one, it is not known. */
static void set_first(struct cursor *c, const struct view *v, const struct step_span *s, int64_t t) {
    const struct training *training = c->training;
    struct base *b = &c->base;
    int64_t from = max_of(s->from_ms, t), net = b->to_ms - from - named_ms(c, v, from, b->to_ms);
    int64_t low_ms = training->first_ms, high_ms = low_ms;
    bool is_one = !training_may_be_several(training, s->weight);
    if (training->ideal_ms <= 0) { /* nothing is known to compare it with */
        b->ordinary_ms = is_one ? TIME_OPEN : 0;
        b->unreported_ms = is_one ? 0 : TIME_OPEN;
        return;
    }
    if (!is_one && !v->reports_starts) {
        low_ms = training->low_ms;
        high_ms = training_first_high_ms(training, v, c->event);
    }
    b->startup_ms = max_of(0, net - high_ms * s->weight - overdue_ms(c, v, b->run));
    b->unreported_ms = max_of(0, min_of(net, high_ms * s->weight) - low_ms * s->weight);
    if (b->unreported_ms > 0)
        b->ordinary_ms = min_of(b->ordinary_ms, net - b->startup_ms - b->unreported_ms);
}

/* Nothing is known of the time since the burst before but its steps, which took as long as they state, or as the
 * fastest. What a process's first line states holds start-up; where lines are late, what lines state holds saves. */
static void set_burst(struct cursor *c, const struct view *v, const struct step_span *s, int64_t t, bool is_first) {
    struct base *b = &c->base;
    int64_t from = max_of(s->from_ms, t), net = b->to_ms - from - named_ms(c, v, from, b->to_ms);
    bool is_line = is_first && v->list->runs[0].first_step == v->list->items[c->event].step;
    int64_t low_ms = c->training->low_ms * s->weight, ms = expected_ms(c, v, b->run, c->event, s->weight);
    if (v->process->given.line_lag > 0)
        ms = max_of(ms - (b->to_ms - from - net), min_of(ms, low_ms));
    b->ordinary_ms = min_of(net, is_line ? low_ms : ms);
    b->unreported_ms = net - b->ordinary_ms;
}

/* The steps of a doubtful loss may have been kept, and the line that resumed within them may have been shorter. */
static bool is_doubtful(const struct part *p) {
    return p->loss != NULL && p->loss->is_doubtful && p->last_step - p->span.weight + 1 <= p->loss->through_step;
}

static void set_doubt(struct cursor *c, const struct view *v, const struct part *p, int64_t t) {
    struct base *b = &c->base;
    int64_t from = max_of(p->span.from_ms, t),
            work_ms = b->to_ms - from - named_ms(c, v, from, b->to_ms) - b->startup_ms;
    int64_t kept_ms = loss_doubt_ms(p->loss, p->span.weight, work_ms);
    if (kept_ms > b->unreported_ms) {
        b->unreported_ms = kept_ms;
        b->ordinary_ms = work_ms - kept_ms;
    }
}

static void set_step(struct cursor *c, const struct view *v, int64_t t) {
    const struct training *training = c->training;
    const struct run *run = &training->runs[c->run];
    const struct step_event *e = &v->list->items[c->event];
    struct part p = part_after(c, run, c->event, RECORD_NONE);
    while (p.span.to_ms <= t && p.last_step < e->step)
        p = part_after(c, run, c->event, p.last_step);
    struct step_span s = p.span;
    struct base *b = &c->base;
    if (b->kind == BASE_STEP && b->run == run && b->line == e->line && b->step == p.last_step)
        return; /* the same step continues; what was booked of it stays booked */
    *b = (struct base){.kind = BASE_STEP,
                       .to_ms = min_of(s.to_ms, v->end_ms),
                       .view = v,
                       .run = run,
                       .step = p.last_step,
                       .line = e->line,
                       .weight = s.weight,
                       .from_ms = s.from_ms,
                       .loss = p.loss};
    b->ordinary_ms = max_of(training->hang_after_ms, 2 * training->ideal_ms * s.weight);
    bool is_first = c->event == run->first && c->run == v->run_first && !run->is_continued;
    if (v->is_buffered)
        set_burst(c, v, &s, t, is_first);
    else if (is_first)
        set_first(c, v, &s, t);
    else
        set_unreported(c, v, &s, t);
    if (is_doubtful(&p))
        set_doubt(c, v, &p, t);
}

/* ---- before and after the steps ---- */

static void set_plain(struct cursor *c, enum base_kind kind, const struct view *v, int64_t to_ms) {
    c->base = (struct base){.kind = kind, .to_ms = to_ms, .view = v, .ordinary_ms = TIME_OPEN};
}

static void set_before_steps(struct cursor *c, const struct view *v, int64_t t, int64_t to_ms) {
    int64_t preparation_end = v->first_record_ms;
    /* It ended and no line of it was read: the format is not recognized, or the log is lost. */
    bool is_unread = v->ended_ms != TIME_OPEN &&
                     (!c->training->reported.has_records || v->process->given.is_lost || c->training->is_buffered);
    if (preparation_end == TIME_UNKNOWN) /* silent so far: that is normal for a while after a start */
        preparation_end = is_unread ? v->begin_ms : v->begin_ms + c->training->hang_after_ms;
    if (v->headless_until_ms != TIME_UNKNOWN)
        preparation_end = v->begin_ms;
    int64_t unlogged = cursor_unlogged_ms(c, v);
    if (unlogged > 0)
        preparation_end = min_of(preparation_end, v->ended_ms - unlogged);
    if (v->run_count > 0) { /* steps slower than usual may have started before */
        const struct run *run = &c->training->runs[v->run_first];
        preparation_end = min_of(preparation_end, run->begin_ms - run->doubt_ms);
    }
    if (t < preparation_end)
        set_plain(c, BASE_PREPARATION, v, min_of(preparation_end, to_ms));
    else
        set_plain(c, BASE_NOTHING, v, to_ms);
}

static bool is_last_of_success(const struct cursor *c, const struct view *v) {
    return c->at_end && c->outcome == OUTCOME_SUCCEEDED && v == &c->training->views[c->training->view_count - 1];
}

static bool was_cut_off(const struct cursor *c, const struct view *v) {
    if (v != &c->training->views[c->training->view_count - 1])
        return true;
    if (c->at_end)
        return c->outcome != OUTCOME_SUCCEEDED;
    return c->strike_count > 0 && c->strikes[c->strike_count - 1].at_ms + 1000 > v->steps_end_ms;
}

/* The time that unlogged and unfinished steps after the last one may take, once per view. */
static void set_tail_budgets(struct cursor *c, const struct view *v) {
    const struct training *t = c->training;
    const struct run *last = &t->runs[v->run_first + v->run_count - 1];
    c->tail_view_plus_1 = (v - t->views) + 1;
    c->credit_last = last->last_step + last->missing_steps;
    c->credit_ms = last->missing_steps * t->ideal_ms;
    c->credit_doubt_ms = last->missing_steps * max_of(0, t->high_ms - t->ideal_ms);
    c->unfinished_ms = 0;
    if (v->job_end_ms != TIME_UNKNOWN || v->process->given.is_lost)
        return;
    if (is_last_of_success(c, v)) {
        if (v->reports_starts) { /* no line reports its end, but the job completed it */
            c->credit_last++;
            c->credit_ms += t->ideal_ms;
        }
    } else if (was_cut_off(c, v)) {
        int lag = v->process->given.line_lag >= 0 ? v->process->given.line_lag : !v->reports_starts;
        /* Where a save may have kept the steps without a line, they are Unattributed. */
        int64_t lost = cursor_are_silent_lost(c, v, last->last_step) ? t->interval : !c->training->counts_lines;
        c->unfinished_ms = t->ideal_ms * lost * (1 + lag);
    }
}

/* An unfinished step is lost to the interruption that cut it off: the first one after its run began. */
static const struct loss *loss_of_unfinished(struct cursor *c, const struct run *run) {
    size_t after = BISECT(i, c->strike_count, c->strikes[i].at_ms <= run->begin_ms);
    c->unfinished_loss =
        (struct loss){.from_step = INT64_MIN, .interruption = after < c->strike_count ? (int)after : -1};
    return &c->unfinished_loss;
}

/* The credit for the steps up to the next loss. */
static void set_credit(struct cursor *c, const struct run *run) {
    const int64_t ideal_ms = c->training->ideal_ms;
    struct base *b = &c->base;
    b->kind = BASE_CREDIT;
    b->step = c->credit_last - (c->credit_ms - 1) / ideal_ms;
    b->loss = training_loss(run, b->step);
    int64_t until = min_of(next_fate(run, b->loss), c->credit_last + 1);
    b->ordinary_ms = c->credit_ms - (c->credit_last + 1 - until) * ideal_ms;
}

/* A credited step counts as soon as some of its time is credited: a later step proves it. A step without productive
 * time does not count, so that steps and productive time describe the same work. */
static void book_credit(struct cursor *c, int64_t from_ms, int64_t to_ms) {
    const int64_t ideal_ms = c->training->ideal_ms, before = c->credit_ms / ideal_ms;
    c->credit_ms -= to_ms - from_ms;
    const int64_t left = c->credit_ms / ideal_ms;
    struct step_span s = {from_ms, to_ms, before - left};
    size_t event = training_started(c->base.view, c->credit_last - before + 1, c->credit_last - left);
    if (s.weight > 0)
        c->on_step(c->context, c->base.run, &s, c->credit_last - left, c->base.loss, event);
}

static void set_tail(struct cursor *c, const struct view *v, int64_t t) {
    const struct run *last = &c->training->runs[v->run_first + v->run_count - 1];
    if (c->tail_view_plus_1 != (v - c->training->views) + 1)
        set_tail_budgets(c, v);
    bool is_unread = v->process->given.is_lost && v->job_end_ms == TIME_UNKNOWN;
    set_plain(c, is_unread ? BASE_UNREAD : is_last_of_success(c, v) ? BASE_SHUTDOWN : BASE_NOTHING, v, v->end_ms);
    int64_t silent_until_ms = v->steps_end_ms + cursor_silent_ms(c, v);
    if (c->base.kind == BASE_SHUTDOWN && t < silent_until_ms) { /* the last steps, or not */
        c->base.kind = BASE_NOTHING;
        c->base.to_ms = min_of(c->base.to_ms, silent_until_ms);
    }
    c->base.run = last;
    c->base.step = last->last_step + 1;
    c->base.line = v->list->items[v->event_count - 1].line;
    if (c->credit_ms > 0) {
        set_credit(c, last);
    } else if (c->credit_doubt_ms > 0) { /* the credited steps may have been slower than the ideal */
        c->base.kind = BASE_UNFINISHED;
        c->base.ordinary_ms = 0;
        c->base.unreported_ms = c->credit_doubt_ms;
    } else if (c->unfinished_ms > 0) {
        c->base.kind = BASE_UNFINISHED;
        c->base.ordinary_ms = c->unfinished_ms;
        c->base.loss = loss_of_unfinished(c, last);
    }
}

/* Between processes: dead until the containers run again, then unknown until the new process writes a line. */
static void set_gap(struct cursor *c, int64_t t, int64_t to_ms, int64_t running_since_ms) {
    const struct view *before = c->view > 0 ? &c->training->views[c->view - 1] : NULL;
    set_plain(c, BASE_NOTHING, before, to_ms);
    if (before == NULL || before->ended_ms > t || before->begin_ms >= c->end_ms)
        return;
    if (is_last_of_success(c, before))
        c->base.kind = before->run_count > 0 ? BASE_SHUTDOWN : BASE_NOTHING;
    else if (running_since_ms <= before->ended_ms && (before->job_end_ms == TIME_UNKNOWN || was_cut_off(c, before)))
        c->base.kind = BASE_DEAD;
}

void cursor_book(struct cursor *c, int64_t from_ms, int64_t to_ms) {
    const int64_t ms = to_ms - from_ms;
    struct base *b = &c->base;
    if (b->kind == BASE_CREDIT)
        book_credit(c, from_ms, to_ms);
    else if (b->kind == BASE_UNFINISHED)
        *(c->credit_doubt_ms > 0 ? &c->credit_doubt_ms : &c->unfinished_ms) -= ms;
    if (b->startup_ms > 0)
        b->startup_ms -= ms;
    else if (b->ordinary_ms > 0)
        b->ordinary_ms -= ms;
    else if (b->unreported_ms > 0)
        b->unreported_ms -= ms;
}

void cursor_leave(struct cursor *c, int64_t t) {
    const struct training *training = c->training;
    while (c->view < training->view_count && training->views[c->view].end_ms <= t) {
        const struct view *v = &training->views[c->view];
        if (c->run < v->run_first)
            c->run = v->run_first, c->is_placed = false;
        leave_steps(c, v, v->end_ms);
        c->run = v->run_first + v->run_count;
        c->is_placed = false;
        c->segment = 0;
        c->view++;
    }
    if (c->view < training->view_count && training->views[c->view].begin_ms <= t)
        leave_steps(c, &training->views[c->view], t);
}

const struct base *cursor_at(struct cursor *c, int64_t t, int64_t running_since_ms) {
    const struct training *training = c->training;
    const struct view *v = c->view < training->view_count ? &training->views[c->view] : NULL;
    if (v == NULL || v->begin_ms > t) {
        set_gap(c, t, v == NULL ? TIME_OPEN : v->begin_ms, running_since_ms);
        return &c->base;
    }
    if (c->run < v->run_first + v->run_count) {
        const struct run *run = &training->runs[c->run];
        if (t >= run->begin_ms)
            set_step(c, v, t);
        else if (c->run == v->run_first)
            set_before_steps(c, v, t, min_of(run->begin_ms, v->end_ms));
        else
            set_plain(c, BASE_NOTHING, v, min_of(run->begin_ms, v->end_ms));
    } else if (v->run_count > 0) {
        set_tail(c, v, t);
    } else {
        set_before_steps(c, v, t, v->end_ms);
    }
    return &c->base;
}

bool cursor_leave_ordinary(struct cursor *c, int64_t limit_ms, int64_t last_step, struct steps_ahead *ret) {
    const struct base *b = &c->base;
    const struct run *run = b->run;
    const struct step_event *e = b->view->list->items;
    size_t first = c->event, i = first, end = run->end;
    bool is_first_of_run = first == run->first && !run->is_continued;
    bool is_part = b->step != e[first].step || b->from_ms != training_step(c->training, run, first).from_ms;
    if (is_first_of_run || is_part || b->startup_ms > 0)
        return false;
    size_t shift = b->view->reports_starts; /* with starts only, the next event gives a step's end */
    int64_t max = min_of(last_step, next_fate(run, b->loss) - 1), hang = c->training->hang_after_ms;
    limit_ms = min_of(limit_ms, b->view->end_ms);
    if (shift == 1)
        end--;
    while (i < end && e[i].step <= max && e[i + shift].at_ms <= limit_ms &&
           e[i + shift].at_ms - e[i + shift - 1].at_ms <=
               min_of(hang, slow_after_ms(c, b->view, run, i, e[i + shift].step - e[i + shift - 1].step)))
        i++;
    if (i == first)
        return false;
    ret->to_ms = e[i - 1 + shift].at_ms;
    ret->first = first;
    ret->end = i;
    ret->last_step = e[i - 1].step;
    ret->weight = e[i - 1 + shift].step - e[first + shift - 1].step;
    c->event = i;
    c->base.kind = BASE_NOTHING;
    return true;
}

const struct segment *cursor_segment(struct cursor *c, int64_t t, int64_t *next_ms) {
    *next_ms = TIME_OPEN;
    if (c->view >= c->training->view_count)
        return NULL;
    const struct view *v = &c->training->views[c->view];
    while (c->segment < v->segment_count && v->segments[c->segment].to_ms <= t)
        c->segment++;
    if (c->segment == v->segment_count)
        return NULL;
    const struct segment *s = &v->segments[c->segment];
    *next_ms = s->from_ms > t ? s->from_ms : s->to_ms;
    return s->from_ms > t ? NULL : s;
}

void cursor_finish(struct cursor *c) {
    for (; c->view < c->training->view_count; c->view++) {
        const struct view *v = &c->training->views[c->view];
        if (c->run < v->run_first)
            c->run = v->run_first, c->is_placed = false;
        leave_steps(c, v, min_of(v->end_ms, c->end_ms));
        c->run = v->run_first + v->run_count;
        c->is_placed = false;
    }
}
