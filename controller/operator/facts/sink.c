#include "operator/facts/sink.h"

#include "base/hash.h"
#include "base/mem.h"

uint64_t sink_key(const char *shows, const char *object, int64_t number) {
    return hash_stable(hash_stable(hash_stable(0, slice_of(shows)), slice_of(object)), HASH_BYTES(&number));
}

struct sink sink_begin(struct ledger *l, struct pushed_list *list) {
    for (int i = 0; i < list->count; i++)
        list->items[i].is_current = false;
    return (struct sink){l, list, {.kind = BUCKET_COUNT}, TIME_UNKNOWN};
}

static void note(struct sink *s, struct pushed p) {
    for (int i = 0; i < s->list->count; i++) {
        struct pushed *known = &s->list->items[i];
        if (known->kind == p.kind && known->detail == p.detail && known->key == p.key && known->from_ms == p.from_ms) {
            known->is_current = true;
            return;
        }
    }
    STORE_GROW(s->list->items, s->list->count, s->list->capacity);
    p.is_current = true;
    s->list->items[s->list->count++] = p;
}

void sink_hold(struct sink *s, const struct ledger_hold *hold) {
    if (hold->from_ms == TIME_UNKNOWN || hold->from_ms >= hold->to_ms)
        return;
    ledger_add_hold(s->ledger, hold);
    if (hold->to_ms == TIME_OPEN && hold->kind < s->now.kind)
        s->now = *hold;
    if (hold->to_ms != TIME_OPEN && hold->to_ms > s->over_ms)
        s->over_ms = hold->to_ms;
    note(s, (struct pushed){PUSHED_HOLD, (uint8_t)hold->kind, true, hold->key, 0});
}

void sink_disruption(struct sink *s, const struct ledger_disruption *d) {
    ledger_add_disruption(s->ledger, d);
    note(s, (struct pushed){PUSHED_DISRUPTION, (uint8_t)d->cause, true, d->key, 0});
}

void sink_silence(struct sink *s, uint64_t occupancy_id, int64_t from_ms, int64_t to_ms) {
    ledger_add_silence(s->ledger, occupancy_id, from_ms, to_ms);
    note(s, (struct pushed){PUSHED_SILENCE, 0, true, occupancy_id, from_ms});
}

void sink_restart(struct sink *s, uint64_t occupancy_id, int64_t down_ms, int64_t running_ms) {
    ledger_add_restart(s->ledger, occupancy_id, down_ms, running_ms);
    note(s, (struct pushed){PUSHED_RESTART, 0, true, occupancy_id, down_ms});
}

static void withdraw(struct ledger *l, const struct pushed *p) {
    if (p->kind == PUSHED_HOLD) {
        struct ledger_hold hold = {.kind = (enum bucket)p->detail, .key = p->key, .from_ms = 0, .to_ms = 0};
        ledger_add_hold(l, &hold);
    } else if (p->kind == PUSHED_DISRUPTION) {
        struct ledger_disruption d = {.cause = (enum cause)p->detail, .key = p->key, .at_ms = TIME_UNKNOWN};
        ledger_add_disruption(l, &d);
    } else if (p->kind == PUSHED_SILENCE) {
        ledger_add_silence(l, p->key, p->from_ms, p->from_ms);
    } else {
        ledger_add_restart(l, p->key, p->from_ms, p->from_ms - 1); /* a restart of 0 ms would remain one */
    }
}

void sink_end(struct sink *s) {
    int kept = 0;
    for (int i = 0; i < s->list->count; i++) {
        if (s->list->items[i].is_current)
            s->list->items[kept++] = s->list->items[i];
        else
            withdraw(s->ledger, &s->list->items[i]);
    }
    s->list->count = kept;
}

void sink_hold_pieces(const struct history *suspended, struct ledger_hold hold, struct sink *sink) {
    int64_t to_ms = hold.to_ms;
    for (int i = 0; i < suspended->count; i++) {
        const struct transition *off = &suspended->items[i];
        int64_t on_ms = i + 1 < suspended->count ? suspended->items[i + 1].at_ms : TIME_OPEN;
        if (!off->is_true || on_ms <= hold.from_ms || off->at_ms >= to_ms)
            continue;
        hold.to_ms = off->at_ms;
        sink_hold(sink, &hold);
        hold.from_ms = on_ms;
        hold.key = hash_stable(hold.key, HASH_BYTES(&on_ms));
    }
    hold.to_ms = to_ms;
    sink_hold(sink, &hold);
}
