/* Drops detail so that a checkpoint fits, whatever the log contains. */
#include "ledger/compact.h"
#include "ledger/phases.h"
#include "ledger/settle.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

#define ROUNDS (COMPACT_STEPS / 2)
#define MIN_TEXT 32

struct limits {
    size_t durations, snapshots, checkpoints, tail_steps, overlays, durables, steps, processes, text_bytes;
};

static size_t halved(size_t from, int times, size_t min) {
    return from >> times > min ? from >> times : min;
}

/* Each round halves what the one before left. */
static struct limits limits_of(int round) {
    return (struct limits){.durations = halved(512, round, 32),
                           .snapshots = round < ROUNDS - 1 ? halved(512, round, 0) : 0,
                           .checkpoints = halved(256, round, 0),
                           .tail_steps = halved(512, round, 4),
                           .overlays = halved(2048, round, 8),
                           .durables = halved(256, round, 2),
                           .steps = halved(4096, round, 16),
                           .processes = halved(256, round, 2),
                           .text_bytes = halved(1024, round, MIN_TEXT)};
}

/* ---- the settled part ---- */

/* Drops snapshots until no more than these are left: of the windows' grid every second one, of the checkpoints the
 * oldest. */
static void thin_snapshots(struct snapshots *k, size_t max_of_grid, size_t max_of_checkpoints) {
    size_t grid = 0, checkpoints = 0, n = 0, seen = 0, apart = 1;
    for (size_t i = 0; i < k->count; i++)
        *(k->items[i]->is_checkpoint ? &checkpoints : &grid) += 1;
    while (max_of_grid > 0 && grid / apart > max_of_grid)
        apart *= 2;
    for (size_t i = 0; i < k->count; i++) {
        struct kept_snapshot *snapshot = k->items[i];
        bool is_kept = snapshot->is_checkpoint ? checkpoints-- <= max_of_checkpoints
                                               : max_of_grid > 0 && seen++ % apart == apart - 1;
        if (is_kept)
            k->items[n++] = snapshot;
        else
            free(snapshot);
    }
    k->count = n;
}

/* Cuts a text so that no character is cut in two. */
static void shorten(char *text, size_t max_bytes) {
    if (text == NULL || strlen(text) <= max_bytes)
        return;
    while (max_bytes > 0 && ((unsigned char)text[max_bytes] & 0xc0) == 0x80)
        max_bytes--;
    memset(text + max_bytes, 0, strlen(text + max_bytes));
}

static void shorten_all(struct ledger *l, size_t max_bytes) {
    for (size_t i = 0; i < l->live_count; i++)
        shorten(l->live[i]->name, max_bytes);
    struct settled *s = ledger_settled(l);
    for (int i = 0; s != NULL && i < ACCOUNT_COUNT; i++)
        shorten(s->evidence[i], max_bytes);
    for (size_t i = 0; s != NULL && i < s->listed_count; i++) {
        struct ledger_disruption *d = &s->listed[i].cause;
        char *texts[] = {d->reason, d->evidence, d->node, d->node_pool};
        for (size_t k = 0; k < ARRAY_SIZE(texts); k++)
            shorten(texts[k], max_bytes);
    }
}

/* ---- the part that is not settled ---- */

/* Joins two successive intervals of one kind into one that starts with the first and is as long as both together. */
static bool join_overlays(struct process *p, size_t max) {
    const size_t count = p->overlays.count;
    size_t n = 0,
           last[BUCKET_COUNT][PROCESS_CUSTOM_NAMES] = {{0}}; /* 1 + the place of an interval that can be extended */
    if (count <= max)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct overlay o = p->overlays.items[i];
        size_t *place = &last[o.bucket][o.bucket == BUCKET_CUSTOM ? o.custom : 0];
        if (*place == 0) {
            p->overlays.items[n++] = o;
            *place = n;
            continue;
        }
        struct overlay *first = &p->overlays.items[*place - 1];
        if (o.from_ms >= first->to_ms) /* else it lies within the first */
            first->to_ms += o.to_ms - o.from_ms;
        else
            first->to_ms = max_of(first->to_ms, o.to_ms);
        *place = 0;
    }
    p->overlays.count = n;
    return n < count;
}

