#include "kube/protobuf_reply.h"

#include "kube/list.h"

#include <errno.h>

#define MAGIC SLICE("k8s\0")
#define HEADER_BYTES ((size_t)4) /* of a frame of a watch: its length, big-endian */
enum { FIELD_METADATA = 1, FIELD_ITEMS = 2, FIELD_RAW = 2, WIRE_BYTES = 2 };

static const struct protobuf_field status_rows[] = {
    PROTOBUF_FIELD(2, PROTOBUF_STRING, false, "status", NULL, NULL),
    PROTOBUF_FIELD(3, PROTOBUF_STRING, false, "message", NULL, NULL),
    PROTOBUF_FIELD(4, PROTOBUF_STRING, false, "reason", NULL, NULL),
    PROTOBUF_FIELD(6, PROTOBUF_INT, false, "code", NULL, NULL),
};
static const struct protobuf_message status_message = PROTOBUF_MESSAGE_OF(status_rows);
static const struct protobuf_field list_rows[] = {
    PROTOBUF_FIELD(2, PROTOBUF_STRING, false, "resourceVersion", NULL, NULL),
    PROTOBUF_FIELD(3, PROTOBUF_STRING, false, "continue", NULL, NULL),
    PROTOBUF_FIELD(4, PROTOBUF_INT, false, "remainingItemCount", NULL, NULL),
};
static const struct protobuf_message list_metadata = PROTOBUF_MESSAGE_OF(list_rows);
/* A bookmark is an object of the kind that is watched, whose readers need not know of it. */
static const struct protobuf_field bookmark_meta_rows[] = {
    PROTOBUF_FIELD(6, PROTOBUF_STRING, false, "resourceVersion", NULL, NULL),
    PROTOBUF_FIELD(12, PROTOBUF_TEXTS, false, "annotations", NULL, NULL),
};
static const struct protobuf_message bookmark_meta = PROTOBUF_MESSAGE_OF(bookmark_meta_rows);
static const struct protobuf_field bookmark_rows[] = {
    PROTOBUF_FIELD(FIELD_METADATA, PROTOBUF_MESSAGE, false, "metadata", &bookmark_meta, NULL),
};
static const struct protobuf_message bookmark_message = PROTOBUF_MESSAGE_OF(bookmark_rows);

bool kube_protobuf_is(const char *content_type) {
    return slice_starts(slice_of(content_type), "application/vnd.kubernetes.protobuf");
}

void kube_protobuf_init(struct kube_protobuf *p, const struct protobuf_message *object) {
    *p = (struct kube_protobuf){.object = object};
    buf_init(&p->part, HEADER_BYTES + KUBE_OBJECT_MAX_BYTES);
    buf_init(&p->json, KUBE_OBJECT_MAX_BYTES);
}

void kube_protobuf_done(struct kube_protobuf *p) {
    buf_done(&p->part);
    buf_done(&p->json);
}

void kube_protobuf_clear(struct kube_protobuf *p) {
    struct kube_protobuf before = *p;
    kube_protobuf_done(p);
    kube_protobuf_init(p, before.object);
    p->choose = before.choose;
    p->choice_context = before.choice_context;
}

bool kube_protobuf_is_partial(const struct kube_protobuf *p) {
    return p->part.size_bytes > 0 || p->skip_bytes > 0 || p->level != KUBE_PROTOBUF_MAGIC;
}

/* Moves up to size_bytes from the front of *bytes to the end of the part. */
static void keep(struct kube_protobuf *p, struct slice *bytes, size_t size_bytes) {
    size_t n = size_bytes < bytes->size_bytes ? size_bytes : bytes->size_bytes;
    buf_append(&p->part, bytes->data, n);
    *bytes = slice_skip(*bytes, n);
}

static void skip(struct kube_protobuf *p, struct slice *bytes) {
    size_t n = p->skip_bytes < bytes->size_bytes ? (size_t)p->skip_bytes : bytes->size_bytes;
    *bytes = slice_skip(*bytes, n);
    p->skip_bytes -= n;
}

