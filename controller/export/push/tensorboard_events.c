#include "export/push/tensorboard_events.h"

#include "base/crc32c.h"

#include <errno.h>

#define MAX_EVENT_BYTES (1 << 20)
enum wire { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
/* Fields of Event, Summary and Summary.Value. */
enum { EVENT_WALL_TIME = 1, EVENT_STEP = 2, EVENT_FILE_VERSION = 3, EVENT_SUMMARY = 5 };
enum { SUMMARY_VALUE = 1, VALUE_TAG = 1, VALUE_SIMPLE = 2 };

/* ---- writing ---- */

static void put_fixed(struct buf *b, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        buf_append_char(b, (char)(value >> 8 * i & 0xff));
}

static void put_varint(struct buf *b, uint64_t value) {
    for (; value > 0x7f; value >>= 7)
        buf_append_char(b, (char)((value & 0x7f) | 0x80));
    buf_append_char(b, (char)value);
}

static void put_key(struct buf *b, int field, enum wire wire) {
    put_varint(b, (uint64_t)field << 3 | wire);
}

static void put_double(struct buf *b, int field, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_key(b, field, FIXED64);
    put_fixed(b, bits, 8);
}

static void put_float(struct buf *b, int field, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_key(b, field, FIXED32);
    put_fixed(b, bits, 4);
}

static void put_bytes(struct buf *b, int field, struct slice bytes) {
    put_key(b, field, BYTES);
    put_varint(b, bytes.size_bytes);
    buf_append_slice(b, bytes);
}

/* TensorFlow masks checksums, because a checksum of data that holds checksums is weak
 * (tensorflow/core/lib/hash/crc32c.h). */
static uint32_t masked(struct slice bytes) {
    uint32_t crc = crc32c(bytes);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static void put_frame(struct buf *out, struct slice event) {
    CLEANUP_BUF struct buf length;
    buf_init(&length, 8);
    put_fixed(&length, event.size_bytes, 8);
    buf_append_slice(out, buf_slice(&length));
    put_fixed(out, masked(buf_slice(&length)), 4);
    buf_append_slice(out, event);
    put_fixed(out, masked(event), 4);
}

void tensorboard_write_version(struct buf *out, double wall_s) {
    CLEANUP_BUF struct buf event;
    buf_init(&event, 64);
    put_double(&event, EVENT_WALL_TIME, wall_s);
    put_bytes(&event, EVENT_FILE_VERSION, SLICE("brain.Event:2"));
    put_frame(out, buf_slice(&event));
}

void tensorboard_write_scalars(struct buf *out, double wall_s, int64_t step, const struct tensorboard_value *values,
                               int count) {
    CLEANUP_BUF struct buf event, summary, value;
    buf_init(&event, MAX_EVENT_BYTES);
    buf_init(&summary, MAX_EVENT_BYTES);
    buf_init(&value, 256);
    for (int i = 0; i < count; i++) {
        buf_clear(&value);
        put_bytes(&value, VALUE_TAG, slice_of(values[i].tag));
        put_float(&value, VALUE_SIMPLE, values[i].value);
        put_bytes(&summary, SUMMARY_VALUE, buf_slice(&value));
    }
    put_double(&event, EVENT_WALL_TIME, wall_s);
    put_key(&event, EVENT_STEP, VARINT);
    put_varint(&event, (uint64_t)step);
    put_bytes(&event, EVENT_SUMMARY, buf_slice(&summary));
    put_frame(out, buf_slice(&event));
}

/* ---- reading ---- */

static bool take_fixed(struct slice *s, int bytes, uint64_t *value) {
    if (s->size_bytes < (size_t)bytes)
        return false;
    *value = 0;
    for (int i = 0; i < bytes; i++)
        *value |= (uint64_t)(unsigned char)s->data[i] << 8 * i;
    *s = slice_skip(*s, (size_t)bytes);
    return true;
}

static bool take_varint(struct slice *s, uint64_t *value) {
    *value = 0;
    for (size_t i = 0; i < 10 && i < s->size_bytes; i++) {
        unsigned char c = (unsigned char)s->data[i];
        *value |= (uint64_t)(c & 0x7f) << 7 * i;
        if (c < 0x80) {
            *s = slice_skip(*s, i + 1);
            return true;
        }
    }
    return false;
}

int tensorboard_take(struct slice *file, struct slice *event) {
    struct slice s = *file;
    uint64_t length, length_crc, crc;
    if (s.size_bytes == 0)
        return 0;
    struct slice length_bytes = {s.data, 8};
    if (!take_fixed(&s, 8, &length) || !take_fixed(&s, 4, &length_crc) || masked(length_bytes) != length_crc ||
        length > MAX_EVENT_BYTES || s.size_bytes < length)
        return -EBADMSG;
    struct slice bytes = {s.data, (size_t)length};
    s = slice_skip(s, (size_t)length);
    if (!take_fixed(&s, 4, &crc) || masked(bytes) != crc)
        return -EBADMSG;
    *event = bytes;
    *file = s;
    return 1;
}

static bool take_field(struct slice *s, uint64_t *key, uint64_t *number, struct slice *bytes) {
    if (!take_varint(s, key))
        return false;
    switch (*key & 7) {
    case VARINT:
        return take_varint(s, number);
    case FIXED64:
        return take_fixed(s, 8, number);
    case FIXED32:
        return take_fixed(s, 4, number);
    case BYTES:
        if (!take_varint(s, number) || s->size_bytes < *number)
            return false;
        *bytes = (struct slice){s->data, (size_t)*number};
        *s = slice_skip(*s, (size_t)*number);
        return true;
    default:
        return false;
    }
}

int tensorboard_read(struct slice event, struct tensorboard_event *read) {
    *read = (struct tensorboard_event){0};
    while (event.size_bytes > 0) {
        uint64_t key, number;
        struct slice bytes;
        if (!take_field(&event, &key, &number, &bytes))
            return -EBADMSG;
        if (key == (EVENT_WALL_TIME << 3 | FIXED64))
            memcpy(&read->wall_s, &number, sizeof read->wall_s);
        else if (key == (EVENT_STEP << 3 | VARINT))
            read->step = (int64_t)number;
        else if (key == (EVENT_FILE_VERSION << 3 | BYTES))
            read->is_version = true;
        else if (key == (EVENT_SUMMARY << 3 | BYTES))
            read->has_summary = true;
    }
    return 0;
}
