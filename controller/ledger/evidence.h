/* evidence: one line that names the source of a bucket's largest span. Private to ledger/. */
#ifndef LEDGER_EVIDENCE_H
#define LEDGER_EVIDENCE_H

#include "ledger/sweep.h"

void evidence_write(char out[static LEDGER_TEXT_SIZE], const struct sweep *s, enum bucket bucket,
                    const struct account *account);
/* The slot whose image pull was the last to end in this execution; "" if none is known. */
void evidence_write_puller(char out[static LEDGER_NAME_SIZE], const struct sweep *s, const struct execution *x);
/* Evidence of the open span. */
void evidence_write_slices(char out[static LEDGER_TEXT_SIZE], const struct sweep *s, const struct slices_down *down);

/* The occupancy at that position of its store was added or changed. */
void evidence_occupancy_changed(struct ledger *l, size_t position);

#endif
