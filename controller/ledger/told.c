#include "ledger/told.h"

#include "ledger/checkpoint.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

#define MOST_MILLI ((INT64_C(1) << 28) - 1)
#define MOST_MS INT64_C(86400000)
#define CLASSES (29 * 8)

/* The octave, and within it the eighth: three bits after the leading one. */
static int class_of(int64_t milli) {
    int octave = 63 - __builtin_clzll((unsigned long long)milli);
    int64_t eighth = octave >= 3 ? (milli >> (octave - 3)) & 7 : (milli << (3 - octave)) & 7;
    return octave * 8 + (int)eighth;
}

int64_t ledger_flops_least_milli(int class) {
    int64_t octave = class / 8, eighth = 8 + class % 8;
    return octave >= 3 ? eighth << (octave - 3) : (eighth + (INT64_C(1) << (3 - octave)) - 1) >> (3 - octave);
}

static struct ledger_flops *item_of(struct told *t, int class) {
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

void told_add(struct told *t, int64_t tflops_milli, int64_t steps, int64_t took_ms) {
    if (tflops_milli <= 0 || steps <= 0 || took_ms <= 0 || took_ms > MOST_MS)
        return;
    int64_t milli = min_of(tflops_milli, MOST_MILLI);
    struct ledger_flops *x = item_of(t, class_of(milli));
    x->lines = min_of(x->lines + 1, CHECKPOINT_MOST_SUM);
    x->steps = min_of(x->steps + steps, CHECKPOINT_MOST_SUM);
    x->mflop = min_of(x->mflop + milli * took_ms, CHECKPOINT_MOST_SUM);
}

void told_visit(struct codec *c, struct told *t) {
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
}

struct ledger_flops *told_copy(const struct told *t) {
    if (t->count == 0)
        return NULL;
    struct ledger_flops *copy = mem_alloc(t->count * sizeof *copy);
    memcpy(copy, t->items, t->count * sizeof *copy);
    return copy;
}

void told_done(struct told *t) {
    free(t->items);
    *t = (struct told){0};
}
