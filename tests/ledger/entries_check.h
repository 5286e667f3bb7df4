/* entries_check: a ledger's entries, added up by hand, against its result. */
#ifndef TESTS_LEDGER_ENTRIES_CHECK_H
#define TESTS_LEDGER_ENTRIES_CHECK_H

#include "ledger/entries.h"
#include "ledger/evaluate.h"

/* What is settled is in no entry: of it only what is left over must not be negative. */
void check_entries(struct ledger *l, int64_t through_ms, const char *words);

#endif
