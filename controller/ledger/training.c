#include "ledger/training.h"
#include "ledger/bursts.h"
#include "ledger/step_list.h"
#include "ledger/step_times.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

#define HEADLESS_MIN_MS 2000 /* the start of a container is known to the second */

/* ---- views ---- */

static int64_t known_or(int64_t ms, int64_t known_ms, int64_t otherwise) {
    return ms == TIME_UNKNOWN || ms > known_ms ? otherwise : ms;
}

/* An end in whole seconds means the second that starts there: the process's own records may lie within it, and where
 * lines are lost it may have trained until that second's end. */
static int64_t effective_end(const struct process *p, int64_t known_ms) {
    if (p->given.ended_ms == TIME_UNKNOWN || p->given.ended_ms > known_ms)
        return TIME_OPEN;
    bool is_whole_second = p->given.ended_ms % 1000 == 0;
    if (is_whole_second && p->given.is_lost)
        return min_of(p->given.ended_ms + 999, known_ms);
    if (is_whole_second && p->last_ms > p->given.ended_ms && p->last_ms <= p->given.ended_ms + 999 &&
        p->last_ms <= known_ms)
        return p->last_ms;
    return p->given.ended_ms;
}

/* Chooses the ends or the starts of steps, whichever the process reports; ends if both (they prove completion). The
 * choice stays once its first steps are settled. */
static void choose_source(const struct training *t, struct view *v, int64_t known_ms) {
    const struct process *p = v->process;
    size_t ends = step_list_until(&p->ends, known_ms), starts = step_list_until(&p->starts, known_ms);
    v->reports_starts = v->is_continued ? t->settled->reports_starts : starts > 2 * ends;
    v->list = v->reports_starts ? &p->starts : &p->ends;
    v->event_count = v->reports_starts ? starts : ends;
    v->completed = v->event_count;
    v->job_end_ms = known_or(p->job_end_ms, known_ms, TIME_UNKNOWN);
    if (v->reports_starts && v->job_end_ms == TIME_UNKNOWN)
        v->completed--;
    v->steps_end_ms = v->is_continued ? t->from_ms : TIME_UNKNOWN;
    if (v->completed > 0)
        v->steps_end_ms = !v->reports_starts              ? v->list->items[v->completed - 1].at_ms
                          : v->completed < v->event_count ? v->list->items[v->completed].at_ms
                                                          : v->job_end_ms;
}

static void make_views(struct training *t, const struct ledger *l, int64_t known_ms) {
    size_t count = 0;
    while (count < l->live_count && process_order_ms(l->live[count]) <= known_ms)
        count++;
    t->views = mem_alloc((count + 1) * sizeof *t->views);
    for (size_t i = 0; i < count; i++) {
        const struct process *p = l->live[i];
        bool is_continued = t->settled != NULL && p == l->processes[t->settled->process];
        bool is_of_settled = t->settled != NULL && !is_continued && p->first_record_ms == TIME_UNKNOWN &&
                             p->given.started_ms < t->from_ms; /* a repeat after a load */
        if (process_order_ms(p) == TIME_UNKNOWN || is_of_settled)
            continue;
        struct view *v = &t->views[t->view_count++];
        *v = (struct view){.process = p, .is_continued = is_continued, .headless_until_ms = TIME_UNKNOWN};
        v->order_ms = process_order_ms(v->process);
        if (t->settled != NULL && !v->is_continued)
            v->order_ms = max_of(v->order_ms, t->from_ms);
        v->ended_ms = effective_end(v->process, known_ms);
        v->first_record_ms = known_or(v->process->first_record_ms, known_ms, TIME_UNKNOWN);
        t->reported.has_records |= v->first_record_ms != TIME_UNKNOWN;
        choose_source(t, v, known_ms);
        t->is_buffered |= bursts_are_usual(v->list);
        t->counts_lines |= v->process->counts_lines;
        if (known_or(v->process->first_checkpoint_ms, known_ms, TIME_UNKNOWN) != TIME_UNKNOWN)
            t->reported.has_checkpoints = true;
    }
    for (size_t i = 0; i < t->view_count; i++)
        t->views[i].is_buffered = t->is_buffered && !t->views[i].reports_starts;
}

/* ---- runs ---- */

