/* cause: why an attempt ended, by the last lines of its log. */
#ifndef CLI_ANALYZE_CAUSE_H
#define CLI_ANALYZE_CAUSE_H

#include "base/slice.h"
#include "ledger/ledger.h"

/* Why it ended, by the last lines of a log (tail: whole lines, the last of which has the number last_line) that come
 * after a line: fills cause, reason and evidence. */
bool analyze_cause_of(const char *name, struct slice tail, int64_t last_line, int64_t after_line, bool is_stamped,
                      struct ledger_disruption *d);

#endif
