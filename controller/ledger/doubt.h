/* doubt: a result without its steps, where it is not known which counter of the log counts them. What the steps claimed
 * is Unattributed then, and no score needs it. */
#ifndef LEDGER_DOUBT_H
#define LEDGER_DOUBT_H

#include "ledger/evaluate.h"

void ledger_doubt_steps(struct ledger_result *r, const char *evidence);

#endif
