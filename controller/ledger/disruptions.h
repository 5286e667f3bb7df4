/* disruptions: the candidates for causes, in the order of the search for a cause. Of candidates that are equal in all
 * that decides, only one is kept: a failure of the whole job brings one per pod within a few seconds. Private to
 * ledger/. */
#ifndef LEDGER_DISRUPTIONS_H
#define LEDGER_DISRUPTIONS_H

#include "ledger/ledger_internal.h"

/* After the disruption at that position of its store was added or replaced; before: the old one, with at_ms
 * TIME_UNKNOWN if it is new. */
void disruptions_changed(struct ledger *l, size_t position, const struct disruption_fact *before);
/* The disruptions within [since_ms, known_ms]. The array is on the heap; its elements are valid until the next fact. */
const struct disruption_fact **disruptions_known(struct ledger *l, int64_t since_ms, int64_t known_ms,
                                                 size_t *ret_count);

#endif
