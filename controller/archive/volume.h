/* volume: an archive in a folder of a volume. Calls block: they belong on a thread (io/work.h). At most one at a time
 * for a job, by one process.
 *
 * A job's newest object grows in .open/ by whole gzip members, each written and synced before the checkpoint that
 * contains its time is. A successor that starts from a checkpoint continues behind the member that ends at the
 * checkpoint's settled time: members behind it are cut off, since their time settles again. When an object is complete
 * it is renamed into its folder, and never changes. */
#ifndef ARCHIVE_VOLUME_H
#define ARCHIVE_VOLUME_H

#include "archive/members.h"
#include "archive/object.h"
#include "base/error.h"

/* Appends the part to the job's object. before: the lines that an archive begins with at the part's start; with them,
 * a new object begins where no member ends at that time, or where is_restart. -ESTALE: they would be needed, and are
 * NULL. Other errors say what to do; the object is as before then. *ret_end_ms: where the job's newest object ended
 * before; TIME_UNKNOWN: there was none. */
int archive_volume_append(const char *root, const struct archive_key *key, const struct archive_part *part,
                          const char *before, struct slice lines, bool is_restart, int64_t *ret_end_ms,
                          struct error **err);
/* Completes the job's object, unless it has no time yet; another one begins where it ends, unless it is final or the
 * last. *ret_count: the objects that were completed, 0 or 1; *ret_end_ms (NULL: not asked): where it
 * ends. -EEXIST: another one of its name exists, with other content. */
int archive_volume_publish(const char *root, const struct archive_key *key, bool is_last, int *ret_count,
                           int64_t *ret_end_ms, struct error **err);
/* Puts a whole object at this key, where none is: one that is there stays as it is, without an error. */
int archive_volume_put(const char *root, const char *key, struct slice text, struct error **err);

#endif
