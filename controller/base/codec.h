/* codec: one function per structure that both writes it and reads it back, so that the two cannot differ. The function
 * gets a codec and visits its fields; whether they are written or filled in is the codec's matter. Numbers are varints,
 * times are written as the difference to the time before: both are small, and compress well.
 *
 * What is read may be hostile: every count is bounded by the caller and by the bytes that are left, and after the first
 * failure everything reads as zero. Whoever reads looks at `failed` at the end, and throws away what was filled in. */
#ifndef BASE_CODEC_H
#define BASE_CODEC_H

#include "base/buf.h"

#include <stdint.h>

struct codec {
    struct buf *out; /* NULL: reading */
    struct slice in;
    int64_t time_ms; /* the last time visited */
    bool failed;     /* ran out of bytes, or a value beyond its bounds */
};

struct codec codec_writing(struct buf *out);
struct codec codec_reading(struct slice in);
bool codec_is_reading(const struct codec *c);
/* All was read, and it was whole. */
bool codec_is_done(const struct codec *c);

void codec_i64(struct codec *c, int64_t *v);
void codec_u64(struct codec *c, uint64_t *v);  /* hashes: eight bytes */
void codec_time(struct codec *c, int64_t *ms); /* also TIME_UNKNOWN and TIME_OPEN */
void codec_bool(struct codec *c, bool *v);
/* From low to high, both included; for int fields and enums: CODEC_INT(c, &field, 0, 3). */
int64_t codec_within(struct codec *c, int64_t v, int64_t low, int64_t high);
#define CODEC_INT(c, field, low, high)                                                                                 \
    (*(field) = (__typeof__(*(field)))codec_within((c), (int64_t) * (field), (low), (high)))
/* How many elements follow: `count` when writing, else what is read, at most `most` and at most one a byte left. */
size_t codec_count(struct codec *c, size_t count, size_t max);
void codec_text(struct codec *c, char **text, size_t max);  /* heap; NULL is kept */
void codec_chars(struct codec *c, char *text, size_t size); /* an array, NUL-terminated */

#endif