static void drop_slices(struct process *p, size_t max) {
    if (p->slices.count <= max)
        return;
    size_t dropped = p->slices.count - max; /* the oldest are dropped */
    p->slices.items += dropped;
    p->slices.skipped += dropped;
    p->slices.count = max;
    p->is_thinned = true;
}

static bool drop_durables(struct process *p, size_t max) {
    if (p->durables.count <= max)
        return false;
    size_t dropped = p->durables.count - max; /* the oldest: a rollback beyond them is prorated */
    p->durables.items += dropped;
    p->durables.skipped += dropped;
    p->durables.count = max;
    return true;
}

static void add_duration(struct step_event *to, const struct step_event *dropped) {
    int64_t sum = (int64_t)to->duration_ms + dropped->duration_ms;
    to->duration_ms = to->duration_ms < 0 || dropped->duration_ms < 0 || sum > INT32_MAX ? -1 : (int32_t)sum;
}

/* The step after a dropped one stands for both. A run keeps its first two steps and its last. If there are many runs,
 * every second one is dropped and its time is no longer attributed. The list always keeps its first two steps and its
 * last: the settled part continues from there. */
static bool thin_steps(struct step_list *list, struct phase_list *phases, size_t max) {
    size_t n = 0, runs = 0, count = list->count;
    bool drops_runs = list->run_count > max / 4;
    int64_t ready_ms = TIME_UNKNOWN; /* the end of what was dropped before a run: the run begins no earlier */
    if (count <= max)
        return false;
    CLEANUP_FREE size_t *moved = mem_resize(NULL, count + 1, sizeof *moved);
    for (size_t r = 0; r < list->run_count; r++) {
        size_t first = list->runs[r].first, end = r + 1 < list->run_count ? list->runs[r + 1].first : count;
        if (drops_runs && r % 2 == 1 && r + 1 < list->run_count) {
            ready_ms = list->items[end - 1].at_ms;
            for (size_t i = first; i < end; i++)
                moved[i] = SIZE_MAX;
            continue;
        }
        list->runs[runs] = list->runs[r];
        list->runs[runs].ready_ms = max_of(ready_ms, list->runs[r].ready_ms);
        list->runs[runs++].first = n;
        ready_ms = TIME_UNKNOWN;
        for (size_t i = first; i < end; i++) {
            moved[i] = n; /* the next one, if it is dropped */
            if (i < first + 2 || i + 2 >= end || (i - first) % 2 == 0)
                list->items[n++] = list->items[i];
            else
                add_duration(&list->items[i + 1], &list->items[i]);
        }
    }
    list->count = n;
    list->run_count = runs;
    if (phases != NULL)
        phases_move(phases, moved);
    return n < count;
}

static void thin_processes(struct ledger *l, const struct limits *m) {
    for (size_t i = 0; i < l->live_count; i++) {
        struct process *p = l->live[i];
        struct process_phases *phases = p->phases;
        while (join_overlays(p, m->overlays) || thin_steps(&p->ends, phases ? &phases->of_ends : NULL, m->steps) ||
               thin_steps(&p->starts, phases ? &phases->of_starts : NULL, m->steps))
            p->is_thinned = true;
        drop_durables(p, m->durables);
        drop_slices(p, m->durables);
    }
}

/* ---- many processes ---- */

/* begin_ms: none of these steps began before it. */
static void append_steps(struct step_list *to, const struct step_list *from, int64_t begin_ms) {
    size_t count = to->count + from->count;
    struct step_event *items = mem_alloc((count + 1) * sizeof *items);
    if (to->count > 0)
        memcpy(items, to->items, to->count * sizeof *items);
    if (from->count > 0)
        memcpy(items + to->count, from->items, from->count * sizeof *items);
    int64_t floor = to->count > 0 ? items[to->count - 1].at_ms : INT64_MIN;
    for (size_t i = to->count; i < count; i++)
        items[i].at_ms = floor = max_of(floor, items[i].at_ms);
    for (size_t i = 0; i < from->run_count; i++) {
        MEM_GROW(to->runs, to->run_count, to->run_capacity);
        struct run_mark *mark = &to->runs[to->run_count++];
        *mark = from->runs[i];
        mark->first += to->count;
        mark->ready_ms = max_of(mark->ready_ms, begin_ms);
    }
    free(to->items != NULL ? to->items - to->skipped : NULL);
    to->items = items;
    to->count = count;
    to->capacity = count + 1;
    to->skipped = 0;
    to->has_pending = false;
    to->is_restored = from->is_restored && count > 0;
    for (size_t i = 0; i < ARRAY_SIZE(from->deltas); i++)
        for (size_t k = 0; k < ARRAY_SIZE(to->deltas) && from->deltas[i].count > 0; k++)
            if (to->deltas[k].count == 0 || to->deltas[k].delta == from->deltas[i].delta) {
                to->deltas[k].delta = from->deltas[i].delta;
                to->deltas[k].count += from->deltas[i].count;
                break;
            }
}

