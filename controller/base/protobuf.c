#include "base/protobuf.h"

#include "base/rfc3339.h"

#include <errno.h>

enum { VARINT_MAX_BYTES = 10, WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };
#define NUMBER_MAX ((UINT64_C(1) << 29) - 1)

int protobuf_take_varint(struct slice *bytes, uint64_t *value) {
    uint64_t sum = 0;
    for (size_t i = 0; i < VARINT_MAX_BYTES; i++) {
        if (i >= bytes->size_bytes)
            return 0;
        unsigned char byte = (unsigned char)bytes->data[i];
        if (i == VARINT_MAX_BYTES - 1 && byte > 1) /* beyond 64 bits */
            return -EBADMSG;
        sum |= (uint64_t)(byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            *value = sum;
            *bytes = slice_skip(*bytes, i + 1);
            return 1;
        }
    }
    return -EBADMSG;
}

static int take_bytes(struct slice *rest, uint64_t size, struct slice *ret) {
    if (size > rest->size_bytes)
        return -EBADMSG;
    *ret = (struct slice){rest->data, (size_t)size};
    *rest = slice_skip(*rest, (size_t)size);
    return 1;
}

static int next_slowly(struct slice *message, struct protobuf_value *value) {
    uint64_t key, size;
    if (message->size_bytes == 0)
        return 0;
    if (protobuf_take_varint(message, &key) <= 0 || key >> 3 == 0 || key >> 3 > NUMBER_MAX)
        return -EBADMSG;
    *value = (struct protobuf_value){.number = (uint32_t)(key >> 3), .is_bytes = (key & 7) == WIRE_BYTES};
    switch (key & 7) {
    case WIRE_VARINT:
        return protobuf_take_varint(message, &value->varint) == 1 ? 1 : -EBADMSG;
    case WIRE_BYTES:
        return protobuf_take_varint(message, &size) == 1 ? take_bytes(message, size, &value->bytes) : -EBADMSG;
    case WIRE_FIXED64:
        return take_bytes(message, 8, &value->bytes);
    case WIRE_FIXED32:
        return take_bytes(message, 4, &value->bytes);
    default: /* groups */
        return -EBADMSG;
    }
}

/* The number of bytes that a varint below 16,384 takes; 0: it is longer, or does not end here. */
static inline size_t take_small(const unsigned char *p, size_t size, uint32_t *ret) {
    if (size > 0 && p[0] < 0x80) {
        *ret = p[0];
        return 1;
    }
    if (size > 1 && p[1] < 0x80) {
        *ret = (uint32_t)(p[0] & 0x7F) | (uint32_t)p[1] << 7;
        return 2;
    }
    return 0;
}

/* Nearly all fields have a small number, and a small value or few bytes. */
static inline int next_field(struct slice *message, struct protobuf_value *value) {
    const unsigned char *p = (const unsigned char *)message->data;
    size_t size = message->size_bytes;
    uint32_t key = 0, number = 0;
    size_t n = take_small(p, size, &key), m = n == 0 ? 0 : take_small(p + n, size - n, &number);
    bool is_bytes = (key & 7) == WIRE_BYTES;
    size_t head = n + m, end = head + (is_bytes ? number : 0);
    if (m == 0 || key < 8 || (!is_bytes && (key & 7) != WIRE_VARINT) || end > size)
        return next_slowly(message, value);
    *value = (struct protobuf_value){
        key >> 3, is_bytes, is_bytes ? 0 : number, {message->data + head, is_bytes ? number : 0}};
    *message = (struct slice){message->data + end, size - end};
    return 1;
}

int protobuf_next(struct slice *message, struct protobuf_value *value) {
    return next_field(message, value);
}

static bool is_map(const struct protobuf_field *f) {
    return f->kind == PROTOBUF_TEXTS || f->kind == PROTOBUF_QUANTITIES;
}

static bool is_number(const struct protobuf_field *f) {
    return f->kind == PROTOBUF_INT || f->kind == PROTOBUF_BOOL;
}

/* The field's row if it is read; from: the one after the last that was. */
static const struct protobuf_field *find(const struct protobuf_message *m, const struct protobuf_field *from,
                                         uint32_t number) {
    const struct protobuf_field *end = m->fields + m->count;
    const struct protobuf_field *f = from < end && from->number <= number ? from : m->fields;
    while (f < end && f->number < number)
        f++;
    return f < end && f->number == number ? f : NULL;
}

