/* buf: a growing byte buffer with a maximum from birth. Appending beyond the maximum fails and leaves what was there;
 * the buffer then remembers that it is truncated. Always NUL-terminated after the first append. Owned by its user:
 * buf_init, ..., buf_done. All-zero with a maximum set is valid. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/slice.h"

#include <stdarg.h>

struct buf {
    char *data;
    size_t size_bytes, capacity_bytes, maximum_bytes;
    bool truncated;
};

void buf_init(struct buf *b, size_t maximum_bytes);
void buf_done(struct buf *b);
#define CLEANUP_BUF __attribute__((cleanup(buf_done)))
void buf_clear(struct buf *b);                                      /* keeps the memory */
int buf_append(struct buf *b, const void *data, size_t size_bytes); /* 0 or -EMSGSIZE */
/* The same where its memory has to grow. */
char *buf_extend_growing(struct buf *b, size_t n);
/* Appends n bytes for the caller to fill; NULL: they do not fit. */
static inline char *buf_extend(struct buf *b, size_t n) {
    if (b->capacity_bytes - b->size_bytes <= n) /* one for the NUL */
        return buf_extend_growing(b, n);
    char *at = b->data + b->size_bytes;
    b->size_bytes += n;
    at[n] = '\0';
    return at;
}
int buf_append_text(struct buf *b, const char *text);
int buf_append_slice(struct buf *b, struct slice s);
int buf_append_char(struct buf *b, char c);
int buf_format(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
int buf_vformat(struct buf *b, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
/* Drops the first n bytes. */
void buf_consume(struct buf *b, size_t n);
struct slice buf_slice(const struct buf *b);
const char *buf_text(const struct buf *b); /* "" when empty; borrowed */
char *buf_take(struct buf *b);             /* moves the bytes out (never NULL); the buffer is empty afterwards */

#endif
