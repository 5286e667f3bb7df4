/* slots: lives into the number of slots that are available, running and pulling at each time. What each life does is
 * summed per distinct time and kept: when a fact changes, what its life did is taken away and done anew, so that an
 * evaluation does not cost more with more lives, but with more distinct times (which are whole seconds mostly). */
#include "ledger/slots.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "ledger/timeline.h"

#include <assert.h>
#include <string.h>

#define THROUGH_MS (TIME_OPEN - 1)

/* ---- changes summed per time ---- */

static size_t change_hash(int64_t at_ms, size_t mask) {
    uint64_t h = (uint64_t)at_ms * 0x9E3779B97F4A7C15u;
    return (size_t)(h >> 20) & mask;
}

static struct slot_change *change_probe(const struct slot_changes *c, int64_t at_ms) {
    size_t mask = c->size - 1, i = change_hash(at_ms, mask);
    while (c->table[i].is_used && c->table[i].did.at_ms != at_ms)
        i = (i + 1) & mask;
    return &c->table[i];
}

/* Leaves out what nobody uses any more. */
static void changes_grow(struct slot_changes *c) {
    struct slot_changes old = *c;
    size_t live = 0;
    for (size_t i = 0; i < old.size; i++)
        live += old.table[i].uses > 0;
    c->count = 0;
    c->size = old.size ? old.size : 64;
    while (live * 4 >= c->size)
        c->size *= 2;
    c->table = mem_alloc(c->size * sizeof *c->table);
    for (size_t i = 0; i < old.size; i++)
        if (old.table[i].uses > 0) {
            *change_probe(c, old.table[i].did.at_ms) = old.table[i];
            c->count++;
        }
    free(old.table);
}

/* What a life does, or takes back that it did: then by is -1. */
struct maker {
    struct slot_changes *changes;
    int by;
    const struct time_span *unwatched;
    size_t unwatched_count;
    struct life_gaps restarts, silences;
    int64_t settled_ms; /* of the life */
};

/* Of what the life does at one time the past tells. */
static bool is_settled(const struct maker *m, int64_t at_ms) {
    return m->settled_ms > 0 && at_ms <= m->settled_ms;
}

static int64_t unsettled(const struct maker *m, int64_t from_ms) {
    return is_settled(m, from_ms) ? m->settled_ms : from_ms;
}

