/* gzip: writes a gzip stream (RFC 1952) from parts that are compressed while they are made. Parts may be made in turns
 * and joined in any order, so that a writer whose output has another order than its input holds none of it
 * uncompressed. */
#ifndef BASE_GZIP_H
#define BASE_GZIP_H

#include "base/buf.h"

#include <stdint.h>

struct z_stream_s;

struct gzip_part {
    struct z_stream_s *deflate; /* NULL: nothing was added */
    struct buf out;             /* compressed; its truncated also says that a part did not fit */
    uint64_t crc, size_bytes;   /* of what was added */
};
void gzip_part_init(struct gzip_part *part, size_t maximum_bytes);
void gzip_part_done(struct gzip_part *part);
void gzip_part_add(struct gzip_part *part, struct slice bytes);

struct gzip {
    struct buf *out;
    uint64_t crc, size_bytes;
};
void gzip_begin(struct gzip *gzip, struct buf *out);
/* Appends the part, which is empty again afterwards. */
void gzip_join(struct gzip *gzip, struct gzip_part *part);
void gzip_end(struct gzip *gzip);

#endif
