/* slots: lives into the number of slots that are available, running and pulling at each time. Cost: the lives are
 * sorted by radix, the changes summed per distinct time, so that 100,000 lives whose times are whole seconds stay
 * cheap. */
#include "ledger/timeline.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

/* ---- changes summed per time ---- */

struct change {
    int64_t at_ms;
    int64_t chips;
    int32_t available, running, pulling, largest_chips;
    bool is_used, is_replaced, is_restarted;
};

struct changes {
    struct change *table;
    size_t size, count;
    int64_t through_ms;
};

static size_t change_hash(int64_t at_ms, size_t mask) {
    uint64_t h = (uint64_t)at_ms * 0x9E3779B97F4A7C15u;
    return (size_t)(h >> 20) & mask;
}

static struct change *change_probe(struct changes *c, int64_t at_ms) {
    size_t mask = c->size - 1, i = change_hash(at_ms, mask);
    while (c->table[i].is_used && c->table[i].at_ms != at_ms)
        i = (i + 1) & mask;
    return &c->table[i];
}

static struct change *change_at(struct changes *c, int64_t at_ms) {
    if (c->count * 2 >= c->size) {
        struct changes old = *c;
        c->size = old.size ? old.size * 2 : 64;
        c->table = mem_alloc(c->size * sizeof *c->table);
        for (size_t i = 0; i < old.size; i++)
            if (old.table[i].is_used)
                *change_probe(c, old.table[i].at_ms) = old.table[i];
        free(old.table);
    }
    struct change *change = change_probe(c, at_ms);
    if (!change->is_used) {
        *change = (struct change){.at_ms = at_ms, .is_used = true};
        c->count++;
    }
    return change;
}

enum amount { AVAILABLE, RUNNING, PULLING };

static void add_amount(struct change *c, enum amount what, int32_t by) {
    if (what == AVAILABLE)
        c->available += by;
    else if (what == RUNNING)
        c->running += by;
    else
        c->pulling += by;
}

static void add_span(struct changes *c, enum amount what, int64_t from, int64_t to) {
    if (from == TIME_UNKNOWN || from >= to || from > c->through_ms)
        return;
    add_amount(change_at(c, from), what, 1);
    if (to <= c->through_ms)
        add_amount(change_at(c, to), what, -1);
}

/* ---- lives in order ---- */

static int64_t life_created(const struct life_fact *life) {
    return life->created_ms != TIME_UNKNOWN ? life->created_ms : life->bound_ms;
}

static uint64_t key_of(const struct life_fact *life, bool is_by_slot) {
    return is_by_slot ? life->slot : (uint64_t)life_created(life) ^ (UINT64_C(1) << 63);
}

/* Stable least-significant-digit radix sort of indices; digits that are all the same are skipped. */
static void radix_sort(const struct life_fact *lives, bool is_by_slot, uint32_t **order, uint32_t **spare,
                       size_t count) {
    uint64_t all_or = 0, all_and = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        all_or |= key_of(&lives[(*order)[i]], is_by_slot);
        all_and &= key_of(&lives[(*order)[i]], is_by_slot);
    }
    for (int shift = 0; shift < 64; shift += 8) {
        if ((((all_or ^ all_and) >> shift) & 255) == 0)
            continue;
        size_t starts[257] = {0};
        for (size_t i = 0; i < count; i++)
            starts[((key_of(&lives[(*order)[i]], is_by_slot) >> shift) & 255) + 1]++;
        for (int d = 0; d < 256; d++)
            starts[d + 1] += starts[d];
        for (size_t i = 0; i < count; i++)
            (*spare)[starts[(key_of(&lives[(*order)[i]], is_by_slot) >> shift) & 255]++] = (*order)[i];
        uint32_t *swap = *order;
        *order = *spare;
        *spare = swap;
    }
}

static int compare_ids(const void *a, const void *b, void *lives) {
    const struct life_fact *x = (const struct life_fact *)lives + *(const uint32_t *)a;
    const struct life_fact *y = (const struct life_fact *)lives + *(const uint32_t *)b;
    return (x->id > y->id) - (x->id < y->id);
}

static bool is_alike(const struct life_fact *x, const struct life_fact *y) {
    return x->slot == y->slot && life_created(x) == life_created(y);
}

/* The lives that had begun by through_ms, by slot, creation, id. */
static uint32_t *sorted_lives(const struct ledger *l, int64_t through_ms, size_t *ret_count) {
    size_t count = 0;
    const struct life_fact *lives = l->lives.items;
    uint32_t *order = mem_resize(NULL, l->lives.count + 1, sizeof *order);
    uint32_t *spare = mem_resize(NULL, l->lives.count + 1, sizeof *spare);
    for (size_t i = 0; i < l->lives.count; i++) {
        int64_t created = life_created(&lives[i]);
        if (created != TIME_UNKNOWN && created <= through_ms)
            order[count++] = (uint32_t)i;
    }
    radix_sort(lives, false, &order, &spare, count);
    radix_sort(lives, true, &order, &spare, count);
    free(spare);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && is_alike(&lives[order[i]], &lives[order[end]]); end++)
            ;
        if (end - i > 1)
            qsort_r(&order[i], end - i, sizeof *order, compare_ids, l->lives.items);
    }
    *ret_count = count;
    return order;
}

