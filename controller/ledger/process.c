#include "ledger/process.h"

#include "ledger/bursts.h"
#include "ledger/phases.h"
#include "ledger/step_list.h"
#include "ledger/totals.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

#define RECEIVED_TOLERANCE_MS 3600000 /* a payload time later than this after its line's timestamp is not used */

/* A job keeps some 340 steps for days: in an array of 384, which is never moved. */
static size_t more_than(size_t capacity) {
    return capacity == 0 ? 8 : capacity == 256 ? 384 : capacity * 2;
}

/* Arrays lose elements at their front when they are settled: the `skipped` entries before `items` are free. */
#define ROOM_AT_END(list)                                                                                              \
    do {                                                                                                               \
        if ((list)->count + (list)->skipped < (list)->capacity)                                                        \
            break;                                                                                                     \
        if ((list)->items != NULL)                                                                                     \
            (list)->items -= (list)->skipped;                                                                          \
        if ((list)->skipped > (list)->count / 4) {                                                                     \
            memmove((list)->items, (list)->items + (list)->skipped, (list)->count * sizeof *(list)->items);            \
            (list)->skipped = 0;                                                                                       \
        } else {                                                                                                       \
            (list)->capacity = more_than((list)->capacity);                                                            \
            (list)->items = mem_resize((list)->items, (list)->capacity, sizeof *(list)->items);                        \
        }                                                                                                              \
        (list)->items += (list)->skipped;                                                                              \
    } while (0)

#define FREE_SKIPPED(list) free((list)->items != NULL ? (list)->items - (list)->skipped : NULL)

#define DROP_FRONT(list, n)                                                                                            \
    do {                                                                                                               \
        size_t n_ = (n);                                                                                               \
        (list)->items = n_ > 0 ? (list)->items + n_ : (list)->items;                                                   \
        (list)->count -= n_;                                                                                           \
        (list)->skipped += n_;                                                                                         \
    } while (0)

struct process *process_new(uint64_t id) {
    struct process *p = mem_new(struct process);
    p->id = id;
    p->given.line_lag = -1;
    p->resume_step = p->saves.last_step = RECORD_NONE;
    p->ready_ms = p->first_record_ms = p->last_ms = p->job_end_ms = TIME_UNKNOWN;
    p->first_checkpoint_ms = p->saves.sigterm_ms = TIME_UNKNOWN;
    p->given.signaled_ms = p->saves.last_ms[0] = p->saves.last_ms[1] = TIME_UNKNOWN;
    p->given.started_ms = p->settled_ms = p->first_line_ms = TIME_UNKNOWN;
    p->given.ended_ms = TIME_OPEN;
    for (int i = 0; i < OPEN_KINDS; i++)
        p->open[i].from_ms = TIME_UNKNOWN;
    for (int i = 0; i < PROCESS_SAVINGS; i++)
        p->saves.pending[i] = (struct saving){.step = RECORD_NONE, .from_ms = TIME_UNKNOWN};
    return p;
}

void process_free(struct process *p) {
    if (p == NULL)
        return;
    free(p->name);
    FREE_SKIPPED(&p->ends);
    free(p->ends.runs);
    FREE_SKIPPED(&p->starts);
    free(p->starts.runs);
    FREE_SKIPPED(&p->overlays);
    FREE_SKIPPED(&p->durables);
    FREE_SKIPPED(&p->slices);
    free(p->custom.items);
    phases_free(p->phases);
    free(p);
}

int64_t process_order_ms(const struct process *p) {
    return p->given.started_ms != TIME_UNKNOWN ? p->given.started_ms : p->first_record_ms;
}

int process_compare(const struct process *p, int64_t order_ms, const char *name, uint64_t id) {
    int64_t mine_ms = process_order_ms(p);
    if (mine_ms != order_ms)
        return mine_ms < order_ms ? -1 : 1;
    int order = strcmp(p->name != NULL ? p->name : "", name != NULL ? name : "");
    return order != 0 ? order : (p->id > id) - (p->id < id);
}

/* ---- steps ---- */