static struct slot_change *change_at(const struct maker *m, int64_t at_ms) {
    struct slot_changes *c = m->changes;
    if (c->count * 2 >= c->size)
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

/* The past tells that the life held its slot until it was settled; what was learned since is that it did so only until
 * then. */
static void take_back(const struct maker *m, const struct life_fact *life, int64_t from, bool is_silent) {
    put_span(m, AVAILABLE, from, m->settled_ms, -m->by);
    if (life->running_ms != TIME_UNKNOWN && life->running_ms <= from)
        put_span(m, RUNNING, from, m->settled_ms, -m->by);
    if (is_silent)
        put_span(m, SILENT, from, m->settled_ms, m->by);
    else
        change_at(m, from)->did.lost += m->by;
}

/* ---- gaps (restarts, silences) of a life ---- */

static int compare_gaps(const void *a, const void *b) {
    const struct life_gap *x = a, *y = b;
    return (x->from_ms > y->from_ms) - (x->from_ms < y->from_ms);
}

/* In time order; heap. */
static struct life_gaps gaps_of(const struct gap_index *index, const struct life_gap *all, uint64_t life_id) {
    struct life_gaps gaps = {0};
    size_t capacity = 0, at = index->lives.count > 0 ? keyed_find(&index->lives, life_id, 0) : SIZE_MAX;
    for (uint32_t i = at != SIZE_MAX ? index->first[at] : 0; i > 0; i = all[i - 1].next) {
        MEM_GROW(gaps.items, gaps.count, capacity);
        gaps.items[gaps.count++] = all[i - 1];
    }
    if (gaps.count > 1)
        qsort(gaps.items, gaps.count, sizeof *gaps.items, compare_gaps);
    return gaps;
}

static void index_gap(struct gap_index *index, struct life_gap *all, size_t position) {
    bool is_new;
    size_t at = keyed_put(&index->lives, all[position].life_id, 0, &is_new);
    if (is_new && at >= index->capacity) {
        index->capacity = index->capacity ? index->capacity * 2 : 8;
        index->first = mem_resize(index->first, index->capacity, sizeof *index->first);
    }
    all[position].next = is_new ? 0 : index->first[at];
    index->first[at] = (uint32_t)position + 1;
}

static void index_done(struct gap_index *index) {
    keyed_done(&index->lives);
    free(index->first);
    *index = (struct gap_index){0};
}

/* ---- one life ---- */

static int64_t life_created(const struct life_fact *life) {
    return life->created_ms != TIME_UNKNOWN ? life->created_ms : life->bound_ms;
}

/* The training containers within a span in which the slot is available. */
static void add_running(const struct maker *m, const struct life_fact *life, int64_t from, int64_t to) {
    int64_t at = life->running_ms == TIME_UNKNOWN ? TIME_OPEN : max_of(from, life->running_ms);
    if (life->done_ms != TIME_UNKNOWN)
        at = min_of(at, max_of(from, life->done_ms));
    if (life->pull_start_ms != TIME_UNKNOWN) {
        int64_t pulled = life->pull_end_ms == TIME_UNKNOWN ? TIME_OPEN : life->pull_end_ms;
        add_span(m, PULLING, max_of(from, life->pull_start_ms), min_of(min_of(at, to), pulled));
    }
    for (size_t i = 0; i < m->restarts.count && at < to; i++) {
        const struct life_gap *down = &m->restarts.items[i];
        int64_t up = down->to_ms == TIME_UNKNOWN ? TIME_OPEN : down->to_ms;
        if (up <= at || up < down->from_ms || down->from_ms >= to)
            continue;
        if (down->from_ms > at)
            add_span(m, RUNNING, at, down->from_ms);
        if (down->from_ms >= from && down->from_ms <= THROUGH_MS && !is_settled(m, down->from_ms))
            change_at(m, down->from_ms)->did.restarted += m->by;
        at = max_of(at, up);
        if (life->done_ms != TIME_UNKNOWN && life->done_ms < at)
            at = max_of(down->from_ms, life->done_ms);
    }
    add_span(m, RUNNING, at, to);
}

static void add_available(const struct maker *m, const struct life_fact *life, int64_t from, int64_t to) {
    for (size_t i = 0; i < m->silences.count && from < to; i++) {
        const struct life_gap *quiet = &m->silences.items[i];
        int64_t heard = quiet->to_ms == TIME_UNKNOWN ? TIME_OPEN : quiet->to_ms;
        if (heard <= from || heard <= quiet->from_ms || quiet->from_ms >= to)
            continue;
        if (quiet->from_ms > from) {
            add_span(m, AVAILABLE, from, quiet->from_ms);
            add_running(m, life, from, quiet->from_ms);
        }
        add_span(m, SILENT, max_of(from, quiet->from_ms), min_of(heard, to));
        if (life->held == LEDGER_HELD_BY_IT && quiet->from_ms < m->settled_ms && min_of(heard, to) > m->settled_ms)
            take_back(m, life, max_of(from, quiet->from_ms), true);
        from = heard;
    }
    add_span(m, AVAILABLE, from, to);
    if (from < to)
        add_running(m, life, from, to);
}

static void add_known(const struct maker *m, int64_t from, int64_t to) {
    for (size_t i = 0; i < m->unwatched_count; i++)
        add_span(m, KNOWN, max_of(from, m->unwatched[i].from_ms), min_of(to, m->unwatched[i].to_ms));
}

/* superseded_ms: when the slot's next life began (TIME_OPEN: this is the newest). */
static void add_life(const struct maker *m, const struct life_fact *life, int64_t superseded_ms) {
    int64_t known = min_of(life->known_until_ms, superseded_ms);
    if (m->unwatched_count > 0)
        add_known(m, life_created(life), known);
    if (life->held == LEDGER_HELD_BY_ANOTHER && life->older == 0)
        change_at(m, life_created(life))->did.replaced += m->by;
    if (life->bound_ms == TIME_UNKNOWN || life->bound_ms > THROUGH_MS)
        return;
    int64_t lost = life->lost_ms == TIME_UNKNOWN ? TIME_OPEN : life->lost_ms;
    int64_t done = life->done_ms == TIME_UNKNOWN ? TIME_OPEN : max_of(life->done_ms, life->bound_ms);
    if (life->done_ms != TIME_UNKNOWN && done <= lost) {
        add_available(m, life, life->bound_ms, known);
    } else {
        add_available(m, life, life->bound_ms, min_of(lost, known));
        add_available(m, life, done, known);
    }
    bool is_lost = lost <= known && lost > life->bound_ms && done > lost;
    if (is_lost && lost <= THROUGH_MS && !is_settled(m, lost))
        change_at(m, lost)->did.lost += m->by;
    if (life->held == LEDGER_HELD_BY_IT && lost < m->settled_ms && done > lost && superseded_ms > m->settled_ms)
        take_back(m, life, max_of(lost, life->bound_ms), false);
    bool is_cut = superseded_ms < lost && superseded_ms > life->bound_ms && superseded_ms < done;
    if (is_cut && superseded_ms <= THROUGH_MS && !is_settled(m, superseded_ms))
        change_at(m, superseded_ms)->did.replaced += m->by;
    int64_t released = life->released_ms == TIME_UNKNOWN ? TIME_OPEN : life->released_ms;
    int64_t bound_ms = unsettled(m, life->bound_ms);
    if (life->chips > 0 && released > bound_ms && bound_ms <= THROUGH_MS) {
        struct ledger_change *bound = &change_at(m, bound_ms)->did;
        bound->chips += m->by * (int64_t)life->chips;
        if (m->by > 0) /* taken back: slots_moved tells when that matters */
            bound->largest_chips = (int32_t)max_of(bound->largest_chips, life->chips);
        if (released <= THROUGH_MS)
            change_at(m, released)->did.chips -= m->by * (int64_t)life->chips;
    }
}

/* ---- the lives of a slot, from the newest to the oldest ---- */

static bool is_begun(const struct life_fact *life) {
    int64_t created = life_created(life);
    return created != TIME_UNKNOWN && created <= THROUGH_MS;
}

static struct life_fact *linked(const struct ledger *l, uint32_t link) {
    return link > 0 ? &l->lives.items[link - 1] : NULL;
}

static uint32_t *newest_of(struct ledger *l, uint32_t slot) {
    struct slot_lives *s = &l->slot_lives;
    bool is_new;
    size_t at = keyed_put(&s->slots, slot, 0, &is_new);
    if (is_new) {
        if (at >= s->capacity) {
            s->capacity = s->capacity ? s->capacity * 2 : 64;
            s->newest = mem_resize(s->newest, s->capacity, sizeof *s->newest);
        }
        s->newest[at] = 0;
    }
    return &s->newest[at];
}

static void make_into(struct slot_changes *changes, const struct ledger *l, const struct life_fact *life, int by) {
    const struct slot_lives *s = &l->slot_lives;
    const struct life_fact *newer = linked(l, life->newer);
    struct maker m = {.changes = changes,
                      .by = by,
                      .unwatched = l->unwatched,
                      .unwatched_count = l->unwatched_count,
                      .restarts = gaps_of(&s->restarts, l->restarts.items, life->id),
                      .silences = gaps_of(&s->silences, l->silences.items, life->id),
                      .settled_ms = life->settled_ms};
    add_life(&m, life, newer != NULL ? life_created(newer) : TIME_OPEN);
    free(m.restarts.items);
    free(m.silences.items);
}

static void make(struct ledger *l, const struct life_fact *life, int by) {
    make_into(&l->slot_lives.changes, l, life, by);
    l->lives_looked_at++;
}

/* Whether it matters when the next life of its slot began, which is no earlier than that. */
static bool ends_with_next(const struct ledger *l, const struct life_fact *life, int64_t next_ms) {
    return (l->unwatched_count > 0 && life->known_until_ms > next_ms) || life->lost_ms == TIME_UNKNOWN ||
           life->lost_ms > next_ms || life->done_ms != TIME_UNKNOWN;
}

/* Sets what is newer than a life, which may be none. */
static void set_newer(struct ledger *l, uint32_t older, uint32_t newer, int64_t next_ms) {
    struct life_fact *life = linked(l, older);
    if (life == NULL)
        return;
    bool is_changed = ends_with_next(l, life, next_ms) || life->held == LEDGER_HELD_BY_IT;
    if (is_changed)
        make(l, life, -1);
    life->newer = newer;
    if (is_changed)
        make(l, life, 1);
}

/* Sets what is older than a life, which may be none. */
static void set_older(struct ledger *l, uint32_t newer, uint32_t older) {
    struct life_fact *life = linked(l, newer);
    bool is_changed = life->held == LEDGER_HELD_BY_ANOTHER;
    if (is_changed)
        make(l, life, -1);
    life->older = older;
    if (is_changed)
        make(l, life, 1);
}

void slots_take(struct ledger *l, size_t position) {
    struct life_fact *life = &l->lives.items[position];
    l->has_slots = false;
    if (!l->slot_lives.is_made || !is_begun(life))
        return;
    make(l, life, -1);
    set_newer(l, life->older, life->newer, life_created(life));
    if (life->newer > 0)
        set_older(l, life->newer, life->older);
    else
        *newest_of(l, life->slot) = life->older;
    life->older = life->newer = 0;
}

static bool is_after(const struct life_fact *x, const struct life_fact *y) {
    int64_t i = life_created(x), k = life_created(y);
    return i != k ? i > k : x->id > y->id;
}

void slots_put(struct ledger *l, size_t position) {
    struct life_fact *life = &l->lives.items[position];
    uint32_t link = (uint32_t)position + 1, newer = 0;
    if (!l->slot_lives.is_made || !is_begun(life))
        return;
    uint32_t *newest = newest_of(l, life->slot), older = *newest;
    while (older > 0 && is_after(linked(l, older), life)) {
        newer = older;
        older = linked(l, older)->older;
    }
    life->older = older;
    life->newer = newer;
    if (newer > 0)
        set_older(l, newer, link);
    else
        *newest = link;
    set_newer(l, older, link, life_created(life));
    make(l, life, 1);
}

void slots_moved(struct ledger *l, const struct life_fact *before, const struct life_fact *now) {
    if (before->chips > 0 && before->bound_ms != TIME_UNKNOWN &&
        (before->bound_ms != now->bound_ms || before->chips != now->chips))
        l->slot_lives.is_made = false;
}

void slots_put_gap(struct ledger *l, bool is_silence, size_t position, bool is_new) {
    struct slot_lives *s = &l->slot_lives;
    struct life_gap *all = is_silence ? l->silences.items : l->restarts.items;
    if (s->is_made && is_new)
        index_gap(is_silence ? &s->silences : &s->restarts, all, position);
}

void slots_add_life(const struct ledger *l, size_t position, struct slot_changes *changes) {
    make_into(changes, l, &l->lives.items[position], 1);
}

static bool is_silent_at(const struct ledger *l, const struct life_fact *life, int64_t at_ms) {
    struct life_gaps silences = gaps_of(&l->slot_lives.silences, l->silences.items, life->id);
    bool is_silent = false;
    for (size_t i = 0; i < silences.count; i++)
        is_silent |= silences.items[i].from_ms <= at_ms &&
                     (silences.items[i].to_ms == TIME_UNKNOWN || silences.items[i].to_ms > at_ms);
    free(silences.items);
    return is_silent;
}

bool slots_is_held(const struct ledger *l, size_t position, int64_t at_ms) {
    const struct life_fact *life = &l->lives.items[position], *newer = linked(l, life->newer);
    bool is_newest = newer == NULL || life_created(newer) > at_ms;
    bool is_done = life->done_ms != TIME_UNKNOWN && life->done_ms <= at_ms;
    bool is_there = is_done || life->lost_ms == TIME_UNKNOWN || life->lost_ms > at_ms;
    return life->bound_ms != TIME_UNKNOWN && life->bound_ms <= at_ms && is_newest && is_there &&
           life->known_until_ms > at_ms && !is_silent_at(l, life, at_ms);
}

bool slots_is_past(const struct ledger *l, size_t position) {
    const struct life_fact *life = &l->lives.items[position];
    const struct life_fact *newer = linked(l, life->newer), *older = linked(l, life->older);
    if (!l->slot_lives.is_made || !is_begun(life))
        return false;
    if (older != NULL && ends_with_next(l, older, life_created(life)))
        return false;
    if (newer == NULL)
        return life->lost_ms <= l->evaluated_ms && !ends_with_next(l, life, TIME_OPEN);
    /* of two made within a second nobody can tell which is the newer */
    return life_created(newer) > life_created(life) + 1;
}

bool slots_is_newest(const struct ledger *l, size_t position) {
    return l->lives.items[position].newer == 0;
}

void slots_put_past(struct ledger *l, const struct ledger_change *change) {
    struct maker m = {.changes = &l->slot_lives.changes, .by = 1};
    l->has_slots = false;
    if (!l->slot_lives.is_made)
        return;
    ledger_change_add(&change_at(&m, change->at_ms)->did, change);
}

static void make_all(struct ledger *l) {
    slots_done(l);
    l->slot_lives.is_made = true;
    for (size_t i = 0; i < l->restarts.count; i++)
        slots_put_gap(l, false, i, true);
    for (size_t i = 0; i < l->silences.count; i++)
        slots_put_gap(l, true, i, true);
    for (size_t i = 0; i < l->lives.count; i++)
        l->lives.items[i].older = l->lives.items[i].newer = 0;
    for (size_t i = 0; i < l->past.count; i++)
        slots_put_past(l, &l->past.items[i]);
    for (size_t i = 0; i < l->lives.count; i++)
        slots_put(l, i);
}

void slots_done(struct ledger *l) {
    struct slot_lives *s = &l->slot_lives;
    index_done(&s->restarts);
    index_done(&s->silences);
    keyed_done(&s->slots);
    free(s->newest);
    free(s->changes.table);
    *s = (struct slot_lives){0};
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

/* In time order, each time once; also those at which only what is required or watched changes. Heap. */
static struct slot_change *sorted_changes(const struct ledger *l, size_t *ret_count) {
    const struct slot_changes *c = &l->slot_lives.changes;
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
    if (!l->slot_lives.is_made)
        make_all(l);
    if (!l->has_slots) {
        free(l->slots.items);
        l->slots = accumulate(l);
        l->has_slots = true;
    }
    return &l->slots;
}

int64_t ledger_last_change_ms(struct ledger *l) {
    const struct slot_timeline *t = slot_timeline_get(l);
    return t->count > 1 ? t->items[t->count - 1].from_ms : TIME_UNKNOWN;
}

size_t slot_timeline_at(const struct slot_timeline *t, int64_t at_ms) {
    size_t begun = BISECT(i, t->count, t->items[i].from_ms <= at_ms);
    return begun == 0 ? 0 : begun - 1;
}