/* ---- gaps (restarts, outages) by life and time ---- */

struct gaps {
    struct life_gap *items;
    size_t count;
};

static int compare_gaps(const void *a, const void *b) {
    const struct life_gap *x = a, *y = b;
    if (x->life_id != y->life_id)
        return x->life_id < y->life_id ? -1 : 1;
    return (x->from_ms > y->from_ms) - (x->from_ms < y->from_ms);
}

static struct gaps sorted_gaps(const struct life_gap *items, size_t count) {
    struct gaps gaps = {mem_resize(NULL, count + 1, sizeof *items), count};
    if (count > 0) {
        memcpy(gaps.items, items, count * sizeof *items);
        qsort(gaps.items, count, sizeof *items, compare_gaps);
    }
    return gaps;
}

static size_t gaps_of(const struct gaps *gaps, uint64_t life_id) {
    size_t low = 0, high = gaps->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (gaps->items[middle].life_id < life_id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- one life ---- */

struct makers {
    struct changes changes;
    struct gaps restarts, outages;
};

/* The training containers within a span in which the slot is available. */
static void add_running(struct makers *m, const struct life_fact *life, int64_t from, int64_t to) {
    int64_t at = life->running_ms == TIME_UNKNOWN ? TIME_OPEN : max_of(from, life->running_ms);
    if (life->done_ms != TIME_UNKNOWN)
        at = min_of(at, max_of(from, life->done_ms));
    if (life->pull_start_ms != TIME_UNKNOWN) {
        int64_t pulled = life->pull_end_ms == TIME_UNKNOWN ? TIME_OPEN : life->pull_end_ms;
        add_span(&m->changes, PULLING, max_of(from, life->pull_start_ms), min_of(min_of(at, to), pulled));
    }
    for (size_t i = gaps_of(&m->restarts, life->id);
         i < m->restarts.count && m->restarts.items[i].life_id == life->id && at < to; i++) {
        const struct life_gap *down = &m->restarts.items[i];
        int64_t up = down->to_ms == TIME_UNKNOWN ? TIME_OPEN : down->to_ms;
        if (up <= at || up < down->from_ms || down->from_ms >= to)
            continue;
        if (down->from_ms > at)
            add_span(&m->changes, RUNNING, at, down->from_ms);
        if (down->from_ms >= from && down->from_ms <= m->changes.through_ms)
            change_at(&m->changes, down->from_ms)->is_restarted = true;
        at = max_of(at, up);
        if (life->done_ms != TIME_UNKNOWN && life->done_ms < at)
            at = max_of(down->from_ms, life->done_ms);
    }
    add_span(&m->changes, RUNNING, at, to);
}

static void add_available(struct makers *m, const struct life_fact *life, int64_t from, int64_t to) {
    for (size_t i = gaps_of(&m->outages, life->id);
         i < m->outages.count && m->outages.items[i].life_id == life->id && from < to; i++) {
        const struct life_gap *out = &m->outages.items[i];
        int64_t back = out->to_ms == TIME_UNKNOWN ? TIME_OPEN : out->to_ms;
        if (back <= from || out->from_ms >= to)
            continue;
        if (out->from_ms > from) {
            add_span(&m->changes, AVAILABLE, from, out->from_ms);
            add_running(m, life, from, out->from_ms);
        }
        from = back;
    }
    add_span(&m->changes, AVAILABLE, from, to);
    if (from < to)
        add_running(m, life, from, to);
}

/* superseded_ms: when the slot's next life began (TIME_OPEN: this is the newest). */
static void add_life(struct makers *m, const struct life_fact *life, int64_t superseded_ms) {
    if (life->bound_ms == TIME_UNKNOWN || life->bound_ms > m->changes.through_ms)
        return;
    int64_t lost = life->lost_ms == TIME_UNKNOWN ? TIME_OPEN : life->lost_ms;
    int64_t done = life->done_ms == TIME_UNKNOWN ? TIME_OPEN : max_of(life->done_ms, life->bound_ms);
    if (done <= lost) {
        add_available(m, life, life->bound_ms, superseded_ms);
    } else {
        add_available(m, life, life->bound_ms, min_of(lost, superseded_ms));
        add_available(m, life, done, superseded_ms);
    }
    bool is_cut = superseded_ms < lost && superseded_ms > life->bound_ms && superseded_ms < done;
    if (is_cut && superseded_ms <= m->changes.through_ms)
        change_at(&m->changes, superseded_ms)->is_replaced = true;
    int64_t released = life->released_ms == TIME_UNKNOWN ? TIME_OPEN : life->released_ms;
    if (life->chips > 0 && released > life->bound_ms) {
        struct change *bound = change_at(&m->changes, life->bound_ms);
        bound->chips += life->chips;
        bound->largest_chips = (int32_t)max_of(bound->largest_chips, life->chips);
        if (released <= m->changes.through_ms)
            change_at(&m->changes, released)->chips -= life->chips;
    }
}

/* ---- the timeline ---- */

static int compare_changes(const void *a, const void *b) {
    const struct change *x = a, *y = b;
    return (x->at_ms > y->at_ms) - (x->at_ms < y->at_ms);
}

static int compare_amounts(const void *a, const void *b) {
    const struct amount_from *x = a, *y = b;
    return (x->from_ms > y->from_ms) - (x->from_ms < y->from_ms);
}

static struct amount_from *sorted_amounts(const struct amount_from *items, size_t count) {
    struct amount_from *sorted = mem_resize(NULL, count + 1, sizeof *sorted);
    if (count > 0) {
        memcpy(sorted, items, count * sizeof *items);
        qsort(sorted, count, sizeof *items, compare_amounts);
    }
    return sorted;
}

/* The changes moved together and sorted, so that the table can be read as a list. */
static void sort_changes(struct changes *c) {
    size_t n = 0;
    for (size_t i = 0; i < c->size; i++)
        if (c->table[i].is_used)
            c->table[n++] = c->table[i];
    if (n > 1)
        qsort(c->table, n, sizeof *c->table, compare_changes);
}

static struct slot_timeline accumulate(const struct ledger *l, struct makers *m) {
    struct amount_from *required = sorted_amounts(l->required.items, l->required.count);
    struct amount_from *chips = sorted_amounts(l->required_chips.items, l->required_chips.count);
    struct slot_timeline t = {mem_resize(NULL, m->changes.count + 1, sizeof *t.items), 0};
    struct slot_state s = {.from_ms = INT64_MIN};
    s.chips_required = l->required_chips.count > 0 ? 0 : RECORD_NONE;
    size_t r = 0, k = 0;
    t.items[t.count++] = s;
    for (size_t i = 0; i < m->changes.count; i++) {
        const struct change *c = &m->changes.table[i];
        s.from_ms = c->at_ms;
        s.available += c->available;
        s.running += c->running;
        s.pulling += c->pulling;
        s.chips_allocated += c->chips;
        s.is_replaced = c->is_replaced;
        s.is_restarted = c->is_restarted;
        while (r < l->required.count && required[r].from_ms <= s.from_ms)
            s.required = required[r++].amount;
        while (k < l->required_chips.count && chips[k].from_ms <= s.from_ms)
            s.chips_required = chips[k++].amount;
        s.largest_chips = (int32_t)max_of(s.largest_chips, c->largest_chips);
        t.items[t.count++] = s;
    }
    free(required);
    free(chips);
    return t;
}

static struct slot_timeline make(const struct ledger *l) {
    const int64_t through_ms = TIME_OPEN - 1;
    struct makers m = {.changes.through_ms = through_ms,
                       .restarts = sorted_gaps(l->restarts.items, l->restarts.count),
                       .outages = sorted_gaps(l->outages.items, l->outages.count)};
    size_t count;
    uint32_t *order = sorted_lives(l, through_ms, &count);
    for (size_t i = 0; i < count; i++) {
        const struct life_fact *life = &l->lives.items[order[i]];
        const struct life_fact *next = i + 1 < count ? &l->lives.items[order[i + 1]] : NULL;
        add_life(&m, life, next != NULL && next->slot == life->slot ? life_created(next) : TIME_OPEN);
    }
    for (size_t i = 0; i < l->required.count; i++)
        if (l->required.items[i].from_ms <= through_ms)
            change_at(&m.changes, l->required.items[i].from_ms);
    for (size_t i = 0; i < l->required_chips.count; i++)
        if (l->required_chips.items[i].from_ms <= through_ms)
            change_at(&m.changes, l->required_chips.items[i].from_ms);
    sort_changes(&m.changes);
    struct slot_timeline t = accumulate(l, &m);
    free(order);
    free(m.changes.table);
    free(m.restarts.items);
    free(m.outages.items);
    return t;
}

const struct slot_timeline *slot_timeline_get(struct ledger *l) {
    if (!l->has_slots) {
        free(l->slots.items);
        l->slots = make(l);
        l->has_slots = true;
    }
    return &l->slots;
}

size_t slot_timeline_at(const struct slot_timeline *t, int64_t at_ms) {
    size_t low = 0, high = t->count;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (t->items[middle].from_ms <= at_ms)
            low = middle;
        else
            high = middle;
    }
    return low;
}