/* A "step=0" that a trainer prints before it continues at another step (DeepSpeed) is noise. */
static size_t leading_noise(const struct training *t, const struct view *v) {
    const struct step_event *e = v->list->items;
    if (v->is_continued)
        return 0;
    bool is_alone = v->completed >= 2 && e[0].step == 0 && e[1].step > max_of(1, t->interval);
    bool has_second_run = v->list->run_count > 1 && v->list->runs[1].first == 1;
    return is_alone && !has_second_run ? 1 : 0;
}

/* How much earlier than by the usual pace the first line's steps may have started. */
static int64_t begin_doubt_ms(const struct training *t, const struct view *v, const struct run *run) {
    int64_t steps = run->first_step - run->resumed_step + 1;
    bool is_one = !training_may_be_several(t, steps);
    if (t->ideal_ms <= 0)
        return is_one ? 0 : TIME_OPEN / 2;
    if (is_one)
        return t->slow_ms;
    return max_of(t->slow_ms, (training_first_high_ms(t, v, run->first) - t->ideal_ms) * steps);
}

/* Where steps are dispatched asynchronously (MaxText), the first line's duration is the host's: "seconds: 0.063" for a
 * step that took 0.9 s with compilation. Less than half an ideal step is not used: the step then begins when the
 * process is ready, and its time beyond the ideal is start-up. A longer duration is compilation, after which the step
 * itself ran: its line is one step late. (tests/steplog/test_traps.c) */
static int64_t first_step_begin(const struct training *t, const struct view *v, const struct run_mark *mark,
                                struct run *run) {
    const struct step_event *e = &v->list->items[run->first];
    if (v->reports_starts)
        return e->at_ms;
    if (v->is_buffered && run->first == 0) { /* nothing of the time before a burst is known */
        int64_t ready_ms = mark->ready_ms > e->at_ms - RECORD_SAME_WRITE_MS ? TIME_UNKNOWN : mark->ready_ms;
        int64_t from_ms = max_of(ready_ms, v->process->given.started_ms);
        return min_of(e->at_ms, from_ms != TIME_UNKNOWN ? from_ms : e->at_ms - max_of(e->duration_ms, 0));
    }
    int64_t begin;
    if (run->first > 0) { /* a later run of the same process, or one after noise */
        begin = max_of(v->list->items[run->first - 1].at_ms, mark->ready_ms);
    } else {
        const struct step_list *starts = &v->process->starts;
        bool has_start = starts->count > 0 && starts->items[0].step == e->step && starts->items[0].at_ms <= e->at_ms;
        int64_t reported = e->duration_ms, ideal = t->ideal_ms * (run->first_step - run->resumed_step + 1);
        bool is_dispatch = e->duration_ms >= 0 && 2 * reported < ideal;
        bool is_estimated = !has_start && mark->ready_ms == TIME_UNKNOWN && (is_dispatch || reported < 0);
        if (is_estimated)
            run->doubt_ms = begin_doubt_ms(t, v, run);
        if (reported > ideal + ideal / 4 && v->process->given.line_lag > 0)
            reported += t->ideal_ms * v->process->given.line_lag;
        if (has_start)
            begin = starts->items[0].at_ms;
        else if (is_dispatch && mark->ready_ms != TIME_UNKNOWN)
            begin = mark->ready_ms;
        else if (is_dispatch)
            begin = e->at_ms - ideal;
        else if (reported >= 0)
            begin = e->at_ms - reported;
        else if (mark->ready_ms != TIME_UNKNOWN)
            begin = mark->ready_ms;
        else
            begin = e->at_ms - ideal;
        begin = max_of(begin, mark->ready_ms);
        if (v->process->given.started_ms < e->at_ms) /* TIME_UNKNOWN is less than any time */
            begin = max_of(begin, v->process->given.started_ms);
        begin = max_of(begin, v->headless_until_ms);
    }
    return min_of(begin, e->at_ms);
}

/* Whether the run's first line is of its first step alone, as the lines after it come at other numbers: 1, 10, 20. */
static bool is_first_alone(const struct training *t, const struct step_event *e, size_t count) {
    return count > 1 && e[0].step % t->interval != 0 && e[1].step % t->interval == 0;
}

/* The step at which training resumed: as a restore or the trainer reported it, if the first line agrees. It agrees by
 * its number, or if there was time for the steps in between (after a cut epoch its size may be the only known interval,
 * and lines may be lost). Else the first line decides. The time runs from when the process was ready, or is the line's
 * own duration, which is kept only for the process's very first line (checkpoint_process.c). */
