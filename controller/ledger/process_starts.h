/* process_starts: the starts of steps in a row, in the short way that a million of them need. Private to ledger/. */
#ifndef LEDGER_PROCESS_STARTS_H
#define LEDGER_PROCESS_STARTS_H

#include "ledger/process.h"

/* What process_add() does with each, once for all: of as many of the first ones as are ordinary. Returns how many. */
size_t process_add_starts(struct process *p, const struct step_start *steps, size_t count);

#endif
