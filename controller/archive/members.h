/* members: an object of an archive is gzip: one member for each part of a job's time that was written at once. A part
 * begins with a line that has its time; any program that reads gzip reads the lines of all members. */
#ifndef ARCHIVE_MEMBERS_H
#define ARCHIVE_MEMBERS_H

#include "base/buf.h"

#include <stdint.h>

#define ARCHIVE_MAX_BYTES ((size_t)64 << 20) /* of a member's lines */

struct archive_part {
    int64_t from_ms, to_ms;
    bool is_final;
};

/* Appends a member of the part's line and `lines`; false: it would be too large. */
bool archive_member_write(const struct archive_part *part, struct slice lines, struct buf *out);
/* Takes a whole member from the front of *in; false: there is none, or it is torn or damaged. text: its lines. */
bool archive_member_take(struct slice *in, struct buf *text, struct archive_part *part);

#endif
