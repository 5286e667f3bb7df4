/* cost: counts what an evaluation looks at (ledger_cost_of). Private to ledger/. */
#ifndef LEDGER_COST_H
#define LEDGER_COST_H

#include "ledger/training.h"

void cost_count(struct ledger *l, const struct training *t);

#endif
