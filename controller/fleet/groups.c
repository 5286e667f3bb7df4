#include "fleet/groups.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "fleet/slots.h"

#include <string.h>

struct candidate {
    const char *name; /* borrowed from the input */
    int64_t chip_ms;
};

struct sizes { /* of the groups that have a place */
    int64_t chip_ms[ROLL_ROOM];
    bool has_member[ROLL_ROOM];
};

int roll_group(const struct roll *roll, const char *name) {
    for (int i = 0; i < roll->group_count && i < ROLL_ROOM; i++)
        if (strcmp(roll->groups[i], name) == 0)
            return i;
    return -1;
}

static int64_t size_of(const struct member *m, int64_t from_ms) {
    int64_t ms = m->has_time ? m->through_ms - max_of(m->start_ms, from_ms) : 0;
    return max_of(0, ms) * m->weight.chips;
}

static int by_size(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    return x->chip_ms != y->chip_ms ? (x->chip_ms < y->chip_ms ? 1 : -1) : strcmp(x->name, y->name);
}

/* Those without a place, each once. Members of a group share its name's pointer or its text. */
static size_t find_candidates(const struct roll *roll, const struct roll_input *input, int64_t from_ms,
                              struct candidate *out, struct sizes *sizes) {
    struct map by_name;
    size_t count = 0;
    map_init(&by_name, NULL);
    for (size_t i = 0; i < input->count; i++) {
        const struct roll_member *m = &input->members[i];
        if (!m->is_selected)
            continue;
        size_t at = (size_t)(uintptr_t)map_get(&by_name, slice_of(m->group));
        int place = at == 0 ? roll_group(roll, m->group) : -1;
        if (at == 0) {
            at = place >= 0 ? (size_t)place + 1 : ROLL_ROOM + ++count;
            map_put(&by_name, slice_of(m->group), (void *)(uintptr_t)at);
        }
        if (at <= ROLL_ROOM) {
            sizes->has_member[at - 1] = true;
            continue;
        }
        out[at - ROLL_ROOM - 1].name = m->group;
        out[at - ROLL_ROOM - 1].chip_ms += size_of(m->member, from_ms);
    }
    map_done(&by_name);
    qsort(out, count, sizeof *out, by_size);
    return count;
}

static void measure(const struct roll *roll, struct sizes *sizes) {
    for (size_t i = 0; i < roll->slot_count; i++)
        for (size_t k = 0; k < roll->slots[i].group_count; k++)
            if (roll->slots[i].groups[k].group < ROLL_ROOM)
                sizes->chip_ms[roll->slots[i].groups[k].group] += roll->slots[i].groups[k].sums.of[SUMS_WALL];
}

static void move_to_others(struct roll_slot *slot, int place) {
    for (size_t k = 0; k < slot->group_count; k++) {
        if (slot->groups[k].group != place)
            continue;
        struct sums sums = slot->groups[k].sums;
        slot->groups[k] = slot->groups[--slot->group_count];
        sums_add(slots_sums(slot, ROLL_ROOM), &sums);
        return;
    }
}

static void set_name(struct roll *roll, int place, const char *name) {
    free(roll->groups[place]);
    roll->groups[place] = mem_strdup(name);
}

/* Its past is among the others from now on. */
static void evict(struct roll *roll, int place) {
    for (size_t i = 0; i < roll->slot_count; i++)
        move_to_others(&roll->slots[i], place);
    for (size_t i = 0; i < roll->cursors.count; i++) {
        struct roll_cursor *c = map_at(&roll->cursors, i);
        c->group = c->group == place ? ROLL_ROOM : c->group;
    }
}

static void open_others(struct roll *roll) {
    for (; roll->group_count < ROLL_GROUPS; roll->group_count++)
        roll->groups[roll->group_count] = mem_strdup(roll->group_count == ROLL_ROOM ? ROLL_OTHER : "");
}

static bool has_others(const struct roll *roll) {
    for (size_t i = 0; i < roll->slot_count; i++)
        for (size_t k = 0; k < roll->slots[i].group_count; k++)
            if (roll->slots[i].groups[k].group == ROLL_ROOM)
                return true;
    return false;
}

/* Groups of which the window holds nothing any more. */
static void free_places(struct roll *roll, const struct sizes *sizes) {
    for (int i = 0; i < roll->group_count && i < ROLL_ROOM; i++) {
        bool is_empty = sizes->chip_ms[i] == 0 && !sizes->has_member[i] && roll->groups[i][0] != '\0';
        if (!is_empty)
            continue;
        evict(roll, i); /* ended jobs may still name it */
        set_name(roll, i, "");
    }
}

/* -1: no group has a place. */
static int find_smallest(const struct roll *roll, const struct sizes *sizes) {
    int smallest = -1;
    for (int i = 0; i < roll->group_count && i < ROLL_ROOM; i++)
        if (roll->groups[i][0] != '\0' && (smallest < 0 || sizes->chip_ms[i] < sizes->chip_ms[smallest]))
            smallest = i;
    return smallest;
}

static int count_placed(const struct roll *roll) {
    int count = 0;
    for (int i = 0; i < roll->group_count && i < ROLL_ROOM; i++)
        count += roll->groups[i][0] != '\0';
    return count;
}

static int find_free_place(struct roll *roll) {
    int free_place = roll_group(roll, "");
    if (count_placed(roll) >= roll->room || free_place >= 0)
        return count_placed(roll) < roll->room ? free_place : -1;
    roll->groups[roll->group_count] = mem_strdup("");
    return roll->group_count++;
}

/* A free place, else that of the smallest if the candidate is larger; -1: none. */
static int place_for(struct roll *roll, const struct candidate *c, const struct sizes *sizes) {
    int free_place = find_free_place(roll);
    if (free_place >= 0)
        return free_place;
    int smallest = find_smallest(roll, sizes);
    open_others(roll);
    if (smallest < 0 || sizes->chip_ms[smallest] >= c->chip_ms)
        return -1;
    evict(roll, smallest);
    return smallest;
}

int roll_place_group(struct roll *roll, const char *name) {
    int place = roll_group(roll, name);
    if (place >= 0)
        return place;
    place = strcmp(name, ROLL_OTHER) != 0 ? find_free_place(roll) : -1;
    if (place < 0) {
        open_others(roll);
        return ROLL_ROOM;
    }
    set_name(roll, place, name);
    return place;
}

bool roll_fold_group(struct roll *roll) {
    struct sizes *sizes = mem_new(struct sizes);
    measure(roll, sizes);
    int smallest = find_smallest(roll, sizes);
    free(sizes);
    if (smallest < 0)
        return false;
    roll->room = count_placed(roll) - 1;
    open_others(roll);
    evict(roll, smallest);
    set_name(roll, smallest, "");
    roll->has_folded = true;
    return true;
}

void roll_assign_groups(struct roll *roll, const struct roll_input *input, int64_t from_ms) {
    CLEANUP_FREE struct candidate *candidates = mem_alloc((input->count + 1) * sizeof *candidates);
    struct sizes *sizes = mem_new(struct sizes);
    size_t placed = 0, count = find_candidates(roll, input, from_ms, candidates, sizes);
    measure(roll, sizes);
    free_places(roll, sizes);
    for (int place; placed < count && (place = place_for(roll, &candidates[placed], sizes)) >= 0; placed++) {
        set_name(roll, place, candidates[placed].name);
        sizes->chip_ms[place] = candidates[placed].chip_ms;
    }
    roll->has_folded = placed < count || has_others(roll); /* those behind the first without a place are smaller */
    free(sizes);
}