void process_settle(struct process *p, int64_t through_ms) {
    size_t n = 0, kept = 0;
    p->settled_ms = through_ms;
    while (n < p->durables.count && p->durables.items[n].at_ms < through_ms)
        n++;
    DROP_FRONT(&p->durables, n);
    for (n = 0; n < p->overlays.count && p->overlays.items[n].from_ms < through_ms; n++)
        ;
    for (size_t i = n; i > 0; i--) /* keeps intervals that began before and end after it */
        if (p->overlays.items[i - 1].to_ms > through_ms)
            p->overlays.items[n - ++kept] = p->overlays.items[i - 1];
    DROP_FRONT(&p->overlays, n - kept);
    for (n = 0; n + 1 < p->slices.count && p->slices.items[n + 1].at_ms <= through_ms; n++)
        ;
    DROP_FRONT(&p->slices, n);
}

size_t process_count_until(const struct process *p, int64_t through_ms) {
    return step_list_until(&p->ends, through_ms) + step_list_until(&p->starts, through_ms) +
           BISECT(i, p->overlays.count, p->overlays.items[i].from_ms <= through_ms) +
           BISECT(i, p->durables.count, p->durables.items[i].at_ms <= through_ms);
}

void process_append_step(struct step_list *list, const struct step_event *e) {
    ROOM_AT_END(list);
    list->items[list->count++] = *e;
}

static void begin_run(struct process *p, struct step_list *list, enum run_reason reason, int64_t first_step) {
    MEM_GROW(list->runs, list->run_count, list->run_capacity);
    list->runs[list->run_count++] = (struct run_mark){list->count, reason, p->resume_step, p->ready_ms, first_step};
}

/* A number that is not above the last one, with no restore in between: printed twice (several ranks), noise (a lone
 * "step=0"), the first of a new series, or, behind the first of this one, where training resumed. The next number
 * decides. */
static void add_backward_step(struct process *p, struct step_list *list, const struct step_event *e, int64_t last) {
    if (list->has_pending && e->step > list->pending.step) {
        bool is_within = list->pending.step > list->runs[list->run_count - 1].first_step;
        begin_run(p, list, is_within ? RUN_AFTER_RESTORE : RUN_NEW_SERIES, list->pending.step);
        process_append_step(list, &list->pending);
        phases_keep_pending(p, list);
        step_list_count_delta(list, e->step - list->pending.step);
        process_append_step(list, e);
        list->has_pending = false;
        return;
    }
    int64_t first = list->runs[list->run_count - 1].first_step;
    bool is_repeat = e->step >= last - 1 || (e->step > first && e->step >= last - 2);
    if (!is_repeat && !list->has_pending) {
        list->pending = *e;
        list->has_pending = true;
    }
}

static void add_step(struct process *p, struct step_list *list, const struct step_event *e) {
    if (list->count == 0) {
        begin_run(p, list, RUN_OF_PROCESS, e->step);
        process_append_step(list, e);
    } else {
        int64_t last = list->items[list->count - 1].step;
        if (e->step <= last && !list->is_restored) {
            add_backward_step(p, list, e, last);
            return;
        }
        if (list->is_restored)
            begin_run(p, list, RUN_AFTER_RESTORE, e->step);
        else
            step_list_count_delta(list, e->step - last);
        process_append_step(list, e);
    }
    list->has_pending = list->is_restored = false;
}

/* ---- intervals ---- */

/* Keeps the order of from_ms, ascending. On a tie the bucket that is first in the table comes last, so that it wins. */
static void add_overlay(struct process *p, struct overlay o) {
    o.from_ms = max_of(o.from_ms, p->settled_ms);
    if (o.to_ms <= o.from_ms)
        return;
    ROOM_AT_END(&p->overlays);
    size_t i = p->overlays.count++;
    for (; i > 0; i--) {
        const struct overlay *before = &p->overlays.items[i - 1];
        if (before->from_ms < o.from_ms || (before->from_ms == o.from_ms && before->bucket >= o.bucket))
            break;
        p->overlays.items[i] = *before;
    }
    p->overlays.items[i] = o;
}

static const uint8_t open_buckets[OPEN_KINDS] = {
    [OPEN_INIT] = BUCKET_ACCELERATOR_INIT,      [OPEN_PREPARATION] = BUCKET_TRAINING_PREPARATION,
    [OPEN_RESTORE] = BUCKET_CHECKPOINT_RESTORE, [OPEN_SAVE] = BUCKET_CHECKPOINT_SAVE,
    [OPEN_DATA] = BUCKET_DATA_LOADING,          [OPEN_EVALUATION] = BUCKET_EVALUATION,
    [OPEN_REINIT] = BUCKET_ELASTIC_REINIT,      [OPEN_WAIT] = BUCKET_ELASTIC_REINIT,
};

