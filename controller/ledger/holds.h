/* holds: the step function of the holds: which one applies when. Spans are half open, [from, to). Private to ledger/.
 */
#ifndef LEDGER_HOLDS_H
#define LEDGER_HOLDS_H

#include "ledger/ledger_internal.h"

/* Which hold applies: the first in table order; and whether the one of a dead process does. */
struct hold_state {
    int64_t from_ms;
    const struct hold_fact *scheduling, *process; /* NULL: none */
};

const struct hold_timeline *hold_timeline_get(struct ledger *l); /* rebuilt after a change; valid until the next fact */

#endif
