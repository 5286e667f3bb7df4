#include "ledger/sweep_entries.h"

#include "ledger/evidence.h"
#include "ledger/settled_state.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

#define RECENT_TEXTS 16 /* spans next to each other share their evidence */

static int text_of(struct ledger_entries *e, const char *text) {
    if (text == NULL || text[0] == '\0')
        return -1;
    for (size_t i = e->text_count; i > 0 && i + RECENT_TEXTS > e->text_count; i--)
        if (strcmp(e->texts[i - 1], text) == 0)
            return (int)(i - 1);
    MEM_GROW(e->texts, e->text_count, e->text_capacity);
    e->texts[e->text_count] = mem_strdup(text);
    return (int)e->text_count++;
}

/* A line of a step that ended is at its end, of one that began at its start; of other lines the time is not kept. */
static int64_t stamp_of(const struct base *b) {
    if (b->kind != BASE_STEP)
        return TIME_UNKNOWN;
    return b->view->reports_starts ? b->from_ms : b->to_ms;
}

static void set_evidence(struct ledger_entry *e, struct sweep *s, const struct verdict *v, const struct base *b) {
    char text[LEDGER_TEXT_SIZE];
    e->line = 0;
    e->step = e->last_step = RECORD_NONE;
    e->stamp_ms = TIME_UNKNOWN;
    if (v->origin.hold != NULL) {
        e->text = text_of(s->entries, v->origin.hold->evidence);
        e->stamp_ms = v->origin.hold->from_ms;
        return;
    }
    e->is_log = v->origin.view != NULL;
    if (e->is_log) {
        e->text = text_of(s->entries, evidence_log_name(text, s, v->origin.view));
        e->line = v->origin.line;
        e->step = v->origin.step;
        e->last_step = v->origin.last_step;
        e->stamp_ms = v->is_work ? stamp_of(b) : TIME_UNKNOWN;
        return;
    }
    const char *unwatched = v->account == BUCKET_UNOBSERVED ? evidence_unwatched(s->ledger, e->from_ms) : NULL;
    if (v->account == BUCKET_UNOBSERVED && unwatched == NULL)
        unwatched = "no sign of life from the machine of a slot";
    e->text = text_of(s->entries, unwatched);
}

static void subtract_bucket(struct ledger_settled_bucket *b, const struct ledger_settled_bucket *before) {
    b->ms -= before->ms;
    b->count -= before->count;
    b->chip_ms -= before->chip_ms;
    b->interrupted_ms -= before->interrupted_ms;
    b->interrupted_chip_ms -= before->interrupted_chip_ms;
}

static void add_settled_bucket(struct ledger_settled_sums *to, const struct sweep *s, const struct settled *before,
                               int account) {
    struct ledger_settled_bucket b = settled_bucket_of(&s->sums, account);
    if (b.ms == 0 && before == NULL)
        return;
    if (before != NULL) {
        struct ledger_settled_bucket old = settled_bucket_of(&before->sums, account);
        subtract_bucket(&b, &old);
        if (b.ms == 0 && b.count == 0 && b.chip_ms == 0 && b.interrupted_ms == 0 && b.basis == old.basis)
            return;
    }
    to->buckets[to->bucket_count++] = b;
}

/* Of recoveries, only what work costs that is lost changes later: rollback.c. */
static void add_settled_cost(struct ledger_settled_sums *to, int interruption, const struct recovery *r,
                             const struct recovery *before) {
    struct ledger_settled_cost c = settled_cost_of(interruption, r);
    if (before != NULL) {
        c.tch_ms -= before->tch_ms;
        c.cost_ms -= before->cost_ms;
        c.chip_ms -= before->chip_ms;
        c.tre_ms = c.wait_ms = c.trm_ms = c.detect_ms = 0;
    }
    settled_add_cost(to, &c);
}

void sweep_start_entries(struct sweep *s) {
    static const struct recovery none;
    if (s->entries == NULL)
        return;
    struct ledger_settled_sums *to = &s->entries->settled;
    const struct settled *before = s->entries->keeps_changes ? ledger_settled(s->ledger) : NULL;
    for (int i = 0; i < ACCOUNT_COUNT; i++)
        add_settled_bucket(to, s, before, i);
    for (size_t i = 0; i < s->interruptions->count; i++) {
        const struct recovery *was = before == NULL             ? NULL
                                     : i < before->listed_count ? &before->listed[i].recovery
                                                                : &none;
        add_settled_cost(to, (int)s->settled->older.count + (int)i + 1, &s->recoveries[i], was);
    }
    if (before != NULL)
        return;
    to->provisional_ms = s->provisional_ms;
    to->idle_chip_ms = s->sums.down.chip_ms;
    to->waiting_chip_ms = s->sums.chip_ms_waiting;
}

static bool is_same(const struct ledger_entry *a, const struct ledger_entry *b) {
    return a->to_ms == b->from_ms && a->bucket == b->bucket && a->custom == b->custom && a->basis == b->basis &&
           a->chips == b->chips && a->idle_chips == b->idle_chips && a->waiting_chips == b->waiting_chips &&
           a->execution == b->execution && a->interruption == b->interruption && a->recovery == b->recovery &&
           a->is_lost_work == b->is_lost_work && a->is_provisional == b->is_provisional;
}

void sweep_add_entry(struct sweep *s, const struct verdict *v, const struct booked *booked, int64_t from_ms,
                     int64_t to_ms) {
    struct ledger_entries *all = s->entries;
    if (all == NULL)
        return;
    int older = s->settled != NULL ? (int)s->settled->older.count : 0;
    struct ledger_entry e = {.from_ms = from_ms,
                             .to_ms = to_ms,
                             .chips = booked->chips,
                             .idle_chips = booked->idle_chips,
                             .waiting_chips = max_of(0, booked->waiting_chips),
                             .execution = older + s->at.interruption + 2,
                             .interruption = booked->cost.interruption < 0 ? 0 : older + booked->cost.interruption + 1,
                             .bucket = v->account < BUCKET_COUNT ? (enum bucket)v->account : BUCKET_CUSTOM,
                             .custom = v->account < BUCKET_COUNT ? 0 : v->account - BUCKET_COUNT,
                             .basis = v->basis,
                             .recovery = booked->cost.recovery,
                             .is_lost_work = v->account == BUCKET_WASTED_PROGRESS && v->lost_to >= 0,
                             .is_provisional = booked->is_provisional,
                             .is_new = s->sums.span.from_ms == from_ms};
    struct ledger_entry *last = all->count > 0 ? &all->items[all->count - 1] : NULL;
    if (last != NULL && !e.is_new && is_same(last, &e)) {
        last->to_ms = to_ms;
        last->last_step = v->origin.view != NULL ? v->origin.last_step : last->last_step;
        return;
    }
    set_evidence(&e, s, v, booked->base);
    MEM_GROW(all->items, all->count, all->capacity);
    all->items[all->count++] = e;
}