static void open_interval(struct process *p, enum open_kind kind, const struct record *r, int64_t at_ms) {
    p->open[kind] = (struct open_interval){at_ms, (uint32_t)r->line, r->is_async};
}

/* A duration never reaches back beyond the process's first line or the end of the last interval of its kind. */
static void add_by_duration(struct process *p, enum bucket bucket, const struct record *r, int64_t at_ms) {
    int64_t from = at_ms;
    if (r->duration_ms > 0 && p->first_record_ms != TIME_UNKNOWN) {
        int64_t floor = p->given.started_ms != TIME_UNKNOWN && p->given.started_ms < p->first_record_ms
                            ? p->given.started_ms
                            : p->first_record_ms;
        for (size_t i = p->overlays.count, tried = 0; i > 0 && tried < 8; i--, tried++)
            if (p->overlays.items[i - 1].bucket == bucket && p->overlays.items[i - 1].to_ms > floor)
                floor = p->overlays.items[i - 1].to_ms;
        from = r->duration_ms < at_ms - floor ? at_ms - r->duration_ms : floor;
    }
    add_overlay(p, (struct overlay){.from_ms = from,
                                    .to_ms = at_ms,
                                    .line = (uint32_t)r->line,
                                    .bucket = (uint8_t)bucket,
                                    .by_duration = true,
                                    .is_derived = r->is_derived});
}

static void close_interval(struct process *p, enum open_kind kind, const struct record *r, int64_t at_ms) {
    struct open_interval *open = &p->open[kind];
    if (r != NULL && r->duration_ms >= 0)
        add_by_duration(p, open_buckets[kind], r, at_ms);
    else if (open->from_ms != TIME_UNKNOWN)
        add_overlay(p, (struct overlay){
                           .from_ms = open->from_ms, .to_ms = at_ms, .line = open->line, .bucket = open_buckets[kind]});
    open->from_ms = TIME_UNKNOWN;
    if ((kind == OPEN_PREPARATION || kind == OPEN_RESTORE || kind == OPEN_INIT) && r != NULL)
        p->ready_ms = at_ms;
}

/* A step closes the intervals that must have ended before it, although no line reports their end. A line that reports
 * the end of a step may be late (MaxText), so it proves nothing about a save or an input wait. */
static void close_at_step(struct process *p, int64_t begin_ms, bool is_start) {
    static const enum open_kind kinds[] = {OPEN_INIT, OPEN_PREPARATION, OPEN_RESTORE, OPEN_SAVE, OPEN_DATA};
    for (size_t i = 0; i < (is_start ? ARRAY_SIZE(kinds) : 3); i++)
        if (p->open[kinds[i]].from_ms != TIME_UNKNOWN)
            close_interval(p, kinds[i], NULL, begin_ms);
}

/* A save known by its start and end alone may continue behind a step that states its time. */
static void end_save_at_step(struct process *p, int64_t begin_ms) {
    struct overlay *o = p->overlays.count > 0 ? &p->overlays.items[p->overlays.count - 1] : NULL;
    if (o == NULL || o->bucket != BUCKET_CHECKPOINT_SAVE || o->by_duration || o->to_ms <= begin_ms)
        return;
    o->to_ms = begin_ms;
    p->overlays.count -= begin_ms <= o->from_ms;
}

static size_t custom_index(struct process *p, const char *reported_name, int64_t at_ms) {
    struct custom_interval new = {.first_ms = at_ms, .open.from_ms = TIME_UNKNOWN};
    memcpy(new.name, reported_name, sizeof new.name - 1);
    for (size_t i = 0; i < p->custom.count; i++)
        if (strcmp(p->custom.items[i].name, new.name) == 0)
            return i;
    if (p->custom.count == PROCESS_CUSTOM_NAMES - 1)
        memcpy(new.name, "OTHER", sizeof "OTHER");
    if (p->custom.count == PROCESS_CUSTOM_NAMES)
        return PROCESS_CUSTOM_NAMES - 1;
    MEM_GROW(p->custom.items, p->custom.count, p->custom.capacity);
    p->custom.items[p->custom.count] = new;
    return p->custom.count++;
}

