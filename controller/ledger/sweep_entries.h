/* sweep_entries: the entries (entries.h) of a sweep. Private to ledger/. */
#ifndef LEDGER_SWEEP_ENTRIES_H
#define LEDGER_SWEEP_ENTRIES_H

#include "ledger/entries.h"
#include "ledger/sweep_interruptions.h"

/* The base that a span was judged by, and what was booked for it. */
struct booked {
    const struct base *base;
    struct sweep_cost cost;
    int64_t chips, idle_chips, waiting_chips;
    bool is_provisional;
};

/* Fills in the sums of settled time, from which the sweep continues; nothing without entries. */
void sweep_start_entries(struct sweep *s);
/* Adds [from_ms, to_ms), which has just been booked; nothing without entries. */
void sweep_add_entry(struct sweep *s, const struct verdict *v, const struct booked *booked, int64_t from_ms,
                     int64_t to_ms);

#endif
