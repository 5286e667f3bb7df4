/* One process in a checkpoint. It has up to some thousand steps, so each is coded as its difference from the step that
 * the ones before predict: most take two or three bytes. */
#include "ledger/checkpoint_process.h"
#include "ledger/checkpoint.h"
#include "ledger/lines_seen.h"
#include "ledger/phases.h"

#include "base/mem.h"

#define MAX_ITEMS 1000000
#define MIN_MS INT64_C(-62135596800000)
#define MAX_MS INT64_C(253402300799999)
#define MAX_STEP 1000000000

void checkpoint_time(struct codec *c, int64_t *ms) {
    codec_time(c, ms);
    if (*ms != TIME_UNKNOWN && *ms != TIME_OPEN && (*ms < MIN_MS || *ms > MAX_MS)) {
        c->failed = true;
        *ms = 0;
    }
}

void checkpoint_sum(struct codec *c, int64_t *v) {
    CODEC_INT(c, v, 0, CHECKPOINT_MAX_SUM);
}

/* Coded as 0 for RECORD_NONE, else as the step + 2. */
void checkpoint_step(struct codec *c, int64_t *v) {
    int64_t coded = *v == RECORD_NONE ? 0 : *v + 2;
    CODEC_INT(c, &coded, 0, (int64_t)MAX_STEP * 2);
    *v = coded == 0 ? RECORD_NONE : coded - 2;
}

/* Codes the number of elements and, when reading, allocates them. */
#define COUNTED(c, items, count, capacity)                                                                             \
    do {                                                                                                               \
        (count) = codec_count((c), (count), MAX_ITEMS);                                                                \
        if (codec_is_reading(c)) {                                                                                     \
            (capacity) = (count);                                                                                      \
            (items) = mem_alloc(((count) + 1) * sizeof *(items)); /* one more: never NULL */                           \
        }                                                                                                              \
    } while (0)

/* ---- steps ---- */

struct expected {
    int64_t at_ms, took_ms, step, apart, line, lines;
};

enum { SAME_STEP_DELTA = 1, SAME_LINE_DELTA = 2, SAME_DURATION = 4, STATES_DURATION = 8, FLAGS = 15 };

/* Of the list's first event visit_list() has the duration. */
static void visit_event(struct codec *c, struct step_event *e, struct expected *x, bool is_first) {
    int64_t took = e->at_ms - x->at_ms - x->took_ms, apart = e->step - x->step, lines = e->line - x->line;
    int64_t flags = (apart == x->apart ? SAME_STEP_DELTA : 0) | (lines == x->lines ? SAME_LINE_DELTA : 0) |
                    (took == 0 ? SAME_DURATION : 0) | (!is_first && e->duration_ms >= 0 ? STATES_DURATION : 0);
    int64_t stated = -1;
    CODEC_INT(c, &flags, 0, FLAGS);
    if (flags & SAME_STEP_DELTA)
        apart = x->apart;
    else
        CODEC_INT(c, &apart, -MAX_STEP, MAX_STEP);
    if (flags & SAME_LINE_DELTA)
        lines = x->lines;
    else
        CODEC_INT(c, &lines, -(int64_t)UINT32_MAX, (int64_t)UINT32_MAX);
    if (flags & SAME_DURATION)
        took = 0;
    else
        CODEC_INT(c, &took, -MAX_MS, MAX_MS);
    x->took_ms += took;
    if (flags & STATES_DURATION) { /* little less than the time since the line before */
        int64_t less = x->took_ms - e->duration_ms;
        CODEC_INT(c, &less, -MAX_MS, MAX_MS);
        stated = x->took_ms - less;
        c->failed |= stated < 0 || stated > INT32_MAX;
    }
    *x = (struct expected){x->at_ms + x->took_ms, x->took_ms, x->step + apart, apart, x->line + lines, lines};
    c->failed |= x->took_ms < 0 || x->at_ms > MAX_MS || x->step < 0 || x->step > MAX_STEP;
    if (c->failed)
        *x = (struct expected){0};
    if (codec_is_reading(c))
        *e = (struct step_event){x->at_ms, x->step, c->failed ? -1 : (int32_t)stated, (uint32_t)x->line};
}

/* Numbers that are not above the one before begin a run; no run is empty. */
static void check_runs(struct codec *c, const struct step_list *list) {
    bool is_whole = (list->count == 0) == (list->run_count == 0) && (list->count == 0 || list->runs[0].first == 0);
    for (size_t i = 0, r = 0; i < list->count && is_whole; i++) {
        bool begins = r < list->run_count && list->runs[r].first == i;
        r += begins;
        is_whole = begins || list->items[i].step > list->items[i - 1].step;
        if (i + 1 == list->count)
            is_whole = is_whole && r == list->run_count;
    }
    c->failed |= !is_whole;
}

