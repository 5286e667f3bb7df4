/* evidence: one line that says what the largest span of a bucket is known from. Private to ledger/. */
#ifndef LEDGER_EVIDENCE_H
#define LEDGER_EVIDENCE_H

#include "ledger/sweep.h"

void evidence_write(char out[static LEDGER_TEXT_SIZE], const struct sweep *s, enum bucket bucket,
                    const struct account *account);
/* The slot whose image pull was the last to end in this execution; "" if none is known. */
void evidence_write_puller(char out[static LEDGER_NAME_SIZE], const struct sweep *s, const struct execution *x);
/* Of the span that is open. */
void evidence_write_slices(char out[static LEDGER_TEXT_SIZE], const struct sweep *s, const struct slices_down *down);

/* The occupancy at that position of its store is another than before. */
void evidence_occupancy_changed(struct ledger *l, size_t position);

#endif