static int64_t resumed_step(const struct training *t, const struct view *v, const struct run_mark *mark,
                            struct run *run) {
    const struct step_event *e = &v->list->items[run->first];
    bool is_very_first = run->first == 0, is_burst = mark->first == run->first && mark->first_step < e->step;
    int64_t reported = mark->resume_step, took_ms = is_very_first ? e->duration_ms : -1,
            started_ms = v->process->given.started_ms;
    int64_t first = is_burst ? mark->first_step : e->step, apart = is_burst ? v->list->apart : t->interval;
    if (reported != RECORD_NONE && reported <= first) {
        if (mark->ready_ms != TIME_UNKNOWN)
            took_ms = max_of(took_ms, e->at_ms - mark->ready_ms);
        bool has_time = took_ms > 0 && (t->low_ms <= 0 || took_ms / t->low_ms >= e->step - reported + 1);
        if (first - reported <= max_of(apart, 3) || has_time)
            return reported;
    }
    int64_t earliest = max_of(0, first - apart + 1);
    if (is_very_first && started_ms != TIME_UNKNOWN && t->low_ms > 0) /* no more steps than there was time for */
        earliest = max_of(earliest, min_of(first, e->step - (e->at_ms - started_ms) / t->low_ms));
    if (is_very_first && t->saved_step + 1 >= earliest && t->saved_step < first) /* RECORD_NONE is less */
        return t->saved_step + 1;
    if (is_burst ? first % max_of(apart, 1) != 0 : is_first_alone(t, e, run->end - run->first))
        earliest = first;
    run->is_resumed_within = training_may_be_several(t, e->step - earliest + 1);
    return earliest;
}

/* Adds the run whose first steps are settled. The item before its first one only gives the start of that step. */
static void add_continued_run(struct training *t, size_t view) {
    struct view *v = &t->views[view];
    const struct settled *settled = t->settled;
    size_t first = v->reports_starts ? 0 : 1;
    size_t end = v->list->run_count > 1 ? v->list->runs[1].first : v->completed;
    struct run run = {.view = view,
                      .first = first,
                      .end = end < v->completed ? end : v->completed,
                      .reason = settled->reason,
                      .is_continued = true,
                      .begin_ms = settled->run_begin_ms,
                      .first_step = settled->run_first_step,
                      .last_step = settled->run_last_step,
                      .resumed_step = settled->run_resumed_step,
                      .end_ms = t->from_ms};
    if (run.end < first)
        run.end = first;
    if (run.end > first) {
        run.last_step = v->list->items[run.end - 1].step;
        run.end_ms =
            run.end == v->completed ? v->steps_end_ms : v->list->items[v->reports_starts ? run.end : run.end - 1].at_ms;
    }
    MEM_GROW(t->runs, t->run_count, t->run_capacity);
    t->runs[t->run_count++] = run;
    v->run_count++;
}

/* A log that rotated before it was read begins in the middle. Its first line comes long after the container's start,
 * with a step that neither a restore nor earlier steps explain, but that training could have reached in that time. (A
 * trainer that resumes from a checkpoint without reporting it gets there sooner than by training.) */
static int64_t headless_until(const struct training *t, const struct view *v, const struct run_mark *mark,
                              const struct run *run) {
    const struct process *p = v->process;
    int64_t missing = run->resumed_step - (t->reached_step == RECORD_NONE ? 0 : t->reached_step + 1);
    if (p->given.started_ms == TIME_UNKNOWN || p->first_line_ms == TIME_UNKNOWN || mark->resume_step != RECORD_NONE ||
        t->ideal_ms <= 0 || missing < 2)
        return TIME_UNKNOWN;
    int64_t silent_ms = p->first_line_ms - p->given.started_ms;
    return silent_ms >= HEADLESS_MIN_MS && silent_ms / 3 * 4 >= missing * t->ideal_ms ? p->first_line_ms : TIME_UNKNOWN;
}

int64_t training_headless_ms(const struct view *v) {
    return v->headless_until_ms != TIME_UNKNOWN ? max_of(0, v->headless_until_ms - v->order_ms) : 0;
}

