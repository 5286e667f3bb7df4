#include "fleet/roll_archive.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "fleet/groups.h"
#include "fleet/roll_store.h"
#include "fleet/slots.h"

#include <errno.h>
#include <string.h>

#define MAX_TEXT_BYTES ((size_t)1 << 20)

/* ---- to the archive ---- */

void roll_archive_close(struct roll *roll, int64_t now_ms) {
    slots_close(roll, (now_ms - ROLL_KEPT_MS) / ROLL_DAY_MS * ROLL_DAY_MS);
}

const struct roll_slot *roll_archive_next(const struct roll *roll, int64_t from_ms, int64_t until_ms) {
    from_ms = max_of(from_ms, slots_archived_until(roll));
    until_ms = min_of(until_ms, roll->closed_until_ms);
    for (size_t i = 0; i < roll->slot_count; i++)
        if (roll->slots[i].from_ms >= from_ms && roll->slots[i].until_ms <= until_ms)
            return &roll->slots[i];
    return NULL;
}

/* A roll of this slot alone, and of the failures in its time. It borrows all. */
char *roll_archive_text(const struct roll *roll, uint64_t key, const struct roll_slot *slot) {
    bool is_coarse;
    struct roll_slot copy = *slot;
    struct roll part = *roll;
    CLEANUP_FREE struct roll_failure *failures = mem_alloc((roll->failure_count + 1) * sizeof *failures);
    map_init(&part.cursors, NULL);
    part.slots = &copy;
    part.slot_count = 1;
    part.archived_count = part.loser_count = part.failure_count = 0;
    part.closed_until_ms = 0;
    part.last_slot = 0;
    part.has_folded = false;
    part.since_ms = slot->from_ms;
    part.rolled_ms = slot->until_ms;
    part.failures = failures;
    for (size_t i = 0; i < roll->failure_count; i++)
        if (roll->failures[i].at_ms >= slot->from_ms && roll->failures[i].at_ms < slot->until_ms)
            failures[part.failure_count++] = roll->failures[i];
    char *text = roll_store(&part, key, MAX_TEXT_BYTES, &is_coarse);
    map_done(&part.cursors);
    return text;
}

void roll_archive_done(struct roll *roll, int64_t until_ms) {
    const struct roll_slot *slot;
    while ((slot = roll_archive_next(roll, 0, until_ms)) != NULL) {
        MEM_GROW(roll->archived, roll->archived_count, roll->archived_capacity);
        roll->archived[roll->archived_count++] = (struct roll_archived){slot->from_ms, slot->until_ms, true};
    }
}

/* ---- and back ---- */

const struct roll_archived *roll_archive_unread(const struct roll *roll) {
    for (size_t i = roll->archived_count; i-- > 0;)
        if (!roll->archived[i].is_read)
            return &roll->archived[i];
    return NULL;
}

static bool has_failure(const struct roll *roll, const struct roll_failure *f) {
    for (size_t i = 0; i < roll->failure_count; i++)
        if (roll->failures[i].id == f->id && roll->failures[i].execution == f->execution)
            return true;
    return false;
}

/* Before those that are there, which were found later. */
static void add_failures(struct roll *roll, struct roll *part) {
    for (size_t i = part->failure_count; i-- > 0 && roll->failure_count < ROLL_FAILURES;) {
        struct roll_failure *f = &part->failures[i];
        if (has_failure(roll, f))
            continue;
        MEM_GROW(roll->failures, roll->failure_count, roll->failure_capacity);
        memmove(&roll->failures[1], &roll->failures[0], roll->failure_count++ * sizeof *f);
        roll->failures[0] = *f;
        roll->failures[0].pool = f->pool >= 0 ? slots_pool_place(roll, part->pools[f->pool]) : -1;
        f->node = NULL; /* moved */
    }
}

static void add_groups(struct roll *roll, const struct roll *part, struct roll_slot *to) {
    const struct roll_slot *from = &part->slots[0];
    bool is_other_currency = strcmp(roll->currency, part->currency) != 0;
    for (size_t i = 0; i < from->group_count; i++) {
        struct sums sums = from->groups[i].sums;
        int group = from->groups[i].group;
        if (is_other_currency)
            sums_leave_out_costs(&sums);
        const char *name = group < part->group_count ? part->groups[group] : ROLL_OTHER;
        sums_add(slots_sums(to, roll_place_group(roll, name)), &sums);
    }
}

static void add_pools(struct roll *roll, const struct roll *part, struct roll_slot *to) {
    const struct roll_slot *from = &part->slots[0];
    for (size_t i = 0; i < from->pool_count; i++) {
        int pool =
            from->pools[i].pool < part->pool_count ? slots_pool_place(roll, part->pools[from->pools[i].pool]) : -1;
        if (pool < 0)
            continue;
        slots_pool(to, pool)->node_ms += from->pools[i].node_ms;
        slots_pool(to, pool)->failures += from->pools[i].failures;
    }
}

static void add_part(struct roll *roll, struct roll *part) {
    const struct roll_slot *from = &part->slots[0];
    struct roll_slot *to = slots_insert(roll, from->from_ms, from->until_ms);
    if (roll->currency[0] == '\0')
        memcpy(roll->currency, part->currency, sizeof part->currency);
    to->capacity_chip_ms = from->capacity_chip_ms;
    to->capacity_ms = from->capacity_ms;
    add_groups(roll, part, to);
    add_pools(roll, part, to);
    add_failures(roll, part);
}

int roll_archive_read(struct roll *roll, uint64_t key, const struct roll_archived *slot, struct slice text) {
    struct roll part;
    roll_init(&part, &roll->options);
    int r = roll_restore(&part, key, text);
    bool is_this =
        part.slot_count == 1 && part.slots[0].from_ms == slot->from_ms && part.slots[0].until_ms == slot->until_ms;
    if (r == 0 && !is_this)
        r = -EBADMSG;
    if (r == 0) {
        add_part(roll, &part);
        roll->archived[slot - roll->archived].is_read = true;
    }
    roll_done(&part);
    return r;
}
