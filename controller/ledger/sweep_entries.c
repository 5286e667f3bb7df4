#include "ledger/sweep_entries.h"

#include "ledger/evidence.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

_Static_assert(LEDGER_SETTLED_BUCKETS == ACCOUNT_COUNT, "one row for each account");

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

static void add_settled_bucket(struct ledger_settled_sums *to, const struct sweep *s, int account) {
    const struct account *a = &s->sums.accounts[account];
    if (a->ms == 0)
        return;
    to->buckets[to->bucket_count++] = (struct ledger_settled_bucket){
        .bucket = account < BUCKET_COUNT ? (enum bucket)account : BUCKET_CUSTOM,
        .custom = account < BUCKET_COUNT ? 0 : account - BUCKET_COUNT,
        .basis = a->basis,
        .ms = a->ms,
        .count = a->count + (s->sums.span.account == account), /* the open span is counted when it ends */
        .chip_ms = a->chip_ms,
        .interrupted_ms = a->interrupted_ms,
        .interrupted_chip_ms = a->interrupted_chip_ms};
}

static void add_settled_cost(struct ledger_settled_sums *to, int interruption, const struct recovery *r) {
    if (r->tch_ms == 0 && r->tre_ms == 0 && r->wait_ms == 0 && r->trm_ms == 0 && r->cost_ms == 0 && r->detect_ms == 0)
        return;
    MEM_GROW(to->costs, to->cost_count, to->cost_capacity);
    to->costs[to->cost_count++] = (struct ledger_settled_cost){.interruption = interruption,
                                                               .tch_ms = r->tch_ms,
                                                               .tre_ms = r->tre_ms,
                                                               .wait_ms = r->wait_ms,
                                                               .trm_ms = r->trm_ms,
                                                               .cost_ms = r->cost_ms,
                                                               .chip_ms = r->chip_ms,
                                                               .detect_ms = r->detect_ms};
}

void sweep_start_entries(struct sweep *s) {
    if (s->entries == NULL)
        return;
    struct ledger_settled_sums *to = &s->entries->settled;
    for (int i = 0; i < ACCOUNT_COUNT; i++)
        add_settled_bucket(to, s, i);
    for (size_t i = 0; i < s->interruptions->count; i++)
        add_settled_cost(to, (int)s->settled->older.count + (int)i + 1, &s->recoveries[i]);
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
