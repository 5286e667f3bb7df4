/* look_table: what was read so far of the files of a source, as its cursor holds it:
 * "1 FLOOR NAME:PRINT:OFFSET:WRITTEN ... -NAME:PRINT:OFFSET ...", numbers in hex. Not for use outside sources/. */
#ifndef SOURCES_LOOK_TABLE_H
#define SOURCES_LOOK_TABLE_H

#include "base/buf.h"

#define LOOK_FILES 32 /* remembered; older ones are taken for read */
#define LOOK_OLD 48   /* ... and of this many enough is known to notice that one grows */

struct look_file {
    uint64_t name, print; /* hashes: of its name, and of the bytes before the offset */
    int64_t offset;       /* up to which it was read */
    int64_t written_ns;   /* when it was last written, as of then */
};

struct look_table {
    struct look_file files[LOOK_FILES]; /* the one last read is the last */
    int count;
    int64_t floor_ns; /* files last written before it that are not in the table were read before */
    struct look_old {
        uint32_t name, print;
        int64_t offset;
    } old[LOOK_OLD]; /* those that were in it last, a ring */
    int old_count, old_next;
};

bool look_table_parse(struct look_table *table, struct slice cursor); /* false: it is none */
void look_table_write(const struct look_table *table, struct buf *cursor);
void look_table_add_old(struct look_table *table, const struct look_file *file);

#endif
