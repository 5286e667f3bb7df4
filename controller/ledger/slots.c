/* slots: the number of slots that are available, running and pulling at each time, from occupancies. The changes of all
 * occupancies are kept as one sum per distinct time. When a fact changes, the old changes of its occupancy are
 * subtracted and the new ones added. So an evaluation costs in proportion to the distinct times (mostly whole seconds),
 * not to the occupancies. */
#include "ledger/slots.h"

#include "base/bisect.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/minmax.h"

#include <assert.h>
#include <string.h>

#define THROUGH_MS (TIME_OPEN - 1)
enum { CHANGES_FIRST = 8 }; /* a job of one pod has four to six */

/* ---- changes summed per time ---- */

static struct slot_change *change_probe(const struct slot_changes *c, int64_t at_ms) {
    size_t mask = c->size - 1, i = (size_t)hash_local(0, HASH_BYTES(&at_ms)) & mask;
    while (c->table[i].is_used && c->table[i].did.at_ms != at_ms)
        i = (i + 1) & mask;
    return &c->table[i];
}

/* Grows the table, without the entries that are no longer used. */
static void changes_grow(struct slot_changes *c) {
    struct slot_changes old = *c;
    size_t live = 0;
    for (size_t i = 0; i < old.size; i++)
        live += old.table[i].uses > 0;
    c->count = 0;
    c->size = old.size ? old.size : CHANGES_FIRST;
    while (live * 2 >= c->size)
        c->size *= 2;
    c->table = mem_alloc(c->size * sizeof *c->table);
    for (size_t i = 0; i < old.size; i++)
        if (old.table[i].uses > 0) {
            *change_probe(c, old.table[i].did.at_ms) = old.table[i];
            c->count++;
        }
    free(old.table);
}

/* Adds an occupancy's changes (by = 1) or subtracts them (by = -1). */
struct maker {
    struct slot_changes *changes;
    int by;
    const struct time_span *unwatched;
    size_t unwatched_count;
    struct occupancy_gaps restarts, silences;
    int64_t settled_ms; /* of the occupancy */
};

/* Whether the past already holds the occupancy's changes at that time. */
static bool is_settled(const struct maker *m, int64_t at_ms) {
    return m->settled_ms > 0 && at_ms <= m->settled_ms;
}

static int64_t unsettled(const struct maker *m, int64_t from_ms) {
    return is_settled(m, from_ms) ? m->settled_ms : from_ms;
}

static struct slot_change *change_at(const struct maker *m, int64_t at_ms) {
    struct slot_changes *c = m->changes;
    if (c->count * 4 >= c->size * 3)
        changes_grow(c);
    struct slot_change *change = change_probe(c, at_ms);
    if (!change->is_used) {
        *change = (struct slot_change){.did.at_ms = at_ms, .is_used = true};
        c->count++;
    }
    change->uses += m->by;
    assert(change->uses >= 0);
    if (change->uses == 0)
        change->did.largest_chips = 0;
    return change;
}

enum amount { AVAILABLE, RUNNING, PULLING, SILENT, KNOWN };

static void add_amount(struct slot_change *c, enum amount what, int by) {
    int32_t *amounts[] = {[AVAILABLE] = &c->did.available,
                          [RUNNING] = &c->did.running,
                          [PULLING] = &c->did.pulling,
                          [SILENT] = &c->did.silent,
                          [KNOWN] = &c->did.known};
    *amounts[what] += by;
}

static void put_span(const struct maker *m, enum amount what, int64_t from, int64_t to, int by) {
    add_amount(change_at(m, from), what, by);
    if (to <= THROUGH_MS)
        add_amount(change_at(m, to), what, -by);
}

static void add_span(const struct maker *m, enum amount what, int64_t from, int64_t to) {
    if (from == TIME_UNKNOWN)
        return;
    from = unsettled(m, from);
    if (from < to && from <= THROUGH_MS)
        put_span(m, what, from, to, m->by);
}

/* The past says that the occupancy held its slot until it was settled. Since then it is known that it held it only
 * until `from`: subtracts the rest. */
static void take_back(const struct maker *m, const struct occupancy_fact *occupancy, int64_t from, bool is_silent) {
    put_span(m, AVAILABLE, from, m->settled_ms, -m->by);
    if (occupancy->running_ms != TIME_UNKNOWN && occupancy->running_ms <= from)
        put_span(m, RUNNING, from, m->settled_ms, -m->by);
    if (is_silent)
        put_span(m, SILENT, from, m->settled_ms, m->by);
    else
        change_at(m, from)->did.lost += m->by;
}

