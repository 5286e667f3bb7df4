#include "ledger/ledger_internal.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "ledger/disruptions.h"
#include "ledger/evidence.h"
#include "ledger/process_starts.h"
#include "ledger/slots.h"

#include <string.h>

void ledger_set_options(struct ledger *l, const struct ledger_options *options) {
    l->options = *options;
    if (l->options.window_count < 0)
        l->options.window_count = 0;
    if (l->options.window_count > LEDGER_MAX_WINDOWS)
        l->options.window_count = LEDGER_MAX_WINDOWS;
}

struct ledger *ledger_new(const struct ledger_options *options) {
    struct ledger *l = mem_new(struct ledger);
    ledger_set_options(l, options);
    l->start_ms = TIME_UNKNOWN;
    l->end_ms = TIME_OPEN;
    l->evaluated_ms = l->folded_ms = TIME_UNKNOWN;
    return l;
}

#define STORE_DONE(store)                                                                                              \
    do {                                                                                                               \
        key_index_done(&(store).keys);                                                                                 \
        free((store).items);                                                                                           \
    } while (0)

void ledger_free(struct ledger *l) {
    if (l == NULL)
        return;
    for (size_t i = 0; i < l->occupancies.count; i++)
        texts_free_name(l->occupancies.items[i].name);
    for (size_t i = 0; i < l->holds.count; i++)
        free(l->holds.items[i].evidence);
    for (size_t i = 0; i < l->disruptions.count; i++)
        free(l->disruptions.items[i].texts);
    for (size_t i = 0; i < l->process_count; i++)
        process_free(l->processes[i]);
    free(l->alike);
    for (size_t i = 0; i < ARRAY_SIZE(l->slowest); i++)
        free(l->slowest[i].later);
    free(l->live);
    free(l->unwatched);
    free(l->exclusions);
    ledger_rest_done(l);
    totals_done(&l->totals);
    STORE_DONE(l->required);
    STORE_DONE(l->required_chips);
    STORE_DONE(l->occupancies);
    STORE_DONE(l->past);
    free(l->named);
    STORE_DONE(l->restarts);
    STORE_DONE(l->silences);
    STORE_DONE(l->holds);
    STORE_DONE(l->disruptions);
    key_index_done(&l->process_keys);
    free(l->processes);
    free(l);
}

void ledger_set_span(struct ledger *l, int64_t start_ms, int64_t end_ms, enum ledger_outcome outcome) {
    l->start_ms = start_ms;
    l->end_ms = end_ms;
    l->outcome = outcome;
}

/* A pointer to the item with this identity in a store; a new item is all zero. Clears is_right: what was derived from
 * the store is no longer valid. */
#define STORE_PUT(store, a, b, item, is_right)                                                                         \
    do {                                                                                                               \
        bool is_new_;                                                                                                  \
        size_t at_ = key_index_put(&(store).keys, (a), (b), &is_new_);                                                 \
        if (is_new_) {                                                                                                 \
            MEM_GROW((store).items, (store).count, (store).capacity);                                                  \
            memset(&(store).items[(store).count++], 0, sizeof *(store).items);                                         \
            *(is_right) = false;                                                                                       \
        }                                                                                                              \
        (item) = &(store).items[at_];                                                                                  \
    } while (0)

void ledger_set_required(struct ledger *l, int64_t from_ms, int64_t slots) {
    struct amount_from *item;
    STORE_PUT(l->required, (uint64_t)from_ms, 0, item, &l->has_slots);
    l->has_slots = l->has_slots && item->from_ms == from_ms && item->amount == slots;
    *item = (struct amount_from){from_ms, slots < 0 ? 0 : slots};
}

void ledger_set_required_chips(struct ledger *l, int64_t from_ms, int64_t chips) {
    struct amount_from *item;
    STORE_PUT(l->required_chips, (uint64_t)from_ms, 0, item, &l->has_slots);
    l->has_slots = l->has_slots && item->from_ms == from_ms && item->amount == chips;
    *item = (struct amount_from){from_ms, chips < 0 ? 0 : chips};
}

void ledger_add_past(struct ledger *l, const struct ledger_change *change) {
    struct ledger_change *item;
    STORE_PUT(l->past, (uint64_t)change->at_ms, 0, item, &l->has_slots);
    item->at_ms = change->at_ms;
    ledger_change_add(item, change);
    slots_put_past(l, change);
}

static void set_text(char **text, const char *from, size_t size) {
    if (*text != NULL && strncmp(*text, from, size) == 0)
        return;
    free(*text);
    *text = from[0] == '\0' ? NULL : mem_strndup(from, strnlen(from, size - 1));
}