static void add_custom(struct process *p, const struct record *r, int64_t at_ms, bool is_end) {
    size_t i = custom_index(p, r->name, at_ms);
    struct open_interval *open = &p->custom.items[i].open;
    if (!is_end) {
        *open = (struct open_interval){at_ms, (uint32_t)r->line, false};
        return;
    }
    if (open->from_ms != TIME_UNKNOWN)
        add_overlay(p, (struct overlay){.from_ms = open->from_ms,
                                        .to_ms = at_ms,
                                        .line = open->line,
                                        .bucket = BUCKET_CUSTOM,
                                        .custom = (uint8_t)i});
    open->from_ms = TIME_UNKNOWN;
}

void process_add_overlay(struct process *p, const struct process *from, struct overlay o) {
    if (o.bucket == BUCKET_CUSTOM) {
        const struct custom_interval *custom = &from->custom.items[o.custom];
        o.custom = (uint8_t)custom_index(p, custom->name, custom->first_ms);
    }
    add_overlay(p, o);
}

/* ---- checkpoints ---- */

void process_add_durable(struct process *p, struct durable_mark d) {
    if (p->durables.count > 0)
        d.at_ms = max_of(d.at_ms, p->durables.items[p->durables.count - 1].at_ms);
    ROOM_AT_END(&p->durables);
    p->durables.items[p->durables.count++] = d;
}

static void add_durable(struct process *p, const struct record *r, int64_t at_ms, bool is_final) {
    p->saves.last_ms[is_final] = max_of(p->saves.last_ms[is_final], at_ms);
    int64_t step = r->step != RECORD_NONE ? r->step : p->saves.last_step;
    if (step == RECORD_NONE) {
        const struct step_list *list = p->ends.count > 0 ? &p->ends : &p->starts;
        if (list->count == 0)
            return;
        step = list->items[list->count - 1].step;
    }
    ROOM_AT_END(&p->durables);
    p->durables.items[p->durables.count++] = (struct durable_mark){at_ms, step, is_final};
}

static void add_save(struct process *p, const struct record *r, int64_t at_ms) {
    if (r->step != RECORD_NONE)
        p->saves.last_step = r->step;
    bool was_async = p->open[OPEN_SAVE].from_ms != TIME_UNKNOWN ? p->open[OPEN_SAVE].is_async : r->is_async;
    switch (r->kind) {
    case RECORD_SAVE_START:
        open_interval(p, OPEN_SAVE, r, at_ms);
        break;
    case RECORD_SAVE_BLOCKED:
        close_interval(p, OPEN_SAVE, r, at_ms);
        if (!was_async && !r->is_async)
            add_durable(p, r, at_ms, false);
        break;
    case RECORD_SAVE_WRITTEN:
        if (!was_async && p->open[OPEN_SAVE].from_ms != TIME_UNKNOWN)
            close_interval(p, OPEN_SAVE, NULL, at_ms);
        add_durable(p, r, at_ms, false);
        break;
    case RECORD_SAVE_DURABLE:
        if (!was_async && p->open[OPEN_SAVE].from_ms != TIME_UNKNOWN)
            close_interval(p, OPEN_SAVE, NULL, at_ms);
        add_durable(p, r, at_ms, true);
        break;
    default:
        p->saves.sigterm_ms = at_ms;
    }
}

/* ---- slices ---- */

void process_add_slices(struct process *p, struct slice_mark m) {
    const struct slice_mark *last = p->slices.count > 0 ? &p->slices.items[p->slices.count - 1] : NULL;
    if (last != NULL && last->active == m.active && last->total == m.total)
        return;
    if (last != NULL)
        m.at_ms = max_of(m.at_ms, last->at_ms);
    ROOM_AT_END(&p->slices);
    p->slices.items[p->slices.count++] = m;
}

/* ---- one record ---- */