/* The field of that number, which is text; the last one counts. Empty if there is none. */
static int read_text(struct slice message, uint32_t number, struct slice *ret) {
    struct protobuf_value v;
    int r;
    *ret = (struct slice){"", 0};
    while ((r = next_field(&message, &v)) > 0)
        if (v.number == number && v.is_bytes)
            *ret = v.bytes;
    return r;
}

static void write_name(struct jwrite *w, const struct protobuf_field *f) {
    jwrite_plain_key(w, (struct slice){f->name, f->name_size});
}

/* google.protobuf.Timestamp. A time beyond what int64 nanoseconds span is left out. */
static int write_time(struct jwrite *w, const struct protobuf_field *f, struct slice message) {
    enum { DIGITS = 6 };
    struct protobuf_value v;
    int64_t seconds = 0, nanoseconds = 0, unix_ns;
    char text[RFC3339_SIZE];
    bool is_empty = message.size_bytes == 0; /* Go's zero time, in JSON null */
    int r;
    while ((r = next_field(&message, &v)) > 0)
        if (!v.is_bytes && v.number == 1)
            seconds = (int64_t)v.varint;
        else if (!v.is_bytes && v.number == 2)
            nanoseconds = (int64_t)v.varint;
    if (r < 0 || is_empty || nanoseconds < 0 || nanoseconds >= 1000000000 ||
        __builtin_mul_overflow(seconds, INT64_C(1000000000), &unix_ns) ||
        __builtin_add_overflow(unix_ns, nanoseconds, &unix_ns))
        return r;
    write_name(w, f);
    jwrite_text(w, rfc3339_format(text, unix_ns, f->kind == PROTOBUF_TIME ? 0 : DIGITS));
    return 0;
}

static int write_entry(struct jwrite *w, const struct protobuf_field *f, struct slice entry) {
    struct slice key, value;
    if (read_text(entry, 1, &key) < 0)
        return -EBADMSG;
    if (f->reads != NULL && !f->reads(key))
        return 0;
    if (read_text(entry, 2, &value) < 0 || (f->kind == PROTOBUF_QUANTITIES && read_text(value, 1, &value) < 0))
        return -EBADMSG;
    jwrite_key_slice(w, key);
    jwrite_slice(w, value);
    return 0;
}

/* The element of an array, or the entry of a map, that is open; of any other field the member. */
static int write_value(struct jwrite *w, const struct protobuf_field *f, const struct protobuf_value *v) {
    bool has_key = !f->is_repeated;
    if (is_map(f))
        return write_entry(w, f, v->bytes);
    if (f->kind == PROTOBUF_TIME || f->kind == PROTOBUF_MICRO_TIME)
        return write_time(w, f, v->bytes);
    if (f->kind == PROTOBUF_STRING && has_key && v->bytes.size_bytes == 0)
        return 0;
    if (has_key)
        write_name(w, f);
    int r = 0;
    if (f->kind == PROTOBUF_STRING)
        jwrite_slice(w, v->bytes);
    else if (f->kind == PROTOBUF_INT)
        jwrite_int(w, (int64_t)v->varint);
    else if (f->kind == PROTOBUF_BOOL)
        jwrite_bool(w, v->varint != 0);
    else {
        jwrite_object(w);
        r = protobuf_write_members(w, f->message, v->bytes);
        jwrite_object_end(w);
    }
    return r;
}

static void open_list(struct jwrite *w, const struct protobuf_field *f) {
    write_name(w, f);
    if (is_map(f))
        jwrite_object(w);
    else
        jwrite_array(w);
}

static void close_list(struct jwrite *w, const struct protobuf_field *f) {
    if (is_map(f))
        jwrite_object_end(w);
    else
        jwrite_array_end(w);
}

int protobuf_write_members(struct jwrite *w, const struct protobuf_message *message, struct slice bytes) {
    const struct protobuf_field *open = NULL, *next = message->fields;
    struct protobuf_value v;
    int r;
    while ((r = next_field(&bytes, &v)) > 0) {
        const struct protobuf_field *f = find(message, next, v.number);
        if (f == NULL || v.is_bytes == is_number(f))
            continue;
        next = f;
        bool is_list = f->is_repeated || is_map(f);
        if (open != NULL && open != f)
            close_list(w, open);
        if (is_list && open != f)
            open_list(w, f);
        open = is_list ? f : NULL;
        r = write_value(w, f, &v);
        if (r < 0)
            break;
    }
    if (open != NULL)
        close_list(w, open);
    return r;
}