/* ---- gaps (restarts, silences) of an occupancy ---- */

static int compare_gaps(const void *a, const void *b) {
    const struct occupancy_gap *x = a, *y = b;
    return (x->from_ms > y->from_ms) - (x->from_ms < y->from_ms);
}

/* In time order; heap. */
static struct occupancy_gaps gaps_of(const struct gap_index *index, const struct occupancy_gap *all,
                                     uint64_t occupancy_id) {
    struct occupancy_gaps gaps = {0};
    size_t capacity = 0,
           at = index->occupancies.count > 0 ? key_index_find(&index->occupancies, occupancy_id, 0) : SIZE_MAX;
    for (uint32_t i = at != SIZE_MAX ? index->first[at] : 0; i > 0; i = all[i - 1].next) {
        MEM_GROW(gaps.items, gaps.count, capacity);
        gaps.items[gaps.count++] = all[i - 1];
    }
    if (gaps.count > 1)
        qsort(gaps.items, gaps.count, sizeof *gaps.items, compare_gaps);
    return gaps;
}

static void index_gap(struct gap_index *index, struct occupancy_gap *all, size_t position) {
    bool is_new;
    size_t at = key_index_put(&index->occupancies, all[position].occupancy_id, 0, &is_new);
    if (is_new && at >= index->capacity) {
        index->capacity = index->capacity ? index->capacity * 2 : 8;
        index->first = mem_resize(index->first, index->capacity, sizeof *index->first);
    }
    all[position].next = is_new ? 0 : index->first[at];
    index->first[at] = (uint32_t)position + 1;
}

static void index_done(struct gap_index *index) {
    key_index_done(&index->occupancies);
    free(index->first);
    *index = (struct gap_index){0};
}

/* ---- one occupancy ---- */

static int64_t occupancy_created(const struct occupancy_fact *occupancy) {
    return occupancy->created_ms != TIME_UNKNOWN ? occupancy->created_ms : occupancy->bound_ms;
}

/* The training containers within a span in which the slot is available. */
static void add_running(const struct maker *m, const struct occupancy_fact *occupancy, int64_t from, int64_t to) {
    int64_t at = occupancy->running_ms == TIME_UNKNOWN ? TIME_OPEN : max_of(from, occupancy->running_ms);
    if (occupancy->done_ms != TIME_UNKNOWN)
        at = min_of(at, max_of(from, occupancy->done_ms));
    if (occupancy->pull_start_ms != TIME_UNKNOWN) {
        int64_t pulled = occupancy->pull_end_ms == TIME_UNKNOWN ? TIME_OPEN : occupancy->pull_end_ms;
        add_span(m, PULLING, max_of(from, occupancy->pull_start_ms), min_of(min_of(at, to), pulled));
    }
    for (size_t i = 0; i < m->restarts.count && at < to; i++) {
        const struct occupancy_gap *down = &m->restarts.items[i];
        int64_t up = down->to_ms == TIME_UNKNOWN ? TIME_OPEN : down->to_ms;
        if (up <= at || up < down->from_ms || down->from_ms >= to)
            continue;
        if (down->from_ms > at)
            add_span(m, RUNNING, at, down->from_ms);
        if (down->from_ms >= from && down->from_ms <= THROUGH_MS && !is_settled(m, down->from_ms))
            change_at(m, down->from_ms)->did.restarted += m->by;
        at = max_of(at, up);
        if (occupancy->done_ms != TIME_UNKNOWN && occupancy->done_ms < at)
            at = max_of(down->from_ms, occupancy->done_ms);
    }
    add_span(m, RUNNING, at, to);
}

static void add_available(const struct maker *m, const struct occupancy_fact *occupancy, int64_t from, int64_t to) {
    for (size_t i = 0; i < m->silences.count && from < to; i++) {
        const struct occupancy_gap *quiet = &m->silences.items[i];
        int64_t heard = quiet->to_ms == TIME_UNKNOWN ? TIME_OPEN : quiet->to_ms;
        if (heard <= from || heard <= quiet->from_ms || quiet->from_ms >= to)
            continue;
        if (quiet->from_ms > from) {
            add_span(m, AVAILABLE, from, quiet->from_ms);
            add_running(m, occupancy, from, quiet->from_ms);
        }
        add_span(m, SILENT, max_of(from, quiet->from_ms), min_of(heard, to));
        if (occupancy->held == LEDGER_HELD_BY_IT && quiet->from_ms < m->settled_ms && min_of(heard, to) > m->settled_ms)
            take_back(m, occupancy, max_of(from, quiet->from_ms), true);
        from = heard;
    }
    add_span(m, AVAILABLE, from, to);
    if (from < to)
        add_running(m, occupancy, from, to);
}

