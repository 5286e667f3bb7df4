#include "ledger/past.h"

#include "base/mem.h"
#include "ledger/slots.h"

struct ledger_past {
    const struct ledger *ledger;
    int64_t until_ms;
    struct slot_changes changes;
};

struct ledger_past *ledger_past_begin(struct ledger *l, int64_t until_ms) {
    struct ledger_past *s = mem_new(struct ledger_past);
    slot_timeline_get(l);
    s->ledger = l;
    s->until_ms = until_ms;
    return s;
}

bool ledger_past_occupancy(struct ledger_past *s, uint64_t id) {
    size_t at = key_index_find(&s->ledger->occupancies.keys, id, 0);
    if (at == SIZE_MAX)
        return false;
    slots_add_occupancy(s->ledger, at, &s->changes);
    return slots_is_held(s->ledger, at, s->until_ms);
}

void ledger_past_done(struct ledger_past *s, void (*change)(void *context, const struct ledger_change *change),
                      void *context) {
    struct ledger_change sum = {0};
    for (size_t i = 0; i < s->changes.size; i++) {
        const struct slot_change *x = &s->changes.table[i];
        if (x->uses <= 0 || x->did.at_ms > s->until_ms)
            continue;
        change(context, &x->did);
        ledger_change_add(&sum, &x->did);
    }
    change(context, &(struct ledger_change){.at_ms = s->until_ms,
                                            .chips = -sum.chips,
                                            .available = -sum.available,
                                            .running = -sum.running,
                                            .pulling = -sum.pulling,
                                            .silent = -sum.silent,
                                            .known = -sum.known});
    free(s->changes.table);
    free(s);
}
