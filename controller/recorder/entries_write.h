/* entries_write: what the bodies of entries:write and of a push hold, as the lines that are stored. */
#ifndef RECORDER_ENTRIES_WRITE_H
#define RECORDER_ENTRIES_WRITE_H

#include "base/buf.h"
#include "base/error.h"

#define ENTRY_MAX_BYTES ((size_t)256 << 10) /* Cloud Logging's own limit */
#define ENTRIES_MAX_JOBS 16                 /* of one request */

struct entries_lines {
    struct {
        char *job;
        struct buf lines;
    } jobs[ENTRIES_MAX_JOBS];
    int job_count, taken, refused;
    struct error *why; /* of the first that was refused */
};
void entries_lines_done(struct entries_lines *lines);

struct entries_received {
    int64_t at_ns;
    uint64_t *next_id; /* counts entries: their insertIds are in the order in which they came */
    const char *project;
};

/* The body of entries:write (https://cloud.google.com/logging/docs/reference/v2/rest/v2/entries/write). -EBADMSG: it is
 * none; -EPERM: another project's. Entries that cannot be taken are counted; without partialSuccess they keep the
 * others from being taken. */
int entries_write_read(struct entries_lines *lines, struct slice body, const struct entries_received *received,
                       struct error **err);
/* Lines as they are, each with the time at which it came before it, unless it begins with one. */
int entries_push_read(struct entries_lines *lines, struct slice body, const char *job,
                      const struct entries_received *received, struct error **err);

#endif