static void add_known(const struct maker *m, int64_t from, int64_t to) {
    for (size_t i = 0; i < m->unwatched_count; i++)
        add_span(m, KNOWN, max_of(from, m->unwatched[i].from_ms), min_of(to, m->unwatched[i].to_ms));
}

/* superseded_ms: the start of the slot's next occupancy (TIME_OPEN: this is the newest). */
static void add_occupancy(const struct maker *m, const struct occupancy_fact *occupancy, int64_t superseded_ms) {
    int64_t known = min_of(occupancy->known_until_ms, superseded_ms);
    if (m->unwatched_count > 0)
        add_known(m, occupancy_created(occupancy), known);
    if (occupancy->held == LEDGER_HELD_BY_ANOTHER && occupancy->older == 0)
        change_at(m, occupancy_created(occupancy))->did.replaced += m->by;
    if (occupancy->bound_ms == TIME_UNKNOWN || occupancy->bound_ms > THROUGH_MS)
        return;
    int64_t lost = occupancy->lost_ms == TIME_UNKNOWN ? TIME_OPEN : occupancy->lost_ms;
    int64_t done = occupancy->done_ms == TIME_UNKNOWN ? TIME_OPEN : max_of(occupancy->done_ms, occupancy->bound_ms);
    if (occupancy->done_ms != TIME_UNKNOWN && done <= lost) {
        add_available(m, occupancy, occupancy->bound_ms, known);
    } else {
        add_available(m, occupancy, occupancy->bound_ms, min_of(lost, known));
        add_available(m, occupancy, done, known);
    }
    bool is_lost = lost <= known && lost > occupancy->bound_ms && done > lost;
    if (is_lost && lost <= THROUGH_MS && !is_settled(m, lost))
        change_at(m, lost)->did.lost += m->by;
    if (occupancy->held == LEDGER_HELD_BY_IT && lost < m->settled_ms && done > lost && superseded_ms > m->settled_ms)
        take_back(m, occupancy, max_of(lost, occupancy->bound_ms), false);
    /* Also where it was lost at that very time: if the next one was bound at once, nothing else shows the change. */
    bool is_cut = superseded_ms <= lost && superseded_ms > occupancy->bound_ms && superseded_ms < done;
    if (is_cut && superseded_ms <= THROUGH_MS && !is_settled(m, superseded_ms))
        change_at(m, superseded_ms)->did.replaced += m->by;
    int64_t released = occupancy->released_ms == TIME_UNKNOWN ? TIME_OPEN : occupancy->released_ms;
    int64_t bound_ms = unsettled(m, occupancy->bound_ms);
    if (occupancy->chips > 0 && released > bound_ms && bound_ms <= THROUGH_MS) {
        struct ledger_change *bound = &change_at(m, bound_ms)->did;
        bound->chips += m->by * (int64_t)occupancy->chips;
        if (m->by > 0) /* not when subtracted: slots_moved handles that */
            bound->largest_chips = (int32_t)max_of(bound->largest_chips, occupancy->chips);
        if (released <= THROUGH_MS)
            change_at(m, released)->did.chips -= m->by * (int64_t)occupancy->chips;
    }
}

/* ---- the occupancies of a slot, from the newest to the oldest ---- */

static bool has_started(const struct occupancy_fact *occupancy) {
    int64_t created = occupancy_created(occupancy);
    return created != TIME_UNKNOWN && created <= THROUGH_MS;
}

static struct occupancy_fact *linked(const struct ledger *l, uint32_t link) {
    return link > 0 ? &l->occupancies.items[link - 1] : NULL;
}

static uint32_t *newest_of(struct ledger *l, uint32_t slot) {
    struct slot_occupancies *s = &l->slot_occupancies;
    bool is_new;
    size_t at = key_index_put(&s->slots, slot, 0, &is_new);
    if (is_new) {
        if (at >= s->capacity) {
            s->capacity = s->capacity ? s->capacity * 2 : 4;
            s->newest = mem_resize(s->newest, s->capacity, sizeof *s->newest);
        }
        s->newest[at] = 0;
    }
    return &s->newest[at];
}

