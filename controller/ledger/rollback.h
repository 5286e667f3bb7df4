/* rollback: which steps were done and lost, and to which interruption. Private to ledger/. */
#ifndef LEDGER_ROLLBACK_H
#define LEDGER_ROLLBACK_H

#include "ledger/training.h"

/* Decides which steps are lost to which interruption. at_end: the job ended with this outcome. With to_settle->at_ms
 * set, only runs from before it take steps away, and nothing is assumed. Returns true if work is retained although no
 * checkpoint proves it. */
bool training_settle(struct training *t, const struct strike *strikes, size_t count, bool at_end,
                     enum ledger_outcome outcome, struct durable_at *to_settle);
/* Whether any line says that a save is final: then only such lines make one durable. */
bool training_any_final(const struct training *t);
/* The loss that took this step of the run, or NULL. */
const struct loss *training_loss(const struct run *run, int64_t step);

#endif
