#include "ledger/totals.h"

#include "ledger/checkpoint.h"
#include "ledger/checkpoint_process.h"
#include "ledger/evaluate.h"
#include "ledger/process.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

#define MAX_MILLI ((INT64_C(1) << 28) - 1)
#define MAX_MS INT64_C(86400000)
#define CLASSES (29 * 8)

/* The class of a value: its octave, and within it the eighth (three bits after the leading one). */
static int class_of(int64_t milli) {
    int octave = 63 - __builtin_clzll((unsigned long long)milli);
    int64_t eighth = octave >= 3 ? (milli >> (octave - 3)) & 7 : (milli << (3 - octave)) & 7;
    return octave * 8 + (int)eighth;
}

static struct ledger_flops *item_of(struct totals *t, int class) {
    size_t at = 0;
    while (at < t->count && t->items[at].class < class)
        at++;
    if (at < t->count && t->items[at].class == class)
        return &t->items[at];
    MEM_GROW(t->items, t->count, t->capacity);
    memmove(&t->items[at + 1], &t->items[at], (t->count - at) * sizeof *t->items);
    t->count++;
    t->items[at] = (struct ledger_flops){.class = class};
    return &t->items[at];
}

void totals_add_flops(struct totals *t, int64_t tflops_milli, int64_t steps, int64_t took_ms) {
    if (tflops_milli <= 0 || steps <= 0 || took_ms <= 0 || took_ms > MAX_MS)
        return;
    int64_t milli = min_of(tflops_milli, MAX_MILLI);
    struct ledger_flops *x = item_of(t, class_of(milli));
    x->lines = min_of(x->lines + 1, CHECKPOINT_MAX_SUM);
    x->steps = min_of(x->steps + steps, CHECKPOINT_MAX_SUM);
    x->mflop = min_of(x->mflop + milli * took_ms, CHECKPOINT_MAX_SUM);
}

/* ---- saves ---- */

/* The save of this step; without a step the newest. */
static struct saving *saving_of(struct saving *saving, int64_t step) {
    for (int i = 0; i < PROCESS_SAVINGS; i++)
        if (saving[i].from_ms != TIME_UNKNOWN && (step == RECORD_NONE || saving[i].step == step))
            return &saving[i];
    return NULL;
}

static void drop_saving(struct saving *saving, struct saving *one) {
    for (; one + 1 < saving + PROCESS_SAVINGS; one++)
        one[0] = one[1];
    *one = (struct saving){.step = RECORD_NONE, .from_ms = TIME_UNKNOWN};
}

/* Adds a save as the first. If there is no room, the oldest is dropped: nothing was reported about it for long. */
static struct saving *begin_saving(struct saving *saving, const struct record *r, int64_t from_ms) {
    struct saving *same = r->step != RECORD_NONE ? saving_of(saving, r->step) : NULL;
    if (same != NULL)
        drop_saving(saving, same);
    memmove(&saving[1], &saving[0], (PROCESS_SAVINGS - 1) * sizeof *saving);
    saving[0] = (struct saving){.step = r->step, .from_ms = from_ms, .is_async = r->is_async};
    return &saving[0];
}

static void add_save(struct save_total *sum, const struct saving *one, int64_t at_ms) {
    if (at_ms < one->from_ms || at_ms - one->from_ms > MAX_MS || sum->ms > CHECKPOINT_MAX_SUM - MAX_MS)
        return;
    sum->count++;
    sum->ms += at_ms - one->from_ms;
}

/* A derived record (record.h) gives only the latest possible time: that save is not measured. */
void totals_add_save(struct totals *t, struct saving *saving, const struct record *r, int64_t at_ms) {
    if (r->kind == RECORD_SAVE_START) {
        begin_saving(saving, r, at_ms);
        return;
    }
    struct saving *one = saving_of(saving, r->step);
    bool is_end = r->kind == RECORD_SAVE_BLOCKED || r->kind == RECORD_SAVE_WRITTEN;
    if (is_end && r->duration_ms >= 0 && r->duration_ms <= MAX_MS) { /* it may have started before its start line */
        if (one == NULL)
            one = begin_saving(saving, r, at_ms - r->duration_ms);
        one->from_ms = min_of(one->from_ms, at_ms - r->duration_ms);
    }
    if (one == NULL)
        return;
    if (is_end) {
        bool is_written = r->kind == RECORD_SAVE_WRITTEN || (!one->is_async && !r->is_async);
        if (is_written && !one->is_written && !r->is_derived)
            add_save(&t->saves[0], one, at_ms);
        one->is_written |= is_written;
    } else if (r->kind == RECORD_SAVE_DURABLE) {
        if (!r->is_derived)
            add_save(&t->saves[1], one, at_ms);
        drop_saving(saving, one);
    }
}

struct save_total totals_saves(const struct totals *t) {
    return t->saves[t->saves[1].count > 0];
}

/* ---- checkpoints, results ---- */

void totals_visit(struct codec *c, struct totals *t) {
    size_t count = codec_count(c, t->count, CLASSES);
    for (size_t i = 0; i < count && !c->failed; i++) {
        if (codec_is_reading(c)) {
            MEM_GROW(t->items, t->count, t->capacity);
            t->items[t->count++] = (struct ledger_flops){0};
        }
        struct ledger_flops *x = &t->items[i];
        CODEC_INT(c, &x->class, 0, CLASSES - 1);
        checkpoint_sum(c, &x->lines);
        checkpoint_sum(c, &x->steps);
        checkpoint_sum(c, &x->mflop);
        c->failed |= i > 0 && x->class <= t->items[i - 1].class;
    }
    for (int i = 0; i < 2; i++) {
        checkpoint_sum(c, &t->saves[i].count);
        checkpoint_sum(c, &t->saves[i].ms);
        c->failed |= t->saves[i].count == 0 && t->saves[i].ms > 0;
    }
}

struct ledger_flops *totals_copy_flops(const struct totals *t) {
    if (t->count == 0)
        return NULL;
    struct ledger_flops *copy = mem_alloc(t->count * sizeof *copy);
    memcpy(copy, t->items, t->count * sizeof *copy);
    return copy;
}

void totals_done(struct totals *t) {
    free(t->items);
    *t = (struct totals){0};
}