void ledger_add_occupancy(struct ledger *l, const struct ledger_occupancy *occupancy) {
    struct occupancy_fact *item;
    bool is_known = true;
    STORE_PUT(l->occupancies, occupancy->id, 0, item, &is_known);
    texts_set_name(&item->name, occupancy);
    struct occupancy_fact before = *item;
    struct occupancy_fact now = {.id = occupancy->id,
                                 .slot = occupancy->slot,
                                 .older = before.older,
                                 .newer = before.newer,
                                 .created_ms = occupancy->created_ms,
                                 .bound_ms = occupancy->bound_ms,
                                 .pull_start_ms = occupancy->pull_start_ms,
                                 .pull_end_ms = occupancy->pull_end_ms,
                                 .running_ms = occupancy->running_ms,
                                 .lost_ms = occupancy->lost_ms,
                                 .done_ms = occupancy->done_ms,
                                 .released_ms = occupancy->released_ms,
                                 .known_until_ms = occupancy->known_until_ms,
                                 .settled_ms = occupancy->settled_ms,
                                 .held = occupancy->held,
                                 .chips = occupancy->chips < 0 ? 0 : occupancy->chips,
                                 .name = before.name};
    if (is_known && memcmp(&before, &now, sizeof now) == 0)
        return;
    size_t position = (size_t)(item - l->occupancies.items);
    if (is_known) {
        slots_take(l, position);
        slots_moved(l, &before, &now);
    }
    bool has_others = before.older != 0 || before.newer != 0; /* in its slot, which its age orders */
    bool has_moved = is_known && (before.slot != now.slot || (has_others && slots_compare(&before, &now) != 0));
    for (size_t i = 0; i < ARRAY_SIZE(l->slowest) && has_moved; i++)
        l->slowest[i].is_known &= before.slot == now.slot && l->slowest[i].occupancy != position + 1;
    now.older = now.newer = 0;
    *item = now;
    l->has_slots = false;
    slots_put(l, position);
    evidence_occupancy_changed(l, position);
}

void ledger_exclude(struct ledger *l, int64_t from_ms, int64_t to_ms) {
    if (from_ms >= to_ms)
        return;
    MEM_GROW(l->exclusions, l->exclusion_count, l->exclusion_capacity);
    l->exclusions[l->exclusion_count++] = (struct time_span){from_ms, to_ms};
    l->options.keep_all = true;
}

static void put_gap(struct ledger *l, bool is_silence, const struct occupancy_gap *gap) {
    struct occupancy_gap *item;
    bool is_known = true;
    if (is_silence)
        STORE_PUT(l->silences, gap->occupancy_id, (uint64_t)gap->from_ms, item, &is_known);
    else
        STORE_PUT(l->restarts, gap->occupancy_id, (uint64_t)gap->from_ms, item, &is_known);
    if (is_known && item->from_ms == gap->from_ms && item->to_ms == gap->to_ms)
        return;
    size_t occupancy = key_index_find(&l->occupancies.keys, gap->occupancy_id, 0);
    if (occupancy != SIZE_MAX)
        slots_take(l, occupancy);
    uint32_t next = item->next;
    *item = *gap;
    item->next = next;
    slots_put_gap(l, is_silence, (size_t)(item - (is_silence ? l->silences.items : l->restarts.items)), !is_known);
    if (occupancy != SIZE_MAX)
        slots_put(l, occupancy);
}

void ledger_add_restart(struct ledger *l, uint64_t occupancy_id, int64_t down_ms, int64_t running_ms) {
    put_gap(l, false, &(struct occupancy_gap){.occupancy_id = occupancy_id, .from_ms = down_ms, .to_ms = running_ms});
}

void ledger_add_silence(struct ledger *l, uint64_t occupancy_id, int64_t from_ms, int64_t to_ms) {
    put_gap(l, true, &(struct occupancy_gap){.occupancy_id = occupancy_id, .from_ms = from_ms, .to_ms = to_ms});
}

void ledger_set_unwatched(struct ledger *l, const struct ledger_span *spans, size_t count) {
    bool is_same = count == l->unwatched_count;
    for (size_t i = 0; i < count && is_same; i++)
        is_same = l->unwatched[i].from_ms == spans[i].from_ms && l->unwatched[i].to_ms == spans[i].to_ms;
    if (is_same)
        return;
    l->unwatched = mem_resize(l->unwatched, count + 1, sizeof *l->unwatched);
    l->unwatched_count = count;
    for (size_t i = 0; i < count; i++)
        l->unwatched[i] = (struct time_span){spans[i].from_ms, spans[i].to_ms};
    l->slot_occupancies.is_made = l->has_slots = false;
}

void ledger_add_hold(struct ledger *l, const struct ledger_hold *hold) {
    struct hold_fact *item;
    STORE_PUT(l->holds, hold->key, (uint64_t)hold->kind, item, &l->has_hold_times);
    l->has_hold_times = l->has_hold_times && item->from_ms == hold->from_ms && item->to_ms == hold->to_ms;
    char *evidence = item->evidence;
    set_text(&evidence, hold->evidence, sizeof hold->evidence);
    *item = (struct hold_fact){hold->kind, hold->basis, hold->key, hold->from_ms, hold->to_ms, evidence};
}

