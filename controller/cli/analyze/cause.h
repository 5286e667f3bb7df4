/* cause: why an attempt ended, by the last lines of its log: the root cause (rootcause/) as a cause of the ledger. */
#ifndef CLI_ANALYZE_CAUSE_H
#define CLI_ANALYZE_CAUSE_H

#include "base/slice.h"
#include "ledger/ledger.h"
#include "rootcause/signatures.h"

/* Fills cause, reason and evidence from the lines of `tail` (whole lines, the last one has the number last_line) that
 * come after after_line. False if they show no cause. */
bool analyze_cause_of(const struct matcher *m, const char *name, struct slice tail, int64_t last_line,
                      int64_t after_line, bool is_stamped, struct ledger_disruption *d);

#endif