static void make_into(struct slot_changes *changes, const struct ledger *l, const struct occupancy_fact *occupancy,
                      int by) {
    const struct slot_occupancies *s = &l->slot_occupancies;
    const struct occupancy_fact *newer = linked(l, occupancy->newer);
    struct maker m = {.changes = changes,
                      .by = by,
                      .unwatched = l->unwatched,
                      .unwatched_count = l->unwatched_count,
                      .restarts = gaps_of(&s->restarts, l->restarts.items, occupancy->id),
                      .silences = gaps_of(&s->silences, l->silences.items, occupancy->id),
                      .settled_ms = occupancy->settled_ms};
    add_occupancy(&m, occupancy, newer != NULL ? occupancy_created(newer) : TIME_OPEN);
    free(m.restarts.items);
    free(m.silences.items);
}

static void make(struct ledger *l, const struct occupancy_fact *occupancy, int by) {
    make_into(&l->slot_occupancies.changes, l, occupancy, by);
    l->occupancies_visited++;
}

/* Whether the start of the slot's next occupancy, no earlier than next_ms, changes what this one did. */
static bool ends_with_next(const struct ledger *l, const struct occupancy_fact *occupancy, int64_t next_ms) {
    return (l->unwatched_count > 0 && occupancy->known_until_ms > next_ms) || occupancy->lost_ms == TIME_UNKNOWN ||
           occupancy->lost_ms >= next_ms || occupancy->done_ms != TIME_UNKNOWN;
}

/* Links the occupancy `older`, if any, to the newer one. */
static void set_newer(struct ledger *l, uint32_t older, uint32_t newer, int64_t next_ms) {
    struct occupancy_fact *occupancy = linked(l, older);
    if (occupancy == NULL)
        return;
    bool is_changed = ends_with_next(l, occupancy, next_ms) || occupancy->held == LEDGER_HELD_BY_IT;
    if (is_changed)
        make(l, occupancy, -1);
    occupancy->newer = newer;
    if (is_changed)
        make(l, occupancy, 1);
}

/* Links the occupancy `newer`, if any, to the older one. */
static void set_older(struct ledger *l, uint32_t newer, uint32_t older) {
    struct occupancy_fact *occupancy = linked(l, newer);
    bool is_changed = occupancy->held == LEDGER_HELD_BY_ANOTHER;
    if (is_changed)
        make(l, occupancy, -1);
    occupancy->older = older;
    if (is_changed)
        make(l, occupancy, 1);
}

void slots_take(struct ledger *l, size_t position) {
    struct occupancy_fact *occupancy = &l->occupancies.items[position];
    l->has_slots = false;
    if (!l->slot_occupancies.is_made || !has_started(occupancy))
        return;
    make(l, occupancy, -1);
    set_newer(l, occupancy->older, occupancy->newer, occupancy_created(occupancy));
    if (occupancy->newer > 0)
        set_older(l, occupancy->newer, occupancy->older);
    else
        *newest_of(l, occupancy->slot) = occupancy->older;
    occupancy->older = occupancy->newer = 0;
}

