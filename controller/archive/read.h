/* read: a job's lines from an archive. */
#ifndef ARCHIVE_READ_H
#define ARCHIVE_READ_H

#include "base/buf.h"
#include "base/error.h"

/* Appends all lines of the newest job of that name, from where its newest count starts, also of the object that still
 * grows. namespace_ NULL: of any namespace. -ENOENT: there is none. Damaged objects are errors. */
int archive_read(const char *root, const char *namespace_, const char *name, struct buf *out, struct error **err);

#endif
