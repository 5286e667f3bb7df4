#include "ledger/settled_report.h"

#include "ledger/ledger_internal.h"
#include "ledger/settled_state.h"

#include <string.h>

static void fill_sums(struct ledger_settled_sums *to, const struct settled *s) {
    for (int i = 0; i < ACCOUNT_COUNT; i++)
        if (s->sums.accounts[i].ms > 0)
            to->buckets[to->bucket_count++] = settled_bucket_of(&s->sums, i);
    for (size_t i = 0; i < s->listed_count; i++) {
        struct ledger_settled_cost c = settled_cost_of((int)(s->older.count + (int64_t)i) + 1, &s->listed[i].recovery);
        settled_add_cost(to, &c);
    }
    to->idle_chip_ms = s->sums.down.chip_ms;
    to->waiting_chip_ms = s->sums.chip_ms_waiting;
}

int64_t ledger_settled_ms(const struct ledger *l) {
    return ledger_settled(l) != NULL ? ledger_settled(l)->through_ms : l->start_ms;
}

void ledger_report_settled(const struct ledger *l, const struct ledger_sink *to) {
    const struct settled *s = ledger_settled(l);
    struct ledger_interruption listed[SETTLED_LISTED] = {0};
    struct ledger_entries entries = {0};
    struct ledger_settled_part part = {
        .from_ms = l->start_ms, .to_ms = ledger_settled_ms(l), .entries = &entries, .interruptions = listed};
    if (s != NULL) {
        part.older = &s->older;
        part.interruption_count = (int)s->listed_count;
        memcpy(entries.custom_names, s->reported.custom_names, sizeof entries.custom_names);
        fill_sums(&entries.settled, s);
    }
    for (int i = 0; i < part.interruption_count; i++) {
        const struct listed *x = &s->listed[i];
        listed[i].number = (int)s->older.count + i + 1;
        listed[i].owner = ledger_blame_of(l, listed[i].number, x->item.cause != NULL ? &x->cause : NULL).owner;
    }
    to->settled(to->context, &part);
    ledger_entries_done(&entries);
}