static void add_training(struct process *p, const struct record *r, int64_t at_ms) {
    if (r->step == RECORD_NONE)
        return;
    bool has_duration = r->duration_ms >= 0 && r->duration_ms <= INT32_MAX;
    struct step_event e = {.at_ms = at_ms,
                           .step = r->step,
                           .line = (uint32_t)r->line,
                           .duration_ms = has_duration ? (int32_t)r->duration_ms : -1};
    bool is_start = r->kind == RECORD_STEP_START;
    p->is_derived |= r->is_derived;
    p->counts_lines |= r->counts_lines;
    if (is_start || has_duration)
        close_at_step(p, is_start ? at_ms : at_ms - r->duration_ms, is_start);
    if (!is_start && has_duration)
        end_save_at_step(p, at_ms - e.duration_ms);
    struct step_list *list = is_start ? &p->starts : &p->ends;
    add_step(p, list, &e);
    list->added++;
    if (r->same_write > 0)
        bursts_join(list, &e, r->same_write, p->settled_ms != TIME_UNKNOWN);
    p->resume_step = RECORD_NONE;
    p->ready_ms = TIME_UNKNOWN;
    p->job_end_ms = TIME_UNKNOWN;
}

static void add_restore(struct process *p, const struct record *r, int64_t at_ms) {
    if (r->step != RECORD_NONE)
        p->resume_step = r->step + 1;
    p->ends.is_restored = p->ends.count > 0;
    p->starts.is_restored = p->starts.count > 0;
    if (r->kind == RECORD_RESTORE_START)
        open_interval(p, OPEN_RESTORE, r, at_ms);
    else
        close_interval(p, OPEN_RESTORE, r, at_ms);
}

/* Records that begin and end a named interval. */
static const struct {
    enum record_kind start, end;
    enum open_kind kind;
} intervals[] = {
    {RECORD_INIT_START, RECORD_INIT_END, OPEN_INIT},
    {RECORD_PREPARATION_START, RECORD_PREPARATION_END, OPEN_PREPARATION},
    {RECORD_DATA_START, RECORD_DATA_END, OPEN_DATA},
    {RECORD_EVALUATION_START, RECORD_EVALUATION_END, OPEN_EVALUATION},
    {RECORD_ELASTIC_REINIT_START, RECORD_ELASTIC_REINIT_END, OPEN_REINIT},
    {RECORD_ELASTIC_WAIT_START, RECORD_ELASTIC_WAIT_END, OPEN_WAIT},
};

static void add_named(struct process *p, const struct record *r, int64_t at_ms) {
    for (size_t i = 0; i < ARRAY_SIZE(intervals); i++) {
        if (r->kind == intervals[i].start)
            open_interval(p, intervals[i].kind, r, at_ms);
        else if (r->kind == intervals[i].end)
            close_interval(p, intervals[i].kind, r, at_ms);
    }
}

static void add_known(struct process *p, const struct record *r, int64_t at_ms) {
    switch (r->kind) {
    case RECORD_JOB_END:
        p->job_end_ms = at_ms;
        break;
    case RECORD_STEP_START:
    case RECORD_STEP_END:
        add_training(p, r, at_ms);
        break;
    case RECORD_SAVE_START:
    case RECORD_SAVE_BLOCKED:
    case RECORD_SAVE_WRITTEN:
    case RECORD_SAVE_DURABLE:
    case RECORD_SAVE_ON_SIGTERM:
        add_save(p, r, at_ms);
        break;
    case RECORD_RESTORE_START:
    case RECORD_RESTORE_END:
        add_restore(p, r, at_ms);
        break;
    case RECORD_CUSTOM_START:
    case RECORD_CUSTOM_END:
        add_custom(p, r, at_ms, r->kind == RECORD_CUSTOM_END);
        break;
    case RECORD_COMPILE_END:
        add_by_duration(p, BUCKET_PROGRAM_STARTUP, r, at_ms);
        break;
    case RECORD_RESUME:
        p->resume_step = r->step;
        break;
    case RECORD_JOB_START: /* a second one in one log: a parent in the container restarted the trainer (torchrun) */
        p->ends.is_restored = p->ends.count > 0;
        p->starts.is_restored = p->starts.count > 0;
        p->job_end_ms = TIME_UNKNOWN;
        break;
    case RECORD_PHASE:
        phases_add(p, r);
        break;
    case RECORD_ELASTIC_SLICES:
        if (r->total > 0 && r->total <= INT32_MAX && r->active >= 0 && r->active <= r->total)
            process_add_slices(p, (struct slice_mark){at_ms, (int32_t)r->active, (int32_t)r->total, (uint32_t)r->line});
        break;
    default: /* a sign of life and unread steps have no other content */
        add_named(p, r, at_ms);
    }
}