/* ---- one object ---- */

/* The first bytes field of that number; empty if there is none, or nothing well-formed before it. */
static struct slice find_bytes(struct slice message, uint32_t number) {
    struct protobuf_value v;
    while (protobuf_next(&message, &v) > 0)
        if (v.number == number && v.is_bytes)
            return v.bytes;
    return (struct slice){"", 0};
}

static const struct protobuf_message *message_of(const struct kube_protobuf *p, struct slice object) {
    enum { UID = 5 }; /* of ObjectMeta */
    return p->choose == NULL ? p->object
                             : p->choose(p->choice_context, find_bytes(find_bytes(object, FIELD_METADATA), UID));
}

/* runtime.Unknown behind the magic number: typeMeta, raw, contentEncoding, contentType. */
static int write_object(struct jwrite *w, const struct kube_protobuf *p, struct slice envelope, bool is_bookmark) {
    struct slice raw = {"", 0}, kind = {"", 0};
    struct protobuf_value v;
    int r;
    if (envelope.size_bytes < MAGIC.size_bytes || memcmp(envelope.data, MAGIC.data, MAGIC.size_bytes) != 0)
        return -EBADMSG;
    envelope = slice_skip(envelope, MAGIC.size_bytes);
    while ((r = protobuf_next(&envelope, &v)) > 0) {
        struct slice type = v.bytes;
        struct protobuf_value t;
        if (v.number == 1 && v.is_bytes)
            while ((r = protobuf_next(&type, &t)) > 0)
                kind = t.number == 2 && t.is_bytes ? t.bytes : kind;
        else if (v.number == FIELD_RAW && v.is_bytes)
            raw = v.bytes;
        if (r < 0)
            break;
    }
    jwrite_object(w);
    jwrite_key(w, "kind");
    jwrite_slice(w, kind);
    if (r == 0)
        r = protobuf_write_members(w,
                                   slice_is(kind, "Status") ? &status_message
                                   : is_bookmark            ? &bookmark_message
                                                            : message_of(p, raw),
                                   raw);
    jwrite_object_end(w);
    return r;
}

struct slice kube_protobuf_one(struct kube_protobuf *p, struct slice body) {
    struct jwrite w;
    buf_clear(&p->json);
    jwrite_init(&w, &p->json);
    int r = write_object(&w, p, body, false);
    return r == 0 && !p->json.truncated ? buf_slice(&p->json) : (struct slice){"", 0};
}

/* ---- a watch: each frame becomes a line ---- */

/* WatchEvent: type, object, which is a RawExtension: raw. */
static int write_event(struct kube_protobuf *p, struct slice frame) {
    struct slice type = {"", 0}, extension = {"", 0}, raw = {"", 0};
    struct protobuf_value v;
    struct jwrite w;
    int r;
    while ((r = protobuf_next(&frame, &v)) > 0)
        if (v.is_bytes && v.number == 1)
            type = v.bytes;
        else if (v.is_bytes && v.number == 2)
            extension = v.bytes;
    while (r == 0 && (r = protobuf_next(&extension, &v)) > 0) {
        raw = v.is_bytes && v.number == 1 ? v.bytes : raw;
        r = 0;
    }
    if (r < 0)
        return r;
    buf_clear(&p->json);
    jwrite_init(&w, &p->json);
    jwrite_object(&w);
    jwrite_key(&w, "type");
    jwrite_slice(&w, type);
    jwrite_key(&w, "object");
    r = write_object(&w, p, raw, slice_is(type, "BOOKMARK"));
    jwrite_object_end(&w);
    buf_append_char(&p->json, '\n');
    return r;
}

static int take_frame(struct kube_protobuf *p, struct slice frame, kube_protobuf_sink *sink, void *context) {
    int r = write_event(p, frame);
    if (r < 0)
        return r;
    if (!p->json.truncated)
        return sink(context, buf_slice(&p->json));
    p->left_out++;
    return 0;
}

