#include "base/buf.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void buf_init(struct buf *b, size_t maximum_bytes) {
    *b = (struct buf){.maximum_bytes = maximum_bytes};
}

void buf_done(struct buf *b) {
    free(b->data);
    buf_init(b, b->maximum_bytes);
}

void buf_clear(struct buf *b) {
    b->size_bytes = 0;
    b->truncated = false;
    if (b->data != NULL)
        b->data[0] = '\0';
}

/* Room for n more bytes and the NUL. */
static int reserve(struct buf *b, size_t n) {
    if (n > b->maximum_bytes - b->size_bytes) {
        b->truncated = true;
        return -EMSGSIZE;
    }
    size_t need = b->size_bytes + n + 1;
    if (need > b->capacity_bytes) {
        size_t capacity = b->capacity_bytes < 64 ? 64 : b->capacity_bytes;
        while (capacity < need)
            capacity *= 2;
        if (capacity - 1 > b->maximum_bytes)
            capacity = b->maximum_bytes + 1;
        b->data = mem_resize(b->data, capacity, 1);
        b->capacity_bytes = capacity;
    }
    return 0;
}

char *buf_extend_growing(struct buf *b, size_t n) {
    if (reserve(b, n) < 0)
        return NULL;
    char *at = b->data + b->size_bytes;
    b->size_bytes += n;
    b->data[b->size_bytes] = '\0';
    return at;
}

int buf_append(struct buf *b, const void *data, size_t size_bytes) {
    char *at = buf_extend(b, size_bytes);
    if (at == NULL)
        return -EMSGSIZE;
    if (size_bytes != 0)
        memcpy(at, data, size_bytes);
    return 0;
}

int buf_append_text(struct buf *b, const char *text) {
    return buf_append(b, text, strlen(text));
}

int buf_append_slice(struct buf *b, struct slice s) {
    return buf_append(b, s.data, s.size_bytes);
}

int buf_append_char(struct buf *b, char c) {
    char *at = buf_extend(b, 1);
    if (at == NULL)
        return -EMSGSIZE;
    *at = c;
    return 0;
}

int buf_format(struct buf *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int result = buf_vformat(b, format, args);
    va_end(args);
    return result;
}

int buf_vformat(struct buf *b, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    char small[256];
    int size = vsnprintf(small, sizeof small, format, args);
    int result = -EMSGSIZE;
    if (size >= 0 && (size_t)size < sizeof small) {
        result = buf_append(b, small, (size_t)size);
    } else if (size >= 0 && (result = reserve(b, (size_t)size)) == 0) {
        vsnprintf(b->data + b->size_bytes, (size_t)size + 1, format, again);
        b->size_bytes += (size_t)size;
    }
    va_end(again);
    return result;
}

void buf_consume(struct buf *b, size_t n) {
    if (n > b->size_bytes)
        n = b->size_bytes;
    if (n == 0)
        return;
    memmove(b->data, b->data + n, b->size_bytes - n + 1);
    b->size_bytes -= n;
}

struct slice buf_slice(const struct buf *b) {
    return (struct slice){buf_text(b), b->size_bytes};
}

const char *buf_text(const struct buf *b) {
    return b->data != NULL ? b->data : "";
}

char *buf_take(struct buf *b) {
    char *data = b->data != NULL ? b->data : mem_alloc(1);
    buf_init(b, b->maximum_bytes);
    return data;
}
