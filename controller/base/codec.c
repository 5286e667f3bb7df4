#include "base/codec.h"

#include "base/clock.h"
#include "base/mem.h"

#include <string.h>

struct codec codec_writing(struct buf *out) {
    return (struct codec){.out = out};
}

struct codec codec_reading(struct slice in) {
    return (struct codec){.in = in};
}

bool codec_is_reading(const struct codec *c) {
    return c->out == NULL;
}

bool codec_is_done(const struct codec *c) {
    return !c->failed && c->in.size_bytes == 0;
}

static void bytes(struct codec *c, void *data, size_t size) {
    if (!codec_is_reading(c)) {
        c->failed |= buf_append(c->out, data, size) < 0;
        return;
    }
    if (c->failed || c->in.size_bytes < size) {
        c->failed = true;
        memset(data, 0, size);
        return;
    }
    memcpy(data, c->in.data, size);
    c->in.data += size;
    c->in.size_bytes -= size;
}

/* LEB128: seven bits a byte, the lowest first. */
static uint64_t varint(struct codec *c, uint64_t v) {
    uint8_t byte;
    if (!codec_is_reading(c)) {
        for (; v > 0x7f; v >>= 7) {
            byte = (uint8_t)(v | 0x80);
            bytes(c, &byte, 1);
        }
        byte = (uint8_t)v;
        bytes(c, &byte, 1);
        return 0;
    }
    uint64_t got = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        bytes(c, &byte, 1);
        got |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return c->failed ? 0 : got;
    }
    c->failed = true;
    return 0;
}

static uint64_t zigzag(int64_t v) {
    return ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag(uint64_t v) {
    return (int64_t)((v >> 1) ^ (v & 1 ? UINT64_MAX : 0));
}

void codec_i64(struct codec *c, int64_t *v) {
    uint64_t coded = varint(c, zigzag(*v));
    if (codec_is_reading(c))
        *v = unzigzag(coded);
}

void codec_u64(struct codec *c, uint64_t *v) {
    uint8_t octets[8];
    for (int i = 0; i < 8; i++)
        octets[i] = (uint8_t)(*v >> (8 * i));
    bytes(c, octets, sizeof octets);
    if (!codec_is_reading(c))
        return;
    *v = 0;
    for (int i = 0; i < 8; i++)
        *v |= (uint64_t)octets[i] << (8 * i);
}

enum { TIME_IS_UNKNOWN, TIME_IS_OPEN, TIME_IS_THE_SAME, TIME_IS_ELSE };

void codec_time(struct codec *c, int64_t *ms) {
    uint8_t kind = *ms == TIME_UNKNOWN ? TIME_IS_UNKNOWN
                   : *ms == TIME_OPEN  ? TIME_IS_OPEN
                   : *ms == c->time_ms ? TIME_IS_THE_SAME
                                       : TIME_IS_ELSE;
    bytes(c, &kind, 1);
    c->failed |= kind > TIME_IS_ELSE;
    if (kind == TIME_IS_ELSE) {
        int64_t step = (int64_t)((uint64_t)*ms - (uint64_t)c->time_ms);
        codec_i64(c, &step);
        *ms = (int64_t)((uint64_t)c->time_ms + (uint64_t)step);
        c->time_ms = *ms;
    } else {
        *ms = kind == TIME_IS_UNKNOWN ? TIME_UNKNOWN : kind == TIME_IS_OPEN ? TIME_OPEN : c->time_ms;
    }
}

void codec_bool(struct codec *c, bool *v) {
    CODEC_INT(c, v, 0, 1);
}

int64_t codec_within(struct codec *c, int64_t v, int64_t low, int64_t high) {
    codec_i64(c, &v);
    if (v >= low && v <= high)
        return v;
    c->failed = true;
    return low;
}

size_t codec_count(struct codec *c, size_t count, size_t max) {
    uint64_t got = varint(c, count);
    if (!codec_is_reading(c))
        return count;
    if (got > max || got > c->in.size_bytes)
        c->failed = true;
    return c->failed ? 0 : (size_t)got;
}

void codec_text(struct codec *c, char **text, size_t max) {
    size_t size = *text ? strlen(*text) + 1 : 0;
    size = codec_count(c, size, max + 1); /* 0: NULL, else with one more */
    if (!codec_is_reading(c)) {
        if (size > 0)
            bytes(c, *text, size - 1);
        return;
    }
    free(*text);
    *text = size > 0 ? mem_alloc(size) : NULL;
    if (size > 0)
        bytes(c, *text, size - 1);
}

void codec_chars(struct codec *c, char *text, size_t size) {
    size_t count = codec_count(c, strnlen(text, size), size - 1);
    if (codec_is_reading(c))
        memset(text, 0, size);
    bytes(c, text, count);
}