static void add_runs(struct training *t, size_t view) {
    struct view *v = &t->views[view];
    v->run_first = t->run_count;
    size_t noise = leading_noise(t, v);
    if (v->is_continued)
        add_continued_run(t, view);
    for (size_t m = v->is_continued; m < v->list->run_count && v->list->runs[m].first < v->completed; m++) {
        const struct run_mark *mark = &v->list->runs[m];
        size_t end = m + 1 < v->list->run_count ? v->list->runs[m + 1].first : v->completed;
        struct run run = {.view = view,
                          .first = mark->first + (m == 0 ? noise : 0),
                          .end = end < v->completed ? end : v->completed,
                          .reason = mark->reason};
        run.first_step = v->list->items[run.first].step;
        run.last_step = v->list->items[run.end - 1].step;
        run.resumed_step = resumed_step(t, v, mark, &run);
        if (m == 0 && noise == 0)
            v->headless_until_ms = headless_until(t, v, mark, &run);
        run.begin_ms = first_step_begin(t, v, mark, &run);
        run.end_ms =
            run.end == v->completed ? v->steps_end_ms : v->list->items[v->reports_starts ? run.end : run.end - 1].at_ms;
        MEM_GROW(t->runs, t->run_count, t->run_capacity);
        t->runs[t->run_count++] = run;
        v->run_count++;
    }
    for (size_t i = v->run_first; i < t->run_count; i++)
        t->reached_step = max_of(t->reached_step, t->runs[i].last_step); /* RECORD_NONE is less than any step */
    t->headless_ms += training_headless_ms(v);
    const struct durable_list *saves = &v->process->durables;
    size_t known = BISECT(i, saves->count, saves->items[i].at_ms <= t->known_ms);
    if (known > 0)
        t->saved_step = saves->items[known - 1].step;
}

struct step_span training_step(const struct training *t, const struct run *run, size_t i) {
    const struct view *v = &t->views[run->view];
    const struct step_event *e = v->list->items;
    struct step_span s = {.weight = 1};
    if (v->reports_starts) {
        s.from_ms = e[i].at_ms;
        s.to_ms = i + 1 < v->event_count ? e[i + 1].at_ms : v->job_end_ms;
        if (i + 1 < run->end)
            s.weight = e[i + 1].step - e[i].step;
    } else {
        bool is_first = i == run->first && !run->is_continued;
        s.from_ms = is_first ? run->begin_ms : e[i - 1].at_ms;
        s.to_ms = e[i].at_ms;
        s.weight = is_first ? run->first_step - run->resumed_step + 1 : e[i].step - e[i - 1].step;
    }
    return s;
}

/* ---- the owner of each time ---- */

static int64_t first_begin(const struct training *t, const struct view *v) {
    return v->run_count > 0 ? t->runs[v->run_first].begin_ms : TIME_OPEN;
}

static void own_time(struct training *t, const struct ledger *l, int64_t limit_ms) {
    int64_t at = t->from_ms;
    for (size_t i = 0; i < t->view_count; i++) {
        struct view *v = &t->views[i];
        v->begin_ms = max_of(at, v->order_ms);
        v->end_ms = min_of(v->ended_ms, limit_ms);
        int64_t allowed = min_of(v->ended_ms, l->end_ms), overlapped_from = TIME_OPEN;
        if (i + 1 < t->view_count) {
            const struct view *next = &t->views[i + 1];
            int64_t next_begin = first_begin(t, next);
            int64_t own = v->steps_end_ms == TIME_UNKNOWN ? next->order_ms : min_of(v->steps_end_ms, next_begin);
            v->end_ms = min_of(v->end_ms, max_of(next->order_ms, own));
            overlapped_from = max_of(next_begin, next->order_ms);
        }
        if (v->run_count > 0) {
            int64_t begin = first_begin(t, v), end = v->steps_end_ms;
            if (end > allowed)
                v->clipped_ms += end - max_of(allowed, begin);
            int64_t floor = max_of(l->start_ms, v->order_ms);
            if (begin < floor)
                v->clipped_ms += min_of(floor, end) - begin;
            for (size_t k = v->completed; k > 0 && v->list->items[k - 1].at_ms > overlapped_from; k--)
                v->overlapped++;
        }
        t->clipped_ms += v->clipped_ms;
        t->overlapped += v->overlapped;
        at = max_of(at, v->end_ms);
    }
}

/* ---- innermost intervals ---- */

struct flattener {
    struct segment *out;
    size_t count, capacity;
    const struct overlay **stack;
    size_t depth, stack_capacity;
    int64_t at;
    const struct training *training;
    const struct view *view;
};

static void emit_as(struct flattener *f, const struct overlay *o, uint8_t bucket, int64_t to) {
    if (f->at >= to)
        return;
    MEM_GROW(f->out, f->count, f->capacity);
    f->out[f->count++] = (struct segment){f->at, to, o->line, bucket, o->custom, o->is_derived};
    f->at = to;
}