static void visit_list(struct codec *c, struct step_list *list) {
    COUNTED(c, list->items, list->count, list->capacity);
    const struct step_event *first = list->count > 0 ? list->items : NULL;
    int64_t at_ms = first ? first->at_ms : 0, duration_ms = first ? first->duration_ms : 0;
    checkpoint_time(c, &at_ms);
    c->failed |= at_ms == TIME_UNKNOWN || at_ms == TIME_OPEN;
    struct expected x = {.at_ms = c->failed ? 0 : at_ms};
    for (size_t i = 0; i < list->count; i++)
        visit_event(c, &list->items[i], &x, i == 0);
    CODEC_INT(c, &duration_ms, -1, INT32_MAX);
    if (list->count > 0)
        list->items[0].duration_ms = (int32_t)duration_ms;
    COUNTED(c, list->runs, list->run_count, list->run_capacity);
    for (size_t i = 0; i < list->run_count; i++) {
        struct run_mark *m = &list->runs[i];
        CODEC_INT(c, &m->first, 0, MAX_ITEMS);
        CODEC_INT(c, &m->reason, 0, RUN_NEW_SERIES);
        checkpoint_step(c, &m->resume_step);
        checkpoint_time(c, &m->ready_ms);
        checkpoint_step(c, &m->first_step);
        c->failed |= m->first_step == RECORD_NONE || m->ready_ms == TIME_OPEN;
    }
    codec_bool(c, &list->has_pending);
    codec_bool(c, &list->is_restored);
    checkpoint_step(c, &list->pending.step);
    checkpoint_time(c, &list->pending.at_ms);
    CODEC_INT(c, &list->pending.line, 0, UINT32_MAX);
    CODEC_INT(c, &list->pending.duration_ms, -1, INT32_MAX);
    checkpoint_sum(c, &list->added);
    checkpoint_sum(c, &list->in_bursts);
    CODEC_INT(c, &list->apart, 0, MAX_STEP);
    for (size_t i = 0; i < ARRAY_SIZE(list->deltas); i++) {
        CODEC_INT(c, &list->deltas[i].delta, -MAX_STEP, MAX_STEP);
        checkpoint_sum(c, &list->deltas[i].count);
    }
    if (list->has_pending && (list->count == 0 || list->pending.step == RECORD_NONE ||
                              list->pending.at_ms < list->items[list->count - 1].at_ms || list->pending.at_ms > MAX_MS))
        c->failed = true;
    if (!c->failed)
        check_runs(c, list);
}

/* ---- intervals ---- */

struct reached {
    int64_t from_ms, line, lines;
};

static void visit_overlay(struct codec *c, struct overlay *o, struct reached *x) {
    int64_t since = o->from_ms - x->from_ms, took = o->to_ms - o->from_ms, lines = o->line - x->line;
    int64_t kind = (int64_t)o->bucket * 4 + o->by_duration * 2 + (lines == x->lines), kinds = BUCKET_COUNT * 4;
    kind += o->is_derived * kinds;
    CODEC_INT(c, &kind, 0, 2 * kinds - 1);
    bool is_derived = kind >= kinds;
    kind %= kinds;
    CODEC_INT(c, &since, MIN_MS, MAX_MS);
    CODEC_INT(c, &took, 1, MAX_MS);
    if (kind % 2)
        lines = x->lines;
    else
        CODEC_INT(c, &lines, -(int64_t)UINT32_MAX, (int64_t)UINT32_MAX);
    *x = (struct reached){x->from_ms + since, x->line + lines, lines};
    c->failed |= x->from_ms + took > MAX_MS || x->from_ms < MIN_MS;
    if (c->failed)
        *x = (struct reached){0};
    if (codec_is_reading(c))
        *o = (struct overlay){.from_ms = x->from_ms,
                              .to_ms = x->from_ms + took,
                              .line = (uint32_t)x->line,
                              .bucket = (uint8_t)(kind / 4),
                              .by_duration = kind / 2 % 2,
                              .is_derived = is_derived};
    if (o->bucket == BUCKET_CUSTOM)
        CODEC_INT(c, &o->custom, 0, PROCESS_CUSTOM_NAMES - 1);
}

static void visit_overlays(struct codec *c, struct process *p) {
    struct reached x = {0};
    COUNTED(c, p->overlays.items, p->overlays.count, p->overlays.capacity);
    for (size_t i = 0; i < p->overlays.count; i++) {
        visit_overlay(c, &p->overlays.items[i], &x);
        c->failed |= i > 0 && p->overlays.items[i].from_ms < p->overlays.items[i - 1].from_ms;
    }
}

