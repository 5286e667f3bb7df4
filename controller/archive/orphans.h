/* orphans: objects in .open/ whose jobs ended while no controller ran: they grow no more, and no controller completes
 * them. */
#ifndef ARCHIVE_ORPHANS_H
#define ARCHIVE_ORPHANS_H

#include "archive/object.h"
#include "base/error.h"

/* Whether nothing follows in this job's objects. key: its texts are cut as in the names of objects. */
typedef bool archive_is_ended(void *context, const struct archive_key *key);
/* Completes these objects of a cluster, and deletes those without any time. Blocks; no other call may write the
 * cluster's objects meanwhile. An object that cannot be completed stays; the others do not: err is of the newest one
 * then. */
int archive_complete_orphans(const char *root, const char *cluster, int64_t now_s, archive_is_ended *is_ended,
                             void *context, int *ret_count, struct error **err);

#endif