void ledger_add_disruption(struct ledger *l, const struct ledger_disruption *d) {
    struct disruption_fact *item;
    bool is_known = true;
    STORE_PUT(l->disruptions, d->key, (uint64_t)d->cause, item, &is_known);
    struct disruption_fact before = *item;
    if (!is_known)
        before.at_ms = TIME_UNKNOWN;
    free(item->texts);
    *item = texts_pack(d);
    disruptions_changed(l, (size_t)(item - l->disruptions.items), &before);
}

/* Every process that began before the partly settled one is settled. A new process that began before it is a repeat
 * after a load, or late: it must take no room in a checkpoint, as the ledger that was never saved has none for it. */
static bool is_settled_already(const struct ledger *l, uint64_t id, const char *name, int64_t started_ms) {
    if (started_ms == TIME_UNKNOWN)
        return false;
    if (started_ms <= l->folded_ms)
        return true;
    const struct process *p = ledger_settled(l) != NULL ? l->processes[ledger_settled(l)->process] : NULL;
    return p != NULL && process_compare(p, started_ms, name, id) > 0;
}

int ledger_add_process(struct ledger *l, uint64_t id, const char *name, int64_t started_ms, int64_t ended_ms) {
    bool is_new;
    size_t at = key_index_put(&l->process_keys, id, 0, &is_new);
    if (is_new) {
        MEM_GROW(l->processes, l->process_count, l->process_capacity);
        l->processes[l->process_count++] = NULL;
        if (is_settled_already(l, id, name, started_ms))
            return (int)at;
        l->processes[at] = process_new(id);
        l->processes[at]->name = mem_strdup(name);
        l->processes[at]->ordinal = at;
        MEM_GROW(l->live, l->live_count, l->live_capacity);
        l->live[l->live_count++] = l->processes[at];
        l->processes[at]->settled_ms = ledger_settled(l) != NULL ? ledger_settled(l)->through_ms : TIME_UNKNOWN;
        l->is_live_sorted = false;
    }
    struct process *p = l->processes[at];
    bool is_joined = p != NULL && p->is_thinned && started_ms != TIME_UNKNOWN && started_ms <= l->folded_ms;
    if (p != NULL && !is_joined) { /* a joined process also stands for later ones, and ends with them */
        l->is_live_sorted = l->is_live_sorted && p->given.started_ms == started_ms;
        p->given.started_ms = started_ms;
        p->given.ended_ms = ended_ms;
    }
    return (int)at;
}

static struct process *process_at(const struct ledger *l, int process) {
    return process >= 0 && (size_t)process < l->process_count ? l->processes[process] : NULL;
}

void ledger_set_line_lag(struct ledger *l, int process, int steps) {
    struct process *p = process_at(l, process);
    if (p != NULL)
        p->given.line_lag = steps;
}

void ledger_await(struct ledger *l, int process, bool is_awaited) {
    struct process *p = process_at(l, process);
    if (p != NULL)
        p->given.is_awaited = is_awaited;
}

void ledger_set_read_to_end(struct ledger *l, int process) {
    struct process *p = process_at(l, process);
    if (p != NULL)
        p->given.is_read_to_end = true;
}

void ledger_set_signaled(struct ledger *l, int process, int64_t at_ms) {
    struct process *p = process_at(l, process);
    if (p != NULL)
        p->given.signaled_ms = at_ms;
}

void ledger_set_lost(struct ledger *l, int process) {
    struct process *p = process_at(l, process);
    if (p != NULL)
        p->given.is_lost = true;
}

void ledger_add_record(struct ledger *l, const struct record *r) {
    struct process *p = process_at(l, r->process);
    if (p == NULL) {
        l->late_records += r->process >= 0 && (size_t)r->process < l->process_count;
        return;
    }
    int64_t order_ms = process_order_ms(p);
    process_add(p, r, &l->totals);
    if (process_order_ms(p) != order_ms)
        l->is_live_sorted = false;
}

void ledger_add_starts(struct ledger *l, int process, const struct step_start *steps, size_t count) {
    struct process *p = process_at(l, process);
    for (size_t n, i = 0; i < count; i += n) {
        n = p != NULL ? process_add_starts(p, steps + i, count - i) : 0;
        if (n > 0)
            continue;
        struct record r = RECORD_INIT;
        r.kind = RECORD_STEP_START;
        r.process = process;
        r.line = steps[i].line;
        r.at_ms = steps[i].at_ms;
        r.step = steps[i].step;
        ledger_add_record(l, &r);
        n = 1;
    }
}

void ledger_set_owners(struct ledger *l, const struct ledger_owners *owners) {
    l->owners = *owners;
}

struct ledger_blame ledger_blame_of(const struct ledger *l, int number, const struct ledger_disruption *d) {
    if (l->owners.of != NULL)
        return l->owners.of(l->owners.context, number, d);
    return (struct ledger_blame){cause_owner(d != NULL ? d->cause : CAUSE_UNKNOWN), CLASS_UNKNOWN};
}

void ledger_set_sink(struct ledger *l, const struct ledger_sink *sink) {
    l->sink = *sink;
}

void ledger_set_texts(struct ledger *l, const struct ledger_texts *texts) {
    l->texts = *texts;
}
