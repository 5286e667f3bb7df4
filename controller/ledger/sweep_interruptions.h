/* sweep_interruptions: what each interruption cost: its times, and the lost time that belongs to it alone. Private to
 * ledger/. */
#ifndef LEDGER_SWEEP_INTERRUPTIONS_H
#define LEDGER_SWEEP_INTERRUPTIONS_H

#include "ledger/entries.h"
#include "ledger/sweep.h"

struct sweep_cost {   /* what a span is part of */
    int interruption; /* index of the one that caused the loss; -1: none did */
    enum ledger_recovery recovery;
};

/* Books a span of ms from t on, while that many chips were allocated. */
struct sweep_cost sweep_book_interruptions(struct sweep *s, const struct verdict *v, int64_t t, int64_t ms,
                                           int64_t chips);
/* Adds chips x ms. */
void sweep_add_chips(int64_t *sum, int64_t chips, int64_t ms);

#endif
