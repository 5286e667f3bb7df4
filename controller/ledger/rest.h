/* rest: a ledger between two evaluations, which may be minutes apart, in less memory. */
#ifndef LEDGER_REST_H
#define LEDGER_REST_H

#include "ledger/ledger.h"

/* Gives back memory that only an evaluation needs, and makes it again when it is needed: no result changes. A job of
 * one pod then takes half of it. Call it when the ledger was evaluated, saved or asked. */
void ledger_rest(struct ledger *l);

/* Private to ledger/: what is settled, unpacked; NULL: nothing is. */
struct settled;
struct settled *ledger_settled(const struct ledger *l);
void ledger_rest_done(struct ledger *l);

#endif