/* The earlier process continues as if it were both. Custom intervals keep their names. */
static void absorb(struct process *p, const struct process *q) {
    phases_append(p, q->phases, p->ends.count, p->starts.count);
    append_steps(&p->ends, &q->ends, process_order_ms(q));
    append_steps(&p->starts, &q->starts, process_order_ms(q));
    for (size_t i = 0; i < q->overlays.count; i++)
        process_add_overlay(p, q, q->overlays.items[i]);
    for (size_t i = 0; i < q->durables.count; i++)
        process_add_durable(p, q->durables.items[i]);
    if (p->slices.count > 0)
        process_add_slices(p, (struct slice_mark){.at_ms = process_order_ms(q)});
    for (size_t i = 0; i < q->slices.count; i++)
        process_add_slices(p, q->slices.items[i]);
    for (int i = 0; i < OPEN_KINDS; i++)
        p->open[i] = q->open[i];
    for (size_t i = 0; i < p->custom.count; i++)
        p->custom.items[i].open.from_ms = TIME_UNKNOWN;
    p->given.ended_ms = q->given.ended_ms;
    p->resume_step = q->resume_step;
    p->ready_ms = q->ready_ms;
    p->saves.last_step = q->saves.last_step;
    memcpy(p->saves.pending, q->saves.pending, sizeof p->saves.pending);
    p->job_end_ms = q->job_end_ms;
    p->saves.sigterm_ms = max_of(p->saves.sigterm_ms, q->saves.sigterm_ms);
    for (int i = 0; i < 2; i++)
        p->saves.last_ms[i] = max_of(p->saves.last_ms[i], q->saves.last_ms[i]);
    p->last_ms = max_of(p->last_ms, q->last_ms);
    if (p->first_record_ms == TIME_UNKNOWN)
        p->first_record_ms = q->first_record_ms;
    if (p->first_checkpoint_ms == TIME_UNKNOWN)
        p->first_checkpoint_ms = q->first_checkpoint_ms;
    p->late_records += q->late_records;
    p->is_thinned = true;
}

/* Joins each of the oldest processes with the one after it, until `max` are left. They are in order of their start, so
 * an unknown process that began before the last joined one is part of one of them: ledger_add_process. The newest is
 * never joined: its log is being read. */
static void join_processes(struct ledger *l, size_t max) {
    size_t n = 0, over = l->live_count > max ? l->live_count - max : 0;
    for (size_t i = 0; i < l->live_count; i++) {
        struct process *p = l->live[n++] = l->live[i];
        struct process *q = over > 0 && i + 2 < l->live_count ? l->live[i + 1] : NULL;
        if (q == NULL)
            continue;
        absorb(p, q);
        l->folded_ms = max_of(l->folded_ms, process_order_ms(q));
        l->processes[q->ordinal] = NULL;
        process_free(q);
        over--;
        i++;
    }
    l->live_count = n;
}

/* ---- the whole ---- */

void compact_step(struct ledger *l, int step) {
    struct limits m = limits_of(step / 2);
    ledger_sort_processes(l);
    if (step % 2 == 0) {
        ledger_settle_to(l, l->evaluated_ms, m.tail_steps);
        struct settled *settled = ledger_settled(l);
        if (settled != NULL) {
            durations_coarsen(&settled->durations, m.durations);
            thin_snapshots(&settled->snapshots, m.snapshots, m.checkpoints);
            settled_phases_thin(settled->phases, m.checkpoints);
        }
        return;
    }
    shorten_all(l, m.text_bytes);
    while (l->live_count > m.processes) {
        size_t before = l->live_count;
        join_processes(l, m.processes);
        if (l->live_count == before)
            break;
    }
    thin_processes(l, &m);
}
