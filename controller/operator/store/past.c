#include "operator/store/past.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "operator/store/store.h"

#include <string.h>

struct past *store_past(struct target *t, const char *replicated_job) {
    for (int i = 0; i < t->past.count; i++)
        if (strcmp(t->past.items[i].replicated_job, replicated_job) == 0)
            return &t->past.items[i];
    t->past.items = mem_resize(t->past.items, (size_t)t->past.count + 1, sizeof *t->past.items);
    struct past *past = &t->past.items[t->past.count++];
    *past = (struct past){.replicated_job = replicated_job};
    return past;
}

struct past_change *past_at(struct past *past, int64_t at_ms) {
    size_t low = BISECT(i, past->count, past->items[i].all.at_ms < at_ms);
    if (low == past->count || past->items[low].all.at_ms != at_ms) {
        MEM_GROW(past->items, past->count, past->capacity);
        memmove(&past->items[low + 1], &past->items[low], (past->count++ - low) * sizeof *past->items);
        past->items[low] = (struct past_change){.all.at_ms = at_ms};
    }
    return &past->items[low];
}

/* ---- slots whose pods a checkpoint had no room for ---- */

static const struct settled_slots *settled_of(const struct target *t, const char *replicated_job) {
    for (int i = 0; i < t->past.slot_list_count; i++)
        if (strcmp(t->past.slots[i].replicated_job, replicated_job) == 0)
            return &t->past.slots[i];
    return NULL;
}

int64_t store_settled_slot(const struct settled_slots *s, const struct pod *p) {
    int64_t slot = p->job_index * s->stride + p->completion_index;
    return p->completion_index < 0 || p->completion_index >= s->stride || slot >= (int64_t)s->count ? -1 : slot;
}

void store_settle_pod(struct pod *p) {
    const struct target *t = p->target;
    const struct settled_slots *s = settled_of(t, p->replicated_job);
    if (s == NULL)
        return;
    int64_t slot = store_settled_slot(s, p);
    bool is_held = slot >= 0 && s->are_held[slot] != 0;
    bool is_of_then = p->created_ms <= t->past.settled_created_ms;
    p->settled_ms = t->past.settled_ms;
    p->held = !is_held ? LEDGER_HELD_BY_NONE : is_of_then ? LEDGER_HELD_BY_IT : LEDGER_HELD_BY_ANOTHER;
}

void store_settled_done(struct target *t) {
    for (int i = 0; i < t->past.slot_list_count; i++)
        free(t->past.slots[i].are_held);
    free(t->past.slots);
    t->past.slots = NULL;
    t->past.slot_list_count = 0;
}
