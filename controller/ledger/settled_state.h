/* settled_state: the sums of settled time, as entries.h has them. Private to ledger/. */
#ifndef LEDGER_SETTLED_STATE_H
#define LEDGER_SETTLED_STATE_H

#include "ledger/entries.h"
#include "ledger/settled.h"

struct ledger_settled_bucket settled_bucket_of(const struct sums *sums, int account);
struct ledger_settled_cost settled_cost_of(int interruption, const struct recovery *r);
void settled_add_cost(struct ledger_settled_sums *to, const struct ledger_settled_cost *c); /* if it cost any */

#endif
