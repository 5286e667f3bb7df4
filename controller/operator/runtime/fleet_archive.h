/* fleet_archive: the older days of a FleetGoodput's sums (fleet/roll_archive.h) as objects of the archive: writes each
 * once, and reads them again after a restart. Nothing blocks. What fails is tried again at the next roll-up. */
#ifndef OPERATOR_RUNTIME_FLEET_ARCHIVE_H
#define OPERATOR_RUNTIME_FLEET_ARCHIVE_H

#include "fleet/roll.h"
#include "operator/runtime/archive.h"

struct fleet_archive;

/* Borrows all. key: as of roll_store(). changed: days were read or written, soon after the last roll-up. */
struct fleet_archive *fleet_archive_new(struct runtime_archive *archive, const char *name, struct roll *roll,
                                        uint64_t key, loop_callback *changed, void *context);
void fleet_archive_free(struct fleet_archive *f); /* NULL-safe; before the roll */

/* After a roll-up: reads what is not read, and writes the days that end before closed_until_ms: those of the newest
 * status that the API server has. */
void fleet_archive_continue(struct fleet_archive *f, int64_t closed_until_ms);
/* Days are read for the first time since the start: what the window holds is not known yet. NULL: false. */
bool fleet_archive_is_reading(const struct fleet_archive *f);
/* Why the newest day that is not read could not be; "". NULL: "". */
const char *fleet_archive_trouble(const struct fleet_archive *f);

#endif
