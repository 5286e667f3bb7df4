#include "fleet/slots.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/minmax.h"

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

struct roll_slot *slots_insert(struct roll *roll, int64_t from_ms, int64_t until_ms) {
    size_t i = place_of(roll, from_ms);
    MEM_GROW(roll->slots, roll->slot_count, roll->slot_capacity);
    memmove(&roll->slots[i + 1], &roll->slots[i], (roll->slot_count - i) * sizeof *roll->slots);
    roll->slot_count++;
    roll->slots[i] = (struct roll_slot){.from_ms = from_ms, .until_ms = until_ms};
    return &roll->slots[i];
}

struct roll_slot *slots_at(struct roll *roll, int64_t at_ms) {
    at_ms = max_of(at_ms, roll->closed_until_ms);
    size_t i = roll->last_slot; /* a life is spread over one after the other */
    if (i + 1 < roll->slot_count && roll->slots[i].from_ms <= at_ms && roll->slots[i + 1].from_ms <= at_ms)
        i++;
    if (i >= roll->slot_count || roll->slots[i].from_ms > at_ms || roll->slots[i].until_ms <= at_ms)
        i = place_of(roll, at_ms) - 1; /* none: beyond all */
    roll->last_slot = i;
    if (i < roll->slot_count && roll->slots[i].until_ms > at_ms)
        return &roll->slots[i];
    int64_t from_ms, until_ms;
    span_of(roll, at_ms, &from_ms, &until_ms);
    roll->last_slot = i + 1;
    return slots_insert(roll, from_ms, until_ms);
}

int slots_pool_place(struct roll *roll, const char *name) {
    for (int i = 0; i < roll->pool_count; i++)
        if (strcmp(roll->pools[i], name) == 0)
            return i;
    if (roll->pool_count == ROLL_POOLS)
        return -1;
    roll->pools[roll->pool_count] = mem_strdup(name);
    return roll->pool_count++;
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

int64_t slots_archived_until(const struct roll *roll) {
    return roll->archived_count > 0 ? roll->archived[roll->archived_count - 1].until_ms : 0;
}

size_t slots_ended(const struct roll *roll, int64_t until_ms) {
    size_t ended = 0;
    while (ended < roll->slot_count && roll->slots[ended].until_ms <= until_ms)
        ended++;
    return ended;
}

void slots_forget(struct roll *roll, int64_t from_ms) {
    size_t ended = slots_ended(roll, from_ms), archived = 0;
    for (size_t i = 0; i < ended; i++)
        slots_free(&roll->slots[i]);
    roll->slot_count -= ended;
    if (ended > 0)
        memmove(roll->slots, &roll->slots[ended], roll->slot_count * sizeof *roll->slots);
    while (archived < roll->archived_count && roll->archived[archived].until_ms <= from_ms)
        archived++;
    roll->archived_count -= archived;
    if (archived > 0)
        memmove(roll->archived, &roll->archived[archived], roll->archived_count * sizeof *roll->archived);
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

void slots_close(struct roll *roll, int64_t until_ms) {
    size_t first = slots_ended(roll, slots_archived_until(roll)), last = slots_ended(roll, until_ms), kept = first;
    for (size_t i = first; i < roll->slot_count; i++) {
        struct roll_slot *before = kept > first ? &roll->slots[kept - 1] : NULL, *slot = &roll->slots[i];
        int64_t day_ms = slot->from_ms / ROLL_DAY_MS * ROLL_DAY_MS;
        bool is_same_day =
            i < last && before != NULL && before->from_ms >= day_ms && slot->until_ms <= day_ms + ROLL_DAY_MS;
        if (is_same_day)
            merge(before, slot);
        else
            roll->slots[kept++] = *slot;
    }
    roll->slot_count = kept;
    roll->closed_until_ms = max_of(roll->closed_until_ms, until_ms);
}

/* Pairs of neighbors in [first, last) that are no longer than longest_ms together. */
static bool merge_pairs(struct roll *roll, size_t first, size_t last, int64_t longest_ms) {
    size_t kept = first;
    bool may_merge = false; /* the one before is not of two already */
    for (size_t i = first; i < roll->slot_count; i++) {
        struct roll_slot *slot = &roll->slots[i];
        if (may_merge && i < last && slot->until_ms - roll->slots[kept - 1].from_ms <= longest_ms) {
            merge(&roll->slots[kept - 1], slot);
            may_merge = false;
        } else {
            roll->slots[kept++] = *slot;
            may_merge = true;
        }
    }
    bool is_any = kept < roll->slot_count;
    roll->slot_count = kept;
    return is_any;
}

static int64_t window_ms(const struct roll_options *o) {
    int64_t ms = o->window == ROLL_ROLLING ? o->length_ms : o->window == ROLL_DAY ? ROLL_DAY_MS : ROLL_KEPT_MS;
    return o->longest_ms > 0 ? min_of(ms, o->longest_ms) : ms;
}

bool slots_coarsen(struct roll *roll) {
    size_t first = slots_ended(roll, roll->closed_until_ms), older = (roll->slot_count - first + 1) / 2;
    int64_t length_ms = window_ms(&roll->options);
    return merge_pairs(roll, first, first + older, length_ms / 7) ||
           merge_pairs(roll, first, roll->slot_count, length_ms / 7) ||
           merge_pairs(roll, first, roll->slot_count, length_ms / 3);
}

bool slots_coarsen_more(struct roll *roll) {
    size_t first = slots_ended(roll, roll->closed_until_ms);
    return merge_pairs(roll, first, roll->slot_count, INT64_MAX);
}
