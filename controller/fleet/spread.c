#include "fleet/spread.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "fleet/slots.h"

#define MIN_SLOTS 4
#define MAX_SLOTS 1024

void spread_init(struct spread *s, struct roll *roll, int64_t from_ms, int64_t now_ms) {
    *s = (struct spread){.roll = roll, .unit_ms = slots_unit_ms(&roll->options)};
    int64_t rest = from_ms % s->unit_ms;
    s->base_ms = from_ms - (rest < 0 ? rest + s->unit_ms : rest);
    if (roll->options.window != ROLL_FIXED && now_ms > s->base_ms)
        s->count = (size_t)min_of((now_ms - s->base_ms) / s->unit_ms + 1, MAX_SLOTS);
}

/* Whether every slot between is there and none stands for several: makes those that are missing. */
static bool are_alike(struct spread *s, int64_t from_ms, int64_t until_ms) {
    if (from_ms >= s->alike_from_ms && until_ms <= s->alike_until_ms)
        return true;
    for (int64_t at_ms = from_ms; at_ms < until_ms; at_ms += s->unit_ms) {
        const struct roll_slot *slot = slots_at(s->roll, at_ms);
        if (slot->until_ms - slot->from_ms != s->unit_ms)
            return false;
    }
    bool touches = from_ms <= s->alike_until_ms && until_ms >= s->alike_from_ms;
    s->alike_from_ms = touches ? min_of(from_ms, s->alike_from_ms) : from_ms;
    s->alike_until_ms = touches ? max_of(until_ms, s->alike_until_ms) : until_ms;
    return true;
}

int64_t spread_over(struct spread *s, struct sums_change *change, int64_t from_ms, int64_t at_ms, int64_t until_ms,
                    int group) {
    int64_t first = (at_ms - s->base_ms) / s->unit_ms, last = (until_ms - 1 - s->base_ms) / s->unit_ms;
    double whole = (double)(until_ms - from_ms), each = (double)s->unit_ms / whole;
    bool is_at_slot = at_ms >= s->base_ms && at_ms == s->base_ms + first * s->unit_ms;
    if (!is_at_slot || last - first < MIN_SLOTS || last >= (int64_t)s->count ||
        !sums_change_is_ordinary(change, each) || !are_alike(s, at_ms, s->base_ms + last * s->unit_ms))
        return at_ms;
    if (s->rows[group] == NULL)
        s->rows[group] = mem_alloc((s->count + 1) * sizeof *s->rows[group]);
    sums_change_level(change, (double)(at_ms - from_ms) / whole, each, (size_t)(last - first), s->rows[group] + first);
    return s->base_ms + last * s->unit_ms;
}

void spread_done(struct spread *s) {
    for (int g = 0; g < ROLL_GROUPS; g++) {
        struct sums level = {0};
        for (size_t k = 0; s->rows[g] != NULL && k < s->count; k++) {
            bool is_any = false;
            for (int i = 0; i < SUMS_COUNT; i++) {
                level.of[i] += s->rows[g][k].of[i];
                is_any |= level.of[i] != 0;
            }
            if (is_any)
                sums_add(slots_sums(slots_at(s->roll, s->base_ms + (int64_t)k * s->unit_ms), g), &level);
        }
        free(s->rows[g]);
    }
}