/* Where the log has only the start of a save, the next step's line shows its end. That may be slow steps instead. */
static int64_t shown_until_ms(const struct flattener *f, const struct overlay *o) {
    const struct training *t = f->training;
    size_t line = step_list_until(f->view->list, o->to_ms);
    if (!o->is_derived || o->bucket != BUCKET_CHECKPOINT_SAVE || line >= f->view->completed)
        return TIME_OPEN;
    return o->to_ms - (training_high_ms(t, f->view, line) - t->usual_ms) * t->interval;
}

/* The recorder's waits for input may overlap the step in which they lie: they count as far as it is longer than usual,
 * and than what else was named in it. */
static int64_t waited_until_ms(const struct flattener *f, const struct overlay *o) {
    const struct view *v = f->view;
    size_t after = step_list_until(v->list, o->from_ms);
    if (after == 0 || after > v->completed) /* before the first step, or in one that has not ended */
        return TIME_OPEN;
    const struct step_event *e = &v->list->items[after - 1];
    int64_t end_ms = after < v->event_count ? e[1].at_ms : v->job_end_ms;
    const struct overlay_list *all = &v->process->overlays;
    int64_t longer_ms = end_ms - e->at_ms - f->training->first_ms;
    for (size_t i = BISECT(k, all->count, all->items[k].from_ms < e->at_ms);
         i < all->count && all->items[i].from_ms < end_ms; i++)
        if (all->items[i].bucket != BUCKET_DATA_LOADING || all->items[i].from_ms < o->from_ms)
            longer_ms -= min_of(all->items[i].to_ms, end_ms) - all->items[i].from_ms;
    return f->training->first_ms > 0 ? o->from_ms + max_of(longer_ms, 0) : o->from_ms;
}

static void emit(struct flattener *f, const struct overlay *o, int64_t to) {
    if (o->bucket == BUCKET_DATA_LOADING && f->view->reports_starts) {
        emit_as(f, o, o->bucket, min_of(to, waited_until_ms(f, o)));
        f->at = max_of(f->at, to);
        return;
    }
    emit_as(f, o, o->bucket, min_of(to, shown_until_ms(f, o)));
    emit_as(f, o, BUCKET_UNATTRIBUTED, to);
}

/* Emits the intervals on the stack, the latest start on top, up to a time. */
static void emit_until(struct flattener *f, int64_t until) {
    while (f->depth > 0 && f->at < until) {
        const struct overlay *top = f->stack[f->depth - 1];
        if (top->to_ms <= f->at) {
            f->depth--;
            continue;
        }
        emit(f, top, min_of(top->to_ms, until));
    }
}

static void flatten_one(struct flattener *f, const struct overlay *o) {
    emit_until(f, o->from_ms);
    f->at = max_of(f->at, o->from_ms);
    if (o->to_ms <= f->at)
        return;
    MEM_GROW(f->stack, f->depth, f->stack_capacity);
    f->stack[f->depth++] = o;
}

static int compare_overlays(const void *a, const void *b) {
    const struct overlay *x = a, *y = b;
    if (x->from_ms != y->from_ms)
        return x->from_ms < y->from_ms ? -1 : 1;
    if (x->bucket != y->bucket)
        return x->bucket > y->bucket ? -1 : 1;
    return (x->custom < y->custom) - (x->custom > y->custom);
}

/* Intervals without a reported end reach to the end of the process's time, unless training continued after their
 * start. */
static size_t open_intervals(const struct view *v, int64_t known_ms, struct overlay *to) {
    static const uint8_t buckets[OPEN_KINDS] = {
        BUCKET_ACCELERATOR_INIT, BUCKET_TRAINING_PREPARATION, BUCKET_CHECKPOINT_RESTORE, BUCKET_CHECKPOINT_SAVE,
        BUCKET_DATA_LOADING,     BUCKET_EVALUATION,           BUCKET_ELASTIC_REINIT,     BUCKET_ELASTIC_REINIT,
    };
    const struct process *p = v->process;
    int64_t since = v->event_count > 0 ? v->list->items[v->event_count - 1].at_ms : INT64_MIN;
    int64_t until = v->job_end_ms != TIME_UNKNOWN ? min_of(v->job_end_ms, v->end_ms) : v->end_ms;
    size_t n = 0;
    for (size_t i = 0; i < OPEN_KINDS + p->custom.count; i++) {
        bool is_custom = i >= OPEN_KINDS;
        const struct open_interval *open = is_custom ? &p->custom.items[i - OPEN_KINDS].open : &p->open[i];
        if (open->from_ms == TIME_UNKNOWN || open->from_ms > known_ms || open->from_ms < since || open->is_async)
            continue;
        to[n++] = (struct overlay){.from_ms = open->from_ms,
                                   .to_ms = until,
                                   .line = open->line,
                                   .bucket = is_custom ? BUCKET_CUSTOM : buckets[i],
                                   .custom = (uint8_t)(is_custom ? i - OPEN_KINDS : 0)};
    }
    qsort(to, n, sizeof *to, compare_overlays);
    return n;
}