static void visit_open(struct codec *c, struct open_interval *open) {
    checkpoint_time(c, &open->from_ms);
    if (open->from_ms == TIME_UNKNOWN)
        return;
    CODEC_INT(c, &open->line, 0, UINT32_MAX);
    codec_bool(c, &open->is_async);
}

static void visit_durables(struct codec *c, struct process *p) {
    COUNTED(c, p->durables.items, p->durables.count, p->durables.capacity);
    for (size_t i = 0; i < p->durables.count; i++) {
        checkpoint_time(c, &p->durables.items[i].at_ms);
        checkpoint_step(c, &p->durables.items[i].step);
        codec_bool(c, &p->durables.items[i].is_final);
        c->failed |= p->durables.items[i].step == RECORD_NONE;
    }
}

static void visit_slices(struct codec *c, struct process *p) {
    COUNTED(c, p->slices.items, p->slices.count, p->slices.capacity);
    for (size_t i = 0; i < p->slices.count; i++) {
        struct slice_mark *m = &p->slices.items[i];
        checkpoint_time(c, &m->at_ms);
        CODEC_INT(c, &m->total, 0, INT32_MAX);
        CODEC_INT(c, &m->active, 0, m->total);
        CODEC_INT(c, &m->line, 0, UINT32_MAX);
        c->failed |= i > 0 && m->at_ms < p->slices.items[i - 1].at_ms;
    }
}

void checkpoint_process(struct codec *c, struct process *p) {
    int64_t *times[] = {&p->given.started_ms, &p->given.ended_ms,      &p->settled_ms,
                        &p->ready_ms,         &p->first_record_ms,     &p->last_ms,
                        &p->job_end_ms,       &p->first_checkpoint_ms, &p->saves.sigterm_ms};
    codec_u64(c, &p->id);
    codec_text(c, &p->name, LEDGER_TEXT_SIZE);
    CODEC_INT(c, &p->given.line_lag, -1, 1000);
    for (size_t i = 0; i < ARRAY_SIZE(times); i++)
        checkpoint_time(c, times[i]);
    visit_list(c, &p->ends);
    visit_list(c, &p->starts);
    visit_overlays(c, p);
    visit_durables(c, p);
    for (int i = 0; i < OPEN_WAIT; i++)
        visit_open(c, &p->open[i]);
    p->custom.count = codec_count(c, p->custom.count, PROCESS_CUSTOM_NAMES);
    for (size_t i = 0; i < p->custom.count; i++) {
        MEM_GROW(p->custom.items, i, p->custom.capacity);
        if (codec_is_reading(c))
            p->custom.items[i] = (struct custom_interval){0};
        codec_chars(c, p->custom.items[i].name, RECORD_NAME_SIZE);
        checkpoint_time(c, &p->custom.items[i].first_ms);
        visit_open(c, &p->custom.items[i].open);
    }
    for (size_t i = 0; i < p->overlays.count; i++)
        c->failed |= p->overlays.items[i].bucket == BUCKET_CUSTOM && p->overlays.items[i].custom >= p->custom.count;
    checkpoint_step(c, &p->resume_step);
    checkpoint_step(c, &p->saves.last_step);
    codec_i64(c, &p->lines.last);
    lines_seen_hash(&p->lines);
    CODEC_INT(c, &p->lines.hash_count, 0, INT32_MAX - 1);
    for (int i = 0; i < 8 && i < p->lines.hash_count; i++)
        codec_u64(c, &p->lines.hashes[i]);
    CODEC_INT(c, &p->lines.phases, 0, INT32_MAX);
    checkpoint_sum(c, &p->late_records);
    codec_bool(c, &p->is_thinned);
    codec_bool(c, &p->is_derived);
    codec_bool(c, &p->counts_lines);
    visit_open(c, &p->open[OPEN_WAIT]);
    visit_slices(c, p);
    checkpoint_time(c, &p->first_line_ms);
    for (int i = 0; i < PROCESS_SAVINGS; i++) {
        checkpoint_step(c, &p->saves.pending[i].step);
        checkpoint_time(c, &p->saves.pending[i].from_ms);
        codec_bool(c, &p->saves.pending[i].is_async);
        codec_bool(c, &p->saves.pending[i].is_written);
    }
    for (int i = 0; i < 2; i++)
        checkpoint_time(c, &p->saves.last_ms[i]);
    phases_visit(c, p);
}
