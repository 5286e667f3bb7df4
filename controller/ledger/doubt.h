/* doubt: a result without its steps, where it is not known which counter of the log counts them. What the steps claimed
 * is Unattributed then, and no score needs it. */
#ifndef LEDGER_DOUBT_H
#define LEDGER_DOUBT_H

#include "ledger/entries.h"
#include "ledger/evaluate.h"

/* entries: of the same evaluation; may be empty. */
void ledger_doubt_steps(struct ledger_result *r, struct ledger_entries *entries, const char *evidence);

#endif
