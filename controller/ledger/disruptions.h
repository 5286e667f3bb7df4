/* disruptions: the candidates for causes, in the order in which causes are looked for. Of those alike in all that
 * decides, the one of the least key stands for all: a failure of the whole job comes with one for each pod, in the same
 * few seconds. Private to ledger/. */
#ifndef LEDGER_DISRUPTIONS_H
#define LEDGER_DISRUPTIONS_H

#include "ledger/ledger_internal.h"

/* After the disruption at that position of its store was added or replaced; before: at_ms TIME_UNKNOWN if it was not
 * there. */
void disruptions_changed(struct ledger *l, size_t position, const struct disruption_fact *before);
/* Those within [since_ms, known_ms]. Heap; what it points to is valid until the next fact. */
const struct disruption_fact **disruptions_known(struct ledger *l, int64_t since_ms, int64_t known_ms,
                                                 size_t *ret_count);

#endif