static size_t frame_size(const char *header) {
    const unsigned char *h = (const unsigned char *)header;
    return (size_t)h[0] << 24 | (size_t)h[1] << 16 | (size_t)h[2] << 8 | h[3];
}

/* The frame that is kept in part: a piece more of it. */
static int feed_part(struct kube_protobuf *p, struct slice *bytes, kube_protobuf_sink *sink, void *context) {
    if (p->part.size_bytes < HEADER_BYTES)
        keep(p, bytes, HEADER_BYTES - p->part.size_bytes);
    if (p->part.size_bytes < HEADER_BYTES)
        return 0;
    size_t size = frame_size(p->part.data);
    if (size > KUBE_OBJECT_MAX_BYTES) {
        p->left_out++;
        p->skip_bytes = size;
        buf_clear(&p->part);
        return 0;
    }
    keep(p, bytes, HEADER_BYTES + size - p->part.size_bytes);
    if (p->part.size_bytes < HEADER_BYTES + size)
        return 0;
    int r = take_frame(p, slice_skip(buf_slice(&p->part), HEADER_BYTES), sink, context);
    buf_clear(&p->part);
    return r;
}

int kube_protobuf_feed_watch(struct kube_protobuf *p, struct slice bytes, kube_protobuf_sink *sink, void *context) {
    int r = 0;
    while (bytes.size_bytes > 0 && r == 0) {
        bool has_header = p->part.size_bytes == HEADER_BYTES; /* HTTP/2 brings it apart from its object */
        size_t head = has_header ? 0 : HEADER_BYTES, size = SIZE_MAX;
        if (has_header || (p->part.size_bytes == 0 && bytes.size_bytes >= HEADER_BYTES))
            size = frame_size(has_header ? p->part.data : bytes.data);
        if (p->skip_bytes > 0)
            skip(p, &bytes);
        else if (size <= KUBE_OBJECT_MAX_BYTES && bytes.size_bytes - head >= size) { /* whole: not copied */
            struct slice frame = {bytes.data + head, size};
            bytes = slice_skip(bytes, head + size);
            buf_clear(&p->part);
            r = take_frame(p, frame, sink, context);
        } else
            r = feed_part(p, &bytes, sink, context);
    }
    return r;
}

/* ---- a list: its metadata and its items as they come ---- */

static int write_field(struct kube_protobuf *p, struct slice message, kube_protobuf_sink *sink, void *context) {
    bool is_item = p->number == FIELD_ITEMS, is_first = is_item && !p->has_items;
    struct jwrite w;
    p->number = 0;
    buf_clear(&p->json);
    if (is_item)
        buf_append_text(&p->json, is_first ? ",\"items\":[" : ",");
    else
        buf_append_text(&p->json, p->has_items ? "],\"metadata\":" : ",\"metadata\":");
    p->has_items = is_item;
    jwrite_init(&w, &p->json);
    jwrite_object(&w);
    int r = protobuf_write_members(&w, is_item ? message_of(p, message) : &list_metadata, message);
    jwrite_object_end(&w);
    if (r < 0)
        return r;
    if (!p->json.truncated)
        return sink(context, buf_slice(&p->json));
    p->left_out++;
    p->has_items = p->has_items && !is_first; /* its comma or its bracket was left out as well */
    return 0;
}

static int end_list(struct kube_protobuf *p, kube_protobuf_sink *sink, void *context) {
    if (p->level != KUBE_PROTOBUF_LIST || p->list_bytes > 0 || p->number != 0 || p->skip_bytes > 0)
        return 0;
    p->level = KUBE_PROTOBUF_ENVELOPE;
    return sink(context, p->has_items ? SLICE("]}") : SLICE("}"));
}

