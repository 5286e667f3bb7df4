#include "fleet/slots.h"

#include "base/bisect.h"
#include "base/mem.h"

#include <string.h>

/* Calendar windows begin at days: they need no hours, but where the day itself is the window. */
int64_t slots_unit_ms(const struct roll_options *o) {
    return o->window == ROLL_WEEK || o->window == ROLL_MONTH ? ROLL_DAY_MS : ROLL_HOUR_MS;
}

/* How many slots start at or before at_ms. */
static size_t place_of(const struct roll *roll, int64_t at_ms) {
    return BISECT(i, roll->slot_count, roll->slots[i].from_ms <= at_ms);
}

/* The first hour is two: of what was before the first roll-up nobody knows the nodes, of what came after all is known.
 */
static void span_of(const struct roll *roll, int64_t at_ms, int64_t *from_ms, int64_t *until_ms) {
    const struct roll_options *o = &roll->options;
    if (o->window == ROLL_FIXED) { /* all of the window is one */
        *from_ms = o->from_ms;
        *until_ms = o->until_ms;
        if (at_ms < o->until_ms)
            return;
        *from_ms = o->until_ms; /* counted, but not in the window */
        *until_ms = TIME_OPEN;
        return;
    }
    int64_t unit = slots_unit_ms(o), rest = at_ms % unit;
    *from_ms = at_ms - (rest < 0 ? rest + unit : rest);
    *until_ms = *from_ms + unit;
    if (roll->since_ms == TIME_UNKNOWN || roll->since_ms <= *from_ms || roll->since_ms >= *until_ms)
        return;
    *(at_ms < roll->since_ms ? until_ms : from_ms) = roll->since_ms;
}

struct roll_slot *slots_at(struct roll *roll, int64_t at_ms) {
    size_t i = roll->last_slot; /* a life is spread over one after the other */
    if (i + 1 < roll->slot_count && roll->slots[i].from_ms <= at_ms && roll->slots[i + 1].from_ms <= at_ms)
        i++;
    if (i >= roll->slot_count || roll->slots[i].from_ms > at_ms || roll->slots[i].until_ms <= at_ms)
        i = place_of(roll, at_ms) - 1; /* none: beyond all */
    roll->last_slot = i;
    if (i < roll->slot_count && roll->slots[i].until_ms > at_ms)
        return &roll->slots[i];
    roll->last_slot = ++i;
    MEM_GROW(roll->slots, roll->slot_count, roll->slot_capacity);
    memmove(&roll->slots[i + 1], &roll->slots[i], (roll->slot_count - i) * sizeof *roll->slots);
    roll->slot_count++;
    roll->slots[i] = (struct roll_slot){0};
    span_of(roll, at_ms, &roll->slots[i].from_ms, &roll->slots[i].until_ms);
    return &roll->slots[i];
}

struct sums *slots_sums(struct roll_slot *slot, int group) {
    for (size_t i = 0; i < slot->group_count; i++)
        if (slot->groups[i].group == group)
            return &slot->groups[i].sums;
    MEM_GROW(slot->groups, slot->group_count, slot->group_capacity);
    slot->groups[slot->group_count] = (struct roll_group){.group = group};
    return &slot->groups[slot->group_count++].sums;
}

struct roll_pool *slots_pool(struct roll_slot *slot, int pool) {
    for (size_t i = 0; i < slot->pool_count; i++)
        if (slot->pools[i].pool == pool)
            return &slot->pools[i];
    MEM_GROW(slot->pools, slot->pool_count, slot->pool_capacity);
    slot->pools[slot->pool_count] = (struct roll_pool){.pool = pool};
    return &slot->pools[slot->pool_count++];
}

void slots_free(struct roll_slot *slot) {
    free(slot->groups);
    free(slot->pools);
}

void slots_forget(struct roll *roll, int64_t from_ms) {
    size_t ended = 0;
    while (ended < roll->slot_count && roll->slots[ended].until_ms <= from_ms)
        slots_free(&roll->slots[ended++]);
    roll->slot_count -= ended;
    if (ended > 0)
        memmove(roll->slots, &roll->slots[ended], roll->slot_count * sizeof *roll->slots);
}

static void merge(struct roll_slot *to, struct roll_slot *from) {
    to->until_ms = from->until_ms;
    to->capacity_chip_ms += from->capacity_chip_ms;
    to->capacity_ms += from->capacity_ms;
    for (size_t i = 0; i < from->group_count; i++)
        sums_add(slots_sums(to, from->groups[i].group), &from->groups[i].sums);
    for (size_t i = 0; i < from->pool_count; i++) {
        struct roll_pool *pool = slots_pool(to, from->pools[i].pool);
        pool->node_ms += from->pools[i].node_ms;
        pool->failures += from->pools[i].failures;
    }
    slots_free(from);
}

bool slots_coarsen(struct roll *roll) {
    size_t older = (roll->slot_count + 1) / 2, kept = 0;
    if (roll->slot_count < 4)
        return false;
    for (size_t i = 0; i < roll->slot_count; i++) {
        bool is_second = i < older && i % 2 == 1;
        if (is_second)
            merge(&roll->slots[kept - 1], &roll->slots[i]);
        else
            roll->slots[kept++] = roll->slots[i];
    }
    roll->slot_count = kept;
    return true;
}
