/* evidence: one line that names the source of a bucket's largest span. Private to ledger/. */
#ifndef LEDGER_EVIDENCE_H
#define LEDGER_EVIDENCE_H

#include "ledger/sweep.h"

void evidence_write(char out[static LEDGER_TEXT_SIZE], const struct sweep *s, enum bucket bucket,
                    const struct account *account);
/* The slot whose image pull was the last to end in this execution; "" if none is known. */
/* The name of the log's process, else its number. */
const char *evidence_log_name(char out[static LEDGER_NAME_SIZE], const struct sweep *s, const struct view *view);
/* That no controller watched at that time; NULL if one did. */
const char *evidence_unwatched(const struct ledger *l, int64_t at_ms);
void evidence_write_puller(char out[static LEDGER_NAME_SIZE], const struct sweep *s, const struct execution *x);
/* Evidence of the open span. */
void evidence_write_slices(char out[static LEDGER_TEXT_SIZE], const struct sweep *s, const struct slices_down *down);

/* The occupancy at that position of its store was added or changed. */
void evidence_occupancy_changed(struct ledger *l, size_t position);

#endif