/* Behind the head of a field, which is in part. */
static int begin_field(struct kube_protobuf *p, uint64_t key, uint64_t size, kube_protobuf_sink *sink, void *context) {
    bool is_bytes = (key & 7) == WIRE_BYTES;
    uint64_t head_bytes = p->part.size_bytes;
    buf_clear(&p->part);
    if (p->level == KUBE_PROTOBUF_ENVELOPE && is_bytes && key >> 3 == FIELD_RAW) {
        p->level = KUBE_PROTOBUF_LIST;
        p->list_bytes = size;
        return sink(context, SLICE("{\"kind\":\"List\""));
    }
    if (p->level == KUBE_PROTOBUF_LIST) {
        if (head_bytes > p->list_bytes || size > p->list_bytes - head_bytes)
            return -EBADMSG;
        p->list_bytes -= head_bytes + size;
        bool is_kept = is_bytes && (key >> 3 == FIELD_METADATA || key >> 3 == FIELD_ITEMS);
        if (is_kept && size <= KUBE_OBJECT_MAX_BYTES) {
            p->number = (uint32_t)(key >> 3);
            p->field_bytes = (size_t)size;
            return 0;
        }
        p->left_out += is_kept;
    }
    p->skip_bytes = size;
    return 0;
}

/* One byte more of the head of a field: its key, and its length or value. */
static int feed_head(struct kube_protobuf *p, struct slice *bytes, kube_protobuf_sink *sink, void *context) {
    static const uint64_t fixed_bytes[8] = {[1] = 8, [5] = 4};
    uint64_t key, size = 0;
    keep(p, bytes, 1);
    struct slice head = buf_slice(&p->part);
    int r = protobuf_take_varint(&head, &key);
    if (r <= 0)
        return r;
    if (key >> 3 == 0 || key >> 3 > UINT32_MAX || (key & 7) == 3 || (key & 7) == 4 || (key & 7) > 5)
        return -EBADMSG;
    if ((key & 7) == 0 || (key & 7) == WIRE_BYTES)
        r = protobuf_take_varint(&head, &size);
    if (r <= 0)
        return r;
    return begin_field(p, key, (key & 7) == WIRE_BYTES ? size : fixed_bytes[key & 7], sink, context);
}

/* A piece more of the field that is kept. */
static int feed_field(struct kube_protobuf *p, struct slice *bytes, kube_protobuf_sink *sink, void *context) {
    if (p->part.size_bytes == 0 && bytes->size_bytes >= p->field_bytes) { /* whole: not copied */
        struct slice message = {bytes->data, p->field_bytes};
        *bytes = slice_skip(*bytes, p->field_bytes);
        return write_field(p, message, sink, context);
    }
    keep(p, bytes, p->field_bytes - p->part.size_bytes);
    if (p->part.size_bytes < p->field_bytes)
        return 0;
    int r = write_field(p, buf_slice(&p->part), sink, context);
    buf_clear(&p->part);
    return r;
}

static int feed_magic(struct kube_protobuf *p, struct slice *bytes) {
    keep(p, bytes, MAGIC.size_bytes - p->part.size_bytes);
    if (memcmp(p->part.data, MAGIC.data, p->part.size_bytes) != 0)
        return -EBADMSG;
    if (p->part.size_bytes == MAGIC.size_bytes) {
        p->level = KUBE_PROTOBUF_ENVELOPE;
        buf_clear(&p->part);
    }
    return 0;
}

int kube_protobuf_feed_list(struct kube_protobuf *p, struct slice bytes, kube_protobuf_sink *sink, void *context) {
    int r = 0;
    while (r == 0 && (bytes.size_bytes > 0 || (p->number != 0 && p->field_bytes == 0))) {
        if (p->level == KUBE_PROTOBUF_MAGIC)
            r = feed_magic(p, &bytes);
        else if (p->skip_bytes > 0)
            skip(p, &bytes);
        else if (p->number != 0)
            r = feed_field(p, &bytes, sink, context);
        else
            r = feed_head(p, &bytes, sink, context);
        if (r == 0)
            r = end_list(p, sink, context);
    }
    return r;
}
