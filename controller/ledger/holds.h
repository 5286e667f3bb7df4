/* holds: which hold applies when, as a step function of time. Spans are half open, [from, to). Private to ledger/. */
#ifndef LEDGER_HOLDS_H
#define LEDGER_HOLDS_H

#include "ledger/ledger_internal.h"

/* The hold that applies: the first in table order; and the one of a dead process. */
struct hold_state {
    int64_t from_ms;
    const struct hold_fact *scheduling, *process; /* NULL: none */
};

const struct hold_timeline *hold_timeline_get(struct ledger *l); /* rebuilt after a change; valid until the next fact */

#endif