/* In one slot: the one that was created first, on a tie the one that was lost, then bound, then running first. */
static int compare_ages(const struct occupancy_fact *x, const struct occupancy_fact *y) {
    const int64_t times[][2] = {{occupancy_created(x), occupancy_created(y)},
                                {x->lost_ms, y->lost_ms},
                                {x->bound_ms, y->bound_ms},
                                {x->running_ms, y->running_ms}};
    for (size_t i = 0; i < ARRAY_SIZE(times); i++)
        if (times[i][0] != times[i][1])
            return times[i][0] < times[i][1] ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

int slots_compare(const struct occupancy_fact *x, const struct occupancy_fact *y) {
    return x->slot != y->slot ? (x->slot < y->slot ? -1 : 1) : compare_ages(x, y);
}

void slots_put(struct ledger *l, size_t position) {
    struct occupancy_fact *occupancy = &l->occupancies.items[position];
    uint32_t link = (uint32_t)position + 1, newer = 0;
    if (!l->slot_occupancies.is_made || !has_started(occupancy))
        return;
    uint32_t *newest = newest_of(l, occupancy->slot), older = *newest;
    while (older > 0 && compare_ages(linked(l, older), occupancy) > 0) {
        newer = older;
        older = linked(l, older)->older;
    }
    occupancy->older = older;
    occupancy->newer = newer;
    if (newer > 0)
        set_older(l, newer, link);
    else
        *newest = link;
    set_newer(l, older, link, occupancy_created(occupancy));
    make(l, occupancy, 1);
}

void slots_moved(struct ledger *l, const struct occupancy_fact *before, const struct occupancy_fact *now) {
    if (before->chips > 0 && before->bound_ms != TIME_UNKNOWN &&
        (before->bound_ms != now->bound_ms || before->chips != now->chips))
        l->slot_occupancies.is_made = false;
}

void slots_put_gap(struct ledger *l, bool is_silence, size_t position, bool is_new) {
    struct slot_occupancies *s = &l->slot_occupancies;
    struct occupancy_gap *all = is_silence ? l->silences.items : l->restarts.items;
    if (s->is_made && is_new)
        index_gap(is_silence ? &s->silences : &s->restarts, all, position);
}

void slots_add_occupancy(const struct ledger *l, size_t position, struct slot_changes *changes) {
    make_into(changes, l, &l->occupancies.items[position], 1);
}

static bool is_silent_at(const struct ledger *l, const struct occupancy_fact *occupancy, int64_t at_ms) {
    struct occupancy_gaps silences = gaps_of(&l->slot_occupancies.silences, l->silences.items, occupancy->id);
    bool is_silent = false;
    for (size_t i = 0; i < silences.count; i++)
        is_silent |= silences.items[i].from_ms <= at_ms &&
                     (silences.items[i].to_ms == TIME_UNKNOWN || silences.items[i].to_ms > at_ms);
    free(silences.items);
    return is_silent;
}

bool slots_is_held(const struct ledger *l, size_t position, int64_t at_ms) {
    const struct occupancy_fact *occupancy = &l->occupancies.items[position], *newer = linked(l, occupancy->newer);
    bool is_newest = newer == NULL || occupancy_created(newer) > at_ms;
    bool is_done = occupancy->done_ms != TIME_UNKNOWN && occupancy->done_ms <= at_ms;
    bool is_there = is_done || occupancy->lost_ms == TIME_UNKNOWN || occupancy->lost_ms > at_ms;
    return occupancy->bound_ms != TIME_UNKNOWN && occupancy->bound_ms <= at_ms && is_newest && is_there &&
           occupancy->known_until_ms > at_ms && !is_silent_at(l, occupancy, at_ms);
}

bool slots_is_past(const struct ledger *l, size_t position) {
    const struct occupancy_fact *occupancy = &l->occupancies.items[position];
    const struct occupancy_fact *newer = linked(l, occupancy->newer), *older = linked(l, occupancy->older);
    if (!l->slot_occupancies.is_made || !has_started(occupancy))
        return false;
    if (older != NULL && ends_with_next(l, older, occupancy_created(occupancy)))
        return false;
    if (newer == NULL)
        return occupancy->lost_ms <= l->evaluated_ms && !ends_with_next(l, occupancy, TIME_OPEN);
    /* the order of two that were created within a second is unknown */
    return occupancy_created(newer) > occupancy_created(occupancy) + 1;
}

bool slots_is_newest(const struct ledger *l, size_t position) {
    return l->occupancies.items[position].newer == 0;
}

void slots_put_past(struct ledger *l, const struct ledger_change *change) {
    struct maker m = {.changes = &l->slot_occupancies.changes, .by = 1};
    l->has_slots = false;
    if (!l->slot_occupancies.is_made)
        return;
    ledger_change_add(&change_at(&m, change->at_ms)->did, change);
}

static void make_all(struct ledger *l) {
    slots_done(l);
    l->slot_occupancies.is_made = true;
    for (size_t i = 0; i < l->restarts.count; i++)
        slots_put_gap(l, false, i, true);
    for (size_t i = 0; i < l->silences.count; i++)
        slots_put_gap(l, true, i, true);
    for (size_t i = 0; i < l->occupancies.count; i++)
        l->occupancies.items[i].older = l->occupancies.items[i].newer = 0;
    for (size_t i = 0; i < l->past.count; i++)
        slots_put_past(l, &l->past.items[i]);
    for (size_t i = 0; i < l->occupancies.count; i++)
        slots_put(l, i);
}

void slots_done(struct ledger *l) {
    struct slot_occupancies *s = &l->slot_occupancies;
    index_done(&s->restarts);
    index_done(&s->silences);
    key_index_done(&s->slots);
    free(s->newest);
    free(s->changes.table);
    *s = (struct slot_occupancies){0};
}

/* ---- the timeline ---- */

static int compare_changes(const void *a, const void *b) {
    const struct slot_change *x = a, *y = b;
    return (x->did.at_ms > y->did.at_ms) - (x->did.at_ms < y->did.at_ms);
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

/* The changes in time order, one per time, also for times at which only the required slots or the watch change.
 * Heap. */
static struct slot_change *sorted_changes(const struct ledger *l, size_t *ret_count) {
    const struct slot_changes *c = &l->slot_occupancies.changes;
    struct slot_change *all = mem_resize(
        NULL, c->count + l->required.count + l->required_chips.count + 2 * l->unwatched_count + 1, sizeof *all);
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < c->size; i++)
        if (c->table[i].uses > 0)
            all[n++] = c->table[i];
    for (size_t i = 0; i < l->required.count; i++)
        all[n++] = (struct slot_change){.did.at_ms = l->required.items[i].from_ms};
    for (size_t i = 0; i < l->required_chips.count; i++)
        all[n++] = (struct slot_change){.did.at_ms = l->required_chips.items[i].from_ms};
    for (size_t i = 0; i < l->unwatched_count; i++) {
        all[n++] = (struct slot_change){.did.at_ms = l->unwatched[i].from_ms};
        all[n++] = (struct slot_change){.did.at_ms = l->unwatched[i].to_ms};
    }
    qsort(all, n, sizeof *all, compare_changes);
    for (size_t i = 0; i < n; i++) {
        bool is_same = kept > 0 && all[kept - 1].did.at_ms == all[i].did.at_ms;
        if (all[i].did.at_ms > THROUGH_MS || (is_same && !all[i].is_used))
            continue;
        if (!is_same)
            kept++;
        all[kept - 1] = all[i];
    }
    *ret_count = kept;
    return all;
}

static struct slot_timeline accumulate(const struct ledger *l) {
    size_t count, r = 0, k = 0;
    struct slot_change *changes = sorted_changes(l, &count);
    struct amount_from *required = sorted_amounts(l->required.items, l->required.count);
    struct amount_from *chips = sorted_amounts(l->required_chips.items, l->required_chips.count);
    struct slot_timeline t = {mem_resize(NULL, count + 1, sizeof *t.items), 0};
    struct slot_state s = {.from_ms = INT64_MIN};
    s.chips_required = l->required_chips.count > 0 ? 0 : RECORD_NONE;
    size_t u = 0;
    t.items[t.count++] = s;
    for (size_t i = 0; i < count; i++) {
        const struct ledger_change *c = &changes[i].did;
        s.from_ms = c->at_ms;
        s.available += c->available;
        s.running += c->running;
        s.pulling += c->pulling;
        s.silent += c->silent;
        s.known += c->known;
        s.chips_allocated += c->chips;
        s.is_replaced = c->replaced > 0;
        s.is_restarted = c->restarted > 0;
        s.is_lost = c->lost > 0;
        while (u < l->unwatched_count && l->unwatched[u].to_ms <= s.from_ms)
            u++;
        s.is_unwatched = u < l->unwatched_count && l->unwatched[u].from_ms <= s.from_ms;
        while (r < l->required.count && required[r].from_ms <= s.from_ms)
            s.required = required[r++].amount;
        while (k < l->required_chips.count && chips[k].from_ms <= s.from_ms)
            s.chips_required = chips[k++].amount;
        s.largest_chips = (int32_t)max_of(s.largest_chips, c->largest_chips);
        t.items[t.count++] = s;
    }
    free(changes);
    free(required);
    free(chips);
    return t;
}

const struct slot_timeline *slot_timeline_get(struct ledger *l) {
    if (!l->slot_occupancies.is_made)
        make_all(l);
    if (!l->has_slots) {
        free(l->slots.items);
        l->slots = accumulate(l);
        l->has_slots = true;
    }
    return &l->slots;
}

size_t slot_timeline_at(const struct slot_timeline *t, int64_t at_ms) {
    size_t started = BISECT(i, t->count, t->items[i].from_ms <= at_ms);
    return started == 0 ? 0 : started - 1;
}
