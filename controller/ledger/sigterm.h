/* sigterm: whether a process used its grace period for a checkpoint. Private to ledger/. */
#ifndef LEDGER_SIGTERM_H
#define LEDGER_SIGTERM_H

#include "ledger/evaluate.h"
#include "ledger/sweep.h"

/* Whether the process saved a checkpoint after SIGTERM. Returns the index of the interruption, -1 if not known. */
ptrdiff_t sigterm_find_saved(const struct sweep *s, const struct view *v, enum ledger_saved *ret_saved);
/* Joins the answers of two processes of one interruption: one that saved is enough. */
static inline enum ledger_saved sigterm_join_saved(enum ledger_saved a, enum ledger_saved b) {
    return a == SAVED_YES || b == SAVED_UNKNOWN ? a : b;
}

#endif
