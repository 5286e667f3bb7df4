#include "export/push/otlp_wire.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
enum { MAX_VARINT = 10 };

/* ---- writing ---- */

static size_t varint(char to[static MAX_VARINT], uint64_t value) {
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        to[size++] = (char)(value | 0x80);
    to[size++] = (char)value;
    return size;
}

static void append_varint(struct buf *out, uint64_t value) {
    char bytes[MAX_VARINT];
    buf_append(out, bytes, varint(bytes, value));
}

static void append_tag(struct buf *out, int field, int type) {
    append_varint(out, (uint64_t)field << 3 | (uint64_t)type);
}

void otlp_uint(struct buf *out, int field, uint64_t value) {
    append_tag(out, field, VARINT);
    append_varint(out, value);
}

void otlp_fixed64(struct buf *out, int field, uint64_t value) {
    char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(value >> (8 * i));
    append_tag(out, field, FIXED64);
    buf_append(out, bytes, sizeof bytes);
}

void otlp_double(struct buf *out, int field, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    otlp_fixed64(out, field, bits);
}

void otlp_bytes(struct buf *out, int field, struct slice bytes) {
    append_tag(out, field, BYTES);
    append_varint(out, bytes.size_bytes);
    buf_append_slice(out, bytes);
}

/* The number of bytes of the UTF-8 character at the front; 0: it is invalid (RFC 3629, section 4). */
static size_t character(struct slice s) {
    const unsigned char *p = (const unsigned char *)s.data;
    size_t size = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0;
    if (size == 0 || size > s.size_bytes)
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF0 && p[1] < 0x90) ||
        (p[0] == 0xF4 && p[1] > 0x8F))
        return 0;
    return size;
}

void otlp_text(struct buf *out, int field, const char *text) {
    struct slice rest = slice_of(text);
    CLEANUP_BUF struct buf checked = {0};
    if (rest.size_bytes == 0)
        return;
    buf_init(&checked, 3 * rest.size_bytes);
    while (rest.size_bytes > 0) {
        size_t size = character(rest);
        if (size > 0)
            buf_append(&checked, rest.data, size);
        else
            buf_append_text(&checked, "\xEF\xBF\xBD");
        rest = slice_skip(rest, size > 0 ? size : 1);
    }
    otlp_bytes(out, field, buf_slice(&checked));
}

size_t otlp_begin(struct buf *out, int field) {
    append_tag(out, field, BYTES);
    return out->size_bytes;
}

void otlp_end(struct buf *out, size_t start) {
    char length[MAX_VARINT];
    size_t inside = out->size_bytes - start, size = varint(length, inside);
    if (buf_append(out, length, size) < 0)
        return;
    memmove(out->data + start + size, out->data + start, inside);
    memcpy(out->data + start, length, size);
}

void otlp_attribute(struct buf *out, int field, const char *key, const char *text) {
    if (text[0] == '\0')
        return;
    size_t pair = otlp_begin(out, field);
    otlp_text(out, 1, key);
    size_t value = otlp_begin(out, 2);
    otlp_text(out, 1, text);
    otlp_end(out, value);
    otlp_end(out, pair);
}

void otlp_attribute_int(struct buf *out, int field, const char *key, int64_t value) {
    size_t pair = otlp_begin(out, field);
    otlp_text(out, 1, key);
    size_t any = otlp_begin(out, 2);
    otlp_uint(out, 3, (uint64_t)value);
    otlp_end(out, any);
    otlp_end(out, pair);
}

/* ---- reading ---- */

static bool take_varint(struct slice *s, uint64_t *value) {
    *value = 0;
    for (int shift = 0; shift < 70 && s->size_bytes > 0; shift += 7) {
        unsigned char byte = (unsigned char)*s->data;
        *s = slice_skip(*s, 1);
        *value |= shift < 64 ? (uint64_t)(byte & 0x7F) << shift : 0;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* Takes the next field of a message: a number's value, or the bytes of BYTES. False at the end or at damage. */
static bool take_field(struct slice *s, int *field, int *type, uint64_t *number, struct slice *bytes) {
    uint64_t tag;
    if (s->size_bytes == 0 || !take_varint(s, &tag) || tag >> 3 == 0 || tag >> 3 > 536870911)
        return false;
    *field = (int)(tag >> 3);
    *type = (int)(tag & 7);
    *number = 0;
    *bytes = (struct slice){0};
    if (*type == VARINT)
        return take_varint(s, number);
    size_t size = *type == FIXED64 ? 8 : 4;
    if (*type == BYTES) {
        if (!take_varint(s, number) || *number > s->size_bytes)
            return false;
        size = (size_t)*number;
    } else if (*type != FIXED64 && *type != FIXED32) {
        return false;
    }
    if (size > s->size_bytes)
        return false;
    *bytes = (struct slice){s->data, size};
    *s = slice_skip(*s, size);
    return true;
}

static void copy_text(char to[static 512], struct slice text) {
    slice_copy(to, 512, text.size_bytes < 500 ? text : (struct slice){text.data, 500});
}

void otlp_read_answer(struct slice body, bool is_status, struct otlp_answer *answer) {
    struct slice bytes;
    int field, type;
    uint64_t number;
    *answer = (struct otlp_answer){0};
    if (!is_status) {
        struct slice partial = {0};
        while (take_field(&body, &field, &type, &number, &bytes))
            if (field == 1 && type == BYTES)
                partial = bytes;
        body = partial;
    }
    while (take_field(&body, &field, &type, &number, &bytes)) {
        if (field == 2 && type == BYTES)
            copy_text(answer->text, bytes);
        else if (!is_status && field == 1 && type == VARINT && (int64_t)number > 0)
            answer->rejected = (int64_t)number;
    }
}
