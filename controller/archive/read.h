/* read: a job's lines from an archive. */
#ifndef ARCHIVE_READ_H
#define ARCHIVE_READ_H

#include "base/buf.h"
#include "base/error.h"

/* A job's lines from where its newest count starts, also of the object that still grows; to_ms: where its time ends. A
 * negative result ends the reading, and is its result. */
typedef int archive_visit(void *context, struct slice lines, int64_t to_ms, struct error **err);
/* Each job, by cluster and name; namespace_, name NULL: any. 0 also where there is none. Damaged objects are errors. */
int archive_each(const char *root, const char *namespace_, const char *name, archive_visit *visit, void *context,
                 struct error **err);
/* Appends all lines of the newest job of that name. namespace_ NULL: of any namespace. -ENOENT: there is none. Damaged
 * objects are errors. */
int archive_read(const char *root, const char *namespace_, const char *name, struct buf *out, struct error **err);

#endif