/* The earliest time at which it may have trained. */
static int64_t start_ms(const struct process *p) {
    return p->given.started_ms != TIME_UNKNOWN ? p->given.started_ms : p->first_line_ms;
}

/* A line that is read twice (a follow that reconnected) counts once. Lines without a number always count. */
static bool is_seen(struct process *p, const struct record *r) {
    if (r->line <= 0)
        return false;
    if (r->line < p->lines.last)
        return true;
    if (r->line > p->lines.last)
        lines_seen_begin(&p->lines, r->line);
    return r->kind == RECORD_PHASE ? phases_is_seen(&p->lines, r) : lines_seen_note(&p->lines, r);
}

/* Called before the step is added: the FLOPs since the line before it. */
static void add_flops(const struct process *p, const struct record *r, int64_t at_ms, struct totals *totals) {
    const struct step_list *list = &p->ends;
    if (list->count == 0 || list->is_restored || r->step == RECORD_NONE)
        return;
    const struct step_event *last = &list->items[list->count - 1];
    totals_add_flops(totals, r->tflops_milli, r->step - last->step,
                     r->duration_ms >= 0 ? r->duration_ms : at_ms - last->at_ms);
}

/* The newest time of the steps, and of what must have ended before one. */
static int64_t last_step_ms(const struct process *p) {
    int64_t ms = max_of(max_of(p->ready_ms, p->settled_ms), p->job_end_ms);
    const struct step_list *lists[] = {&p->ends, &p->starts};
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        if (lists[i]->count > 0)
            ms = max_of(ms, lists[i]->items[lists[i]->count - 1].at_ms);
        if (lists[i]->has_pending)
            ms = max_of(ms, lists[i]->pending.at_ms);
    }
    return ms;
}

/* A record whose step is plausible. */
static void add_timed(struct process *p, const struct record *r, struct totals *totals) {
    int64_t at_ms = r->at_ms, received_ms = process_is_plausible(r->received_ms) ? r->received_ms : TIME_UNKNOWN;
    if (!process_is_plausible(at_ms) || (received_ms != TIME_UNKNOWN && at_ms > received_ms + RECEIVED_TOLERANCE_MS))
        at_ms = received_ms;
    if (p->last_ms != TIME_UNKNOWN && at_ms < p->last_ms) { /* TIME_UNKNOWN is less than any time */
        /* A bar's line comes when it is full: saves and evaluations that came later have their lines before it. */
        bool is_held = r->kind == RECORD_STEP_END && at_ms != TIME_UNKNOWN;
        at_ms = is_held ? max_of(at_ms, last_step_ms(p)) : p->last_ms;
    }
    if (at_ms == TIME_UNKNOWN)
        return;                  /* no time is known */
    if (at_ms < p->settled_ms) { /* TIME_UNKNOWN is less than any time */
        p->late_records++;
        return;
    }
    if (p->last_ms == TIME_UNKNOWN)
        p->first_line_ms = at_ms;
    p->last_ms = max_of(p->last_ms, at_ms);
    if (r->kind != RECORD_SIGN_OF_LIFE && p->first_record_ms == TIME_UNKNOWN)
        p->first_record_ms = r->kind == RECORD_UNREAD_STEPS ? start_ms(p) : at_ms;
    bool is_checkpoint = r->kind >= RECORD_SAVE_START && r->kind <= RECORD_RESTORE_END;
    if (is_checkpoint && p->first_checkpoint_ms == TIME_UNKNOWN)
        p->first_checkpoint_ms = at_ms;
    if (r->kind == RECORD_STEP_END && r->tflops_milli > 0)
        add_flops(p, r, at_ms, totals);
    if (r->kind >= RECORD_SAVE_START && r->kind <= RECORD_SAVE_DURABLE)
        totals_add_save(totals, p->saves.pending, r, at_ms);
    add_known(p, r, at_ms);
}

static void add_without_step(struct process *p, struct record r, struct totals *totals) {
    r.step = RECORD_NONE;
    add_timed(p, &r, totals);
}

void process_add(struct process *p, const struct record *r, struct totals *totals) {
    if ((unsigned)r->kind >= RECORD_KIND_COUNT || is_seen(p, r))
        return;
    if (r->step != RECORD_NONE && (r->step < 0 || r->step > PROCESS_MAX_STEP))
        add_without_step(p, *r, totals);
    else
        add_timed(p, r, totals);
}
