#include "ledger/forget.h"

#include "base/mem.h"
#include "ledger/evaluate.h"
#include "ledger/holds.h"
#include "ledger/slots.h"

#include <stdlib.h>
#include <string.h>

struct ledger_forgetting {
    struct ledger *ledger;
    bool *occupancies, *holds, *disruptions; /* by position: true if it is forgotten */
    bool *winning;                           /* of the holds */
    size_t forgotten;
};

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool is_named(const struct ledger_forgetting *f, uint64_t key) {
    const struct ledger *l = f->ledger;
    return l->named_count > 0 && bsearch(&key, l->named, l->named_count, sizeof key, compare_keys) != NULL;
}

static void note_winner(struct ledger_forgetting *f, const struct hold_fact *hold) {
    if (hold != NULL)
        f->winning[hold - f->ledger->holds.items] = true;
}

static void name_as_of(struct ledger *l, int64_t steady_ms) {
    struct ledger_result result;
    CLEANUP_FREE uint64_t *now = mem_resize(NULL, l->named_count + 1, sizeof *now);
    size_t count = l->named_count;
    if (count > 0)
        memcpy(now, l->named, count * sizeof *now);
    ledger_evaluate(l, steady_ms, &result);
    ledger_result_done(&result);
    for (size_t i = 0; i < count; i++)
        texts_keep(l, now[i]);
    if (l->named_count > 1)
        qsort(l->named, l->named_count, sizeof *l->named, compare_keys);
}

struct ledger_forgetting *ledger_forget_begin(struct ledger *l, int64_t steady_ms) {
    struct ledger_forgetting *f = mem_new(struct ledger_forgetting);
    name_as_of(l, steady_ms);
    f->ledger = l;
    f->occupancies = mem_alloc(l->occupancies.count + 1);
    f->holds = mem_alloc(l->holds.count + 1);
    f->winning = mem_alloc(l->holds.count + 1);
    f->disruptions = mem_alloc(l->disruptions.count + 1);
    slot_timeline_get(l);
    const struct hold_timeline *t = hold_timeline_get(l);
    for (size_t i = 0; i < t->count; i++) {
        bool is_settled =
            ledger_settled(l) != NULL && i + 1 < t->count && t->items[i + 1].from_ms <= ledger_settled(l)->through_ms;
        note_winner(f, is_settled ? NULL : t->items[i].scheduling);
        note_winner(f, is_settled ? NULL : t->items[i].process);
    }
    return f;
}

bool ledger_can_forget_occupancy(const struct ledger_forgetting *f, uint64_t id, bool even_newest) {
    size_t at = key_index_find(&f->ledger->occupancies.keys, id, 0);
    return at != SIZE_MAX && slots_is_past(f->ledger, at) && !is_named(f, id) &&
           (even_newest || !slots_is_newest(f->ledger, at));
}

bool ledger_can_forget_hold(const struct ledger_forgetting *f, enum bucket kind, uint64_t key) {
    size_t at = key_index_find(&f->ledger->holds.keys, key, (uint64_t)kind);
    return at == SIZE_MAX || !f->winning[at];
}

bool ledger_can_forget_disruption(const struct ledger_forgetting *f, uint64_t key) {
    return !is_named(f, key);
}

void ledger_forget_occupancy(struct ledger_forgetting *f, uint64_t id,
                             void (*change)(void *context, const struct ledger_change *change), void *context) {
    size_t at = key_index_find(&f->ledger->occupancies.keys, id, 0);
    struct slot_changes changes = {0};
    slots_add_occupancy(f->ledger, at, &changes);
    for (size_t i = 0; i < changes.size; i++)
        if (changes.table[i].uses > 0)
            change(context, &changes.table[i].did);
    free(changes.table);
    f->occupancies[at] = true;
    f->forgotten++;
}

void ledger_forget_hold(struct ledger_forgetting *f, enum bucket kind, uint64_t key) {
    size_t at = key_index_find(&f->ledger->holds.keys, key, (uint64_t)kind);
    if (at != SIZE_MAX)
        f->holds[at] = true;
}

void ledger_forget_disruption(struct ledger_forgetting *f, enum cause cause, uint64_t key) {
    size_t at = key_index_find(&f->ledger->disruptions.keys, key, (uint64_t)cause);
    if (at != SIZE_MAX)
        f->disruptions[at] = true;
}

/* Keeps the others, in their order and at new positions. */
#define KEEP(store, goes, done, key_a, key_b)                                                                          \
    do {                                                                                                               \
        size_t kept_ = 0, count_ = (store).count;                                                                      \
        key_index_done(&(store).keys);                                                                                 \
        for (size_t i = 0; i < count_; i++) {                                                                          \
            __typeof__((store).items) item_ = &(store).items[i];                                                       \
            bool is_new_;                                                                                              \
            if (goes) {                                                                                                \
                done;                                                                                                  \
                continue;                                                                                              \
            }                                                                                                          \
            (store).items[kept_++] = *item_;                                                                           \
            item_ = &(store).items[kept_ - 1];                                                                         \
            key_index_put(&(store).keys, (uint64_t)(key_a), (uint64_t)(key_b), &is_new_);                              \
        }                                                                                                              \
        (store).count = (store).capacity = kept_;                                                                      \
        (store).items = mem_resize((store).items, kept_ + 1, sizeof *(store).items);                                   \
    } while (0)

static bool is_of_forgotten(const struct ledger_forgetting *f, uint64_t occupancy_id) {
    size_t at = key_index_find(&f->ledger->occupancies.keys, occupancy_id, 0);
    return at != SIZE_MAX && f->occupancies[at];
}

static void keep_others(struct ledger_forgetting *f) {
    struct ledger *l = f->ledger;
    slots_done(l);
    KEEP(l->restarts, is_of_forgotten(f, item_->occupancy_id), (void)0, item_->occupancy_id, item_->from_ms);
    KEEP(l->silences, is_of_forgotten(f, item_->occupancy_id), (void)0, item_->occupancy_id, item_->from_ms);
    KEEP(l->occupancies, f->occupancies[i], texts_free_name(item_->name), item_->id, 0);
    KEEP(l->holds, f->holds[i], free(item_->evidence), item_->key, item_->kind);
    KEEP(l->disruptions, f->disruptions[i], free(item_->texts), item_->key, item_->cause);
    l->has_slots = l->has_hold_times = l->has_alike = false;
    for (size_t i = 0; i < ARRAY_SIZE(l->slowest); i++)
        l->slowest[i].is_known = false;
}

void ledger_forget_done(struct ledger_forgetting *f) {
    if (f->forgotten > 0)
        keep_others(f);
    free(f->occupancies);
    free(f->holds);
    free(f->winning);
    free(f->disruptions);
    free(f);
}
