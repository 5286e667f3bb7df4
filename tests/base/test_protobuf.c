/* Bytes by hand, from protobuf.dev/programming-guides/encoding. */
#include "base/protobuf.h"
#include "harness.h"

#include <errno.h>

static const struct protobuf_field inner_rows[] = {PROTOBUF_FIELD(1, PROTOBUF_INT, false, "code", NULL, NULL)};
static const struct protobuf_message inner = PROTOBUF_MESSAGE_OF(inner_rows);
static bool is_read(struct slice key) {
    return slice_is(key, "read");
}

static const struct protobuf_field rows[] = {
    PROTOBUF_FIELD(1, PROTOBUF_STRING, false, "text", NULL, NULL),
    PROTOBUF_FIELD(2, PROTOBUF_INT, false, "number", NULL, NULL),
    PROTOBUF_FIELD(3, PROTOBUF_BOOL, false, "is", NULL, NULL),
    PROTOBUF_FIELD(4, PROTOBUF_TIME, false, "at", NULL, NULL),
    PROTOBUF_FIELD(5, PROTOBUF_MICRO_TIME, false, "exact", NULL, NULL),
    PROTOBUF_FIELD(6, PROTOBUF_MESSAGE, false, "one", &inner, NULL),
    PROTOBUF_FIELD(7, PROTOBUF_MESSAGE, true, "many", &inner, NULL),
    PROTOBUF_FIELD(8, PROTOBUF_TEXTS, false, "labels", NULL, NULL),
    PROTOBUF_FIELD(9, PROTOBUF_QUANTITIES, false, "limits", NULL, NULL),
    PROTOBUF_FIELD(20, PROTOBUF_STRING, true, "names", NULL, NULL),
    PROTOBUF_FIELD(21, PROTOBUF_TEXTS, false, "some", NULL, is_read),
};
static const struct protobuf_message outer = PROTOBUF_MESSAGE_OF(rows);

/* The JSON, or "-" if it is refused. */
static const char *json_of(struct slice bytes, struct buf *out) {
    struct jwrite w;
    buf_clear(out);
    jwrite_init(&w, out);
    jwrite_object(&w);
    int r = protobuf_write_members(&w, &outer, bytes);
    jwrite_object_end(&w);
    CHECK(r == 0 || r == -EBADMSG);
    return r < 0 ? "-" : buf_text(out);
}

#define JSON(literal, expected) CHECK_TEXT(json_of(SLICE(literal), &out), expected)