static void flatten(const struct training *t, struct view *v, int64_t known_ms) {
    if (v->begin_ms >= v->end_ms)
        return;
    struct overlay open[OPEN_KINDS + PROCESS_CUSTOM_NAMES];
    size_t open_count = v->is_buffered ? 0 : open_intervals(v, known_ms, open), k = 0;
    struct flattener f = {.at = v->begin_ms, .training = t, .view = v};
    for (size_t i = 0; i < v->process->overlays.count; i++) {
        const struct overlay *o = &v->process->overlays.items[i];
        if (o->from_ms > known_ms || (o->by_duration && o->to_ms > known_ms) ||
            (v->is_buffered && !overlay_is_stated(o)))
            continue;
        while (k < open_count && compare_overlays(&open[k], o) < 0)
            flatten_one(&f, &open[k++]);
        flatten_one(&f, o);
    }
    while (k < open_count)
        flatten_one(&f, &open[k++]);
    emit_until(&f, v->end_ms);
    while (f.count > 0 && f.out[f.count - 1].from_ms >= v->end_ms)
        f.count--;
    if (f.count > 0 && f.out[f.count - 1].to_ms > v->end_ms)
        f.out[f.count - 1].to_ms = v->end_ms;
    free(f.stack);
    v->segments = f.out;
    v->segment_count = f.count;
}

/* Maps the process's custom names to the job's: the first LEDGER_MAX_CUSTOM, by process and then by first use. */
static void map_customs(struct training *t, struct view *v, int64_t known_ms) {
    for (size_t i = 0; i < v->process->custom.count; i++) {
        const char *name = v->process->custom.items[i].name;
        int k = 0;
        while (k < t->reported.custom_count && strcmp(t->reported.custom_names[k], name) != 0)
            k++;
        if (k == t->reported.custom_count && k < LEDGER_MAX_CUSTOM &&
            v->process->custom.items[i].first_ms <= known_ms) {
            memcpy(t->reported.custom_names[k], name, RECORD_NAME_SIZE);
            t->reported.custom_count++;
        }
        v->custom_map[i] = k < t->reported.custom_count ? k : LEDGER_MAX_CUSTOM;
    }
}

void training_init(struct training *t, const struct ledger *l, int64_t known_ms, int64_t limit_ms) {
    *t = (struct training){.known_ms = known_ms,
                           .from_ms = l->start_ms,
                           .durable_step = RECORD_NONE,
                           .reached_step = RECORD_NONE,
                           .saved_step = RECORD_NONE};
    memcpy(t->reported.custom_names[LEDGER_MAX_CUSTOM], "Other", sizeof "Other");
    const struct settled *settled = ledger_settled(l);
    if (settled != NULL) {
        t->settled = settled;
        t->from_ms = settled->through_ms;
        t->reported = settled->reported;
        t->clipped_ms = settled->clipped_ms;
        t->headless_ms = settled->headless_ms;
        t->reached_step = settled->sums.max_step;
        t->saved_step = settled->durable_steps[0];
        t->overlapped = settled->overlapped;
    }
    make_views(t, l, known_ms);
    training_learn(t, &l->options);
    for (size_t i = 0; i < t->view_count; i++)
        add_runs(t, i);
    own_time(t, l, limit_ms);
    phases_map(t);
    for (size_t i = 0; i < t->view_count; i++) {
        flatten(t, &t->views[i], known_ms);
        map_customs(t, &t->views[i], known_ms);
    }
}

void training_done(struct training *t) {
    for (size_t i = 0; i < t->view_count; i++)
        free(t->views[i].segments);
    for (size_t i = 0; i < t->run_count; i++)
        free(t->runs[i].losses);
    free(t->views);
    free(t->runs);
    free(t->settled_losses);
}

void training_count_visits(const struct training *t, struct ledger *l) {
    for (size_t i = 0; i < t->view_count; i++)
        l->steps_visited += 1 + (int64_t)process_count_until(t->views[i].process, t->known_ms);
}
