/* settled_report: the sums of all time that has settled, for who receives what settles later (ledger_set_sink). */
#ifndef LEDGER_SETTLED_REPORT_H
#define LEDGER_SETTLED_REPORT_H

#include "ledger/entries.h"

/* Calls it with the sums of all time that is settled, and without spans. Of an interruption only number and owner. */
int64_t ledger_settled_ms(const struct ledger *l); /* its end; without any, the ledger's start */
void ledger_report_settled(const struct ledger *l, const struct ledger_sink *to);

#endif