TEST(fields_by_kind) {
    struct buf out CLEANUP_BUF = {0};
    buf_init(&out, 1 << 20);
    JSON("", "{}");
    JSON("\x0a\x07testing", "{\"text\":\"testing\"}");
    JSON("\x0a\x00", "{}"); /* an empty text is absent */
    JSON("\x10\x96\x01", "{\"number\":150}");
    JSON("\x10\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", "{\"number\":-2}"); /* the guide's -2 */
    JSON("\x10\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "{\"number\":-9223372036854775808}");
    JSON("\x18\x01", "{\"is\":true}");
    JSON("\x18\x00", "{\"is\":false}");
    JSON("\x32\x02\x08\x05", "{\"one\":{\"code\":5}}");
    JSON("\x32\x00", "{\"one\":{}}");
    JSON("\x3a\x02\x08\x01\x3a\x00\x3a\x02\x08\x02", "{\"many\":[{\"code\":1},{},{\"code\":2}]}");
    JSON("\x42\x06\x0a\x01k\x12\x01v\x42\x03\x0a\x01l", "{\"labels\":{\"k\":\"v\",\"l\":\"\"}}");
    JSON("\x4a\x08\x0a\x01k\x12\x03\x0a\x01"
         "4",
         "{\"limits\":{\"k\":\"4\"}}");
    JSON("\xa2\x01\x01x\xa2\x01\x00", "{\"names\":[\"x\",\"\"]}");
    JSON("\x0a\x05<\"\\\n\x01", "{\"text\":\"<\\\"\\\\\\n\\u0001\"}");
    JSON("\x0a\x02\xff\x41", "{\"text\":\"\xEF\xBF\xBD"
                             "A\"}"); /* no UTF-8 */
}

TEST(entries_without_a_reader_are_left_out) {
    struct buf out CLEANUP_BUF = {0};
    buf_init(&out, 1 << 20);
    JSON("\xaa\x01\x06\x0a\x01k\x12\x01v\xaa\x01\x09\x0a\x04read\x12\x01v\xaa\x01\x06\x0a\x01l\x12\x01v",
         "{\"some\":{\"read\":\"v\"}}");
    JSON("\xaa\x01\x06\x0a\x01k\x12\x01v", "{\"some\":{}}");
}

TEST(times) {
    struct buf out CLEANUP_BUF = {0};
    buf_init(&out, 1 << 20);
    JSON("\x22\x00", "{}"); /* Go's zero time, null in JSON */
    JSON("\x22\x04\x08\x00\x10\x00", "{\"at\":\"1970-01-01T00:00:00Z\"}");
    JSON("\x22\x06\x08\xcc\x8a\xa7\xd8", "-"); /* one byte short */
    JSON("\x22\x06\x08\xcc\x8a\xa7\xd8\x06", "{\"at\":\"2026-11-27T18:00:44Z\"}");
    JSON("\x22\x08\x08\xcc\x8a\xa7\xd8\x06\x10\x05", "{\"at\":\"2026-11-27T18:00:44Z\"}"); /* whole seconds */
    JSON("\x2a\x0a\x08\xcc\x8a\xa7\xd8\x06\x10\xf8\xc0\x07", "{\"exact\":\"2026-11-27T18:00:44.000123Z\"}");
    JSON("\x22\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "-");
    JSON("\x22\x0a\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "{}"); /* no time that we know */
    JSON("\x2a\x0c\x08\x00\x10\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "{}");
}

TEST(what_is_not_read_is_skipped) {
    struct buf out CLEANUP_BUF = {0};
    buf_init(&out, 1 << 20);
    /* unknown: a varint, 8 bytes, bytes, 4 bytes; then a field with a number of five bytes */
    JSON("\x78\x01\x79"
         "12345678\x7a\x02hi\x7d"
         "1234\xfa\xff\xff\xff\x0f\x01x\x10\x07",
         "{\"number\":7}");
    JSON("\x08\x01\x12\x01x\x1a\x01x\x20\x01\x30\x01\x40\x01", "{}"); /* all of another wire type */
    JSON("\x3a\x00\x10\x01\x3a\x02\x08\x02", "{\"many\":[{}],\"number\":1,\"many\":[{\"code\":2}]}");
}

TEST(malformed_messages_are_refused) {
    static const char whole[] = "\x0a\x02hi\x10\x96\x01\x3a\x02\x08\x01\x42\x06\x0a\x01k\x12\x01v\x22\x02\x08\x01";
    struct buf out CLEANUP_BUF = {0};
    buf_init(&out, 1 << 20);
    JSON("\x00\x01", "-");                                         /* field number 0 */
    JSON("\x0b\x0c", "-");                                         /* a group */
    JSON("\x0e\x01", "-");                                         /* wire type 6 */
    JSON("\x10\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", "-");     /* beyond 64 bits */
    JSON("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "-"); /* eleven bytes */
    JSON("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "-");     /* a length of 2^64 - 1 */
    JSON("\x0a\x02h", "-");
    JSON("\x32\x02\x0a\x05", "-"); /* within a message */
    JSON("\x42\x02\x0a\x05", "-"); /* within an entry */
    JSON("\x4a\x04\x12\x02\x0a\x05", "-");
    JSON("\x79"
         "1234567",
         "-");
    int refused = 0;
    for (size_t n = 0; n < sizeof whole - 1; n++)
        refused += strcmp(json_of((struct slice){whole, n}, &out), "-") == 0;
    CHECK_INT(refused, (int)sizeof whole - 1 - 5); /* but where a field ends */
    CHECK_TEXT(json_of(SLICE(whole), &out),
               "{\"text\":\"hi\",\"number\":150,\"many\":[{\"code\":1}],\"labels\":{\"k\":\"v\"},"
               "\"at\":\"1970-01-01T00:00:01Z\"}");
}
