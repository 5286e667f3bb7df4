/* entries_check: the settled sums and the entries of a ledger, added up by hand, against its result. */
#ifndef TESTS_LEDGER_ENTRIES_CHECK_H
#define TESTS_LEDGER_ENTRIES_CHECK_H

#include "ledger/entries.h"
#include "ledger/evaluate.h"

void check_entries(struct ledger *l, int64_t through_ms, const char *words);

#endif
