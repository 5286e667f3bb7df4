/* sum: what lives did until a time, as numbers: for a checkpoint that has no room for the lives themselves. Whoever
 * reads it adds the numbers (ledger_add_past), and each life that is told again with settled_ms. */
#ifndef LEDGER_SUM_H
#define LEDGER_SUM_H

#include "ledger/ledger.h"

struct ledger_sum;

struct ledger_sum *ledger_sum_begin(struct ledger *l, int64_t until_ms);
/* True: it holds its slot at until_ms. */
bool ledger_sum_life(struct ledger_sum *s, uint64_t id);
/* Hands on what they did, each time once, in no order, as if all of them ended at until_ms; frees the sum. */
void ledger_sum_done(struct ledger_sum *s, void (*change)(void *context, const struct ledger_change *change),
                     void *context);

#endif
