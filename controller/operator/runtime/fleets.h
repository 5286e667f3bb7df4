/* fleets: keeps every FleetGoodput's status: reads the JobGoodputs as they come, rolls them up now and then
 * (fleet/roll.h) and writes the outcome with what it needs to resume; with an archive, older days are there
 * (fleet_archive.h). Only a leader does so. A write names the resourceVersion that it follows, and sums and what they
 * hold of each job are written together: neither a restart nor another leader counts anything twice. */
#ifndef OPERATOR_RUNTIME_FLEETS_H
#define OPERATOR_RUNTIME_FLEETS_H

#include "kube/client.h"
#include "kube/lease.h"
#include "operator/model/model.h"
#include "operator/runtime/archive.h"

struct fleets;

/* Borrows all. archive: NULL: there is none. interval_us: between two roll-ups. */
struct fleets *fleets_new(struct kube_client *client, const struct model *model, struct runtime_archive *archive,
                          int64_t interval_us);
void fleets_free(struct fleets *fleets);

/* A JobGoodput as the server sent it; an empty object: it was deleted. Names are NUL-terminated. */
void fleets_jobgoodput(struct fleets *fleets, const char *namespace_, const char *name, struct slice object);
/* Begins to watch FleetGoodputs. lease (borrowed): nothing is written while it is not held; NULL: no election. */
void fleets_lead(struct fleets *fleets, const struct kube_lease *lease);
/* All JobGoodputs have been listed, and this replica leads: begin. */
void fleets_set_active(struct fleets *fleets, bool is_active);

#endif
