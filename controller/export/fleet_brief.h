/* fleet_brief: the numbers of a JobGoodput that every scrape needs, kept in about 500 bytes. Reading 10,000 statuses of
 * 8 KB takes longer than a scrape may; a status is read once when it changes. */
#ifndef EXPORT_FLEET_BRIEF_H
#define EXPORT_FLEET_BRIEF_H

#include "export/fleet_read.h"

struct fleet_brief;

/* Heap; NULL if the object is not a JSON object. */
struct fleet_brief *fleet_brief_new(struct slice object);
/* Plain values, queue, phase and buckets (without costs) as fleet_read_numbers reads them, and of the conditions only
 * StepLogAttached if it is False. The other lists are empty. */
void fleet_brief_get(const struct fleet_brief *brief, struct fleet_numbers *numbers);

#endif
