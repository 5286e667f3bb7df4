/* Replies in protobuf on bytes alone. */
#include "base/mem.h"
#include "harness.h"
#include "kube/list.h"
#include "kube/protobuf_reply.h"

#include <errno.h>
#include <stdlib.h>

static const struct protobuf_field meta_rows[] = {
    PROTOBUF_FIELD(1, PROTOBUF_STRING, false, "name", NULL, NULL),
    PROTOBUF_FIELD(6, PROTOBUF_STRING, false, "resourceVersion", NULL, NULL)};
static const struct protobuf_message meta = PROTOBUF_MESSAGE_OF(meta_rows);
static const struct protobuf_field pod_rows[] = {PROTOBUF_FIELD(1, PROTOBUF_MESSAGE, false, "metadata", &meta, NULL)};
static const struct protobuf_message pod = PROTOBUF_MESSAGE_OF(pod_rows);

#define NAMED(name) "\x0a\x03\x0a\x01" name /* an object */
#define TYPE(kind) "\x0a\x05\x12\x03" kind  /* typeMeta, of a kind of three letters */
#define TAIL "\x1a\x00\x22\x00"             /* contentEncoding, contentType */
#define EVENT_A                                                                                                        \
    "\x00\x00\x00\x21\x0a\x05"                                                                                         \
    "ADDED"                                                                                                            \
    "\x12\x18\x0a\x16k8s\x00" TYPE("Pod") "\x12\x05" NAMED("a") TAIL
#define ERROR_410                                                                                                      \
    "\x00\x00\x00\x23\x0a\x05"                                                                                         \
    "ERROR"                                                                                                            \
    "\x12\x1a\x0a\x18k8s\x00"                                                                                          \
    "\x0a\x08\x12\x06Status"                                                                                           \
    "\x12\x08\x22\x03Old\x30\x9a\x03"
#define PAGE                                                                                                           \
    "k8s\x00" TYPE("Lst") "\x12\x16"                                                                                   \
                          "\x0a\x06\x12\x01"                                                                           \
                          "7\x1a\x01t"                                                                                 \
                          "\x12\x05" NAMED("a") "\x12\x05" NAMED("b") TAIL

typedef int feeder(struct kube_protobuf *p, struct slice bytes, kube_protobuf_sink *sink, void *context);

static int keep(void *out, struct slice json) {
    return buf_append_slice(out, json);
}

static int feed(feeder *how, struct kube_protobuf *p, struct slice bytes, size_t piece, struct buf *out) {
    int r = 0;
    for (size_t at = 0; at < bytes.size_bytes && r == 0; at += piece) {
        size_t n = bytes.size_bytes - at < piece ? bytes.size_bytes - at : piece;
        char *exact CLEANUP_FREE = mem_alloc(n); /* so that a read beyond a piece is seen */
        memcpy(exact, bytes.data + at, n);
        r = how(p, (struct slice){exact, n}, keep, out);
    }
    return r;
}

/* In pieces of each size. */
static void check(feeder *how, struct slice bytes, int result, const char *expected) {
    for (size_t piece = 1; piece <= bytes.size_bytes; piece++) {
        struct kube_protobuf p;
        struct buf out CLEANUP_BUF = {0};
        buf_init(&out, 100000);
        kube_protobuf_init(&p, &pod);
        CHECK_INT(feed(how, &p, bytes, piece, &out), result);
        CHECK_TEXT(buf_text(&out), expected);
        kube_protobuf_done(&p);
    }
}

#define LINE_A "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}}\n"

TEST(frames_become_lines_whatever_the_pieces) {
    check(kube_protobuf_feed_watch, SLICE(EVENT_A), 0, LINE_A);
    check(kube_protobuf_feed_watch, SLICE(EVENT_A ERROR_410 EVENT_A), 0,
          LINE_A "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"reason\":\"Old\",\"code\":410}}\n" LINE_A);
}

TEST(a_frame_that_is_cut_gives_nothing) {
    struct slice whole = SLICE(EVENT_A);
    for (size_t n = 1; n < whole.size_bytes; n++) {
        struct kube_protobuf p;
        struct buf out CLEANUP_BUF = {0};
        buf_init(&out, 1000);
        kube_protobuf_init(&p, &pod);
        CHECK_INT(feed(kube_protobuf_feed_watch, &p, (struct slice){whole.data, n}, 3, &out), 0);
        CHECK(kube_protobuf_is_partial(&p) && out.size_bytes == 0);
        kube_protobuf_clear(&p);
        CHECK(!kube_protobuf_is_partial(&p));
        kube_protobuf_done(&p);
    }
}

TEST(malformed_frames_are_refused) {
    check(kube_protobuf_feed_watch, SLICE("\x00\x00\x00\x00"), -EBADMSG, ""); /* no object */
    check(kube_protobuf_feed_watch, SLICE("\x00\x00\x00\x02\x0a\x05"), -EBADMSG, "");
    check(kube_protobuf_feed_watch, SLICE("\x00\x00\x00\x08\x12\x06\x0a\x04k9s\x00"), -EBADMSG, "");
    check(kube_protobuf_feed_watch, SLICE("{\"type\":\"ADDED\"}"), 0, ""); /* JSON: a frame of two gigabytes */
}

/* One that is as large as allowed passes; after one that is larger the next is read. */
TEST(a_frame_beyond_the_maximum_is_left_out) {
    size_t size = 4 + KUBE_OBJECT_MAX_BYTES + 1 + sizeof EVENT_A - 1;
    char *bytes CLEANUP_FREE = mem_alloc(size);
    struct buf out CLEANUP_BUF = {0};
    struct kube_protobuf p;
    memset(bytes, 'x', size);
    memcpy(bytes, "\x00\x40\x00\x01", 4);
    memcpy(bytes + size - (sizeof EVENT_A - 1), EVENT_A, sizeof EVENT_A - 1);
    buf_init(&out, 1000);
    for (size_t piece = 1000; piece <= size; piece += size / 3) {
        buf_clear(&out);
        kube_protobuf_init(&p, &pod);
        CHECK_INT(feed(kube_protobuf_feed_watch, &p, (struct slice){bytes, size}, piece, &out), 0);
        CHECK_TEXT(buf_text(&out), LINE_A);
        CHECK_INT(p.left_out, 1);
        CHECK(p.part.capacity_bytes < 10000);
        kube_protobuf_done(&p);
    }
}

static void put_varint(struct buf *out, size_t value) {
    for (; value > 127; value >>= 7)
        buf_append_char(out, (char)(value | 128));
    buf_append_char(out, (char)value);
}

/* The message in `message` becomes field `number` of another one, behind `before`. */
static void wrap(struct buf *message, struct slice before, int number) {
    struct buf outer;
    buf_init(&outer, message->maximum_bytes);
    buf_append_slice(&outer, before);
    put_varint(&outer, (size_t)number << 3 | 2);
    put_varint(&outer, message->size_bytes);
    buf_append_slice(&outer, buf_slice(message));
    buf_done(message);
    *message = outer;
}

/* Control characters take six times as much in JSON. */
TEST(an_object_whose_json_is_too_large_is_left_out) {
    for (size_t text_bytes = KUBE_OBJECT_MAX_BYTES / 6 - 100; text_bytes < KUBE_OBJECT_MAX_BYTES / 6 + 100;
         text_bytes += 199) {
        struct buf event CLEANUP_BUF = {0}, out CLEANUP_BUF = {0};
        struct kube_protobuf p;
        buf_init(&event, 8 << 20);
        buf_init(&out, 8 << 20);
        while (event.size_bytes < text_bytes)
            buf_append_char(&event, '\x01');
        wrap(&event, SLICE(""), 1);        /* name */
        wrap(&event, SLICE(""), 1);        /* metadata */
        wrap(&event, SLICE("k8s\x00"), 2); /* the object in its envelope */
        wrap(&event, SLICE(""), 1);        /* RawExtension */
        wrap(&event, SLICE(""), 2);        /* WatchEvent */
        struct buf frame CLEANUP_BUF = {0};
        buf_init(&frame, 8 << 20);
        for (int shift = 24; shift >= 0; shift -= 8)
            buf_append_char(&frame, (char)(event.size_bytes >> shift));
        buf_append_slice(&frame, buf_slice(&event));
        kube_protobuf_init(&p, &pod);
        CHECK_INT(feed(kube_protobuf_feed_watch, &p, buf_slice(&frame), 100000, &out), 0);
        bool is_larger = text_bytes > KUBE_OBJECT_MAX_BYTES / 6;
        CHECK_INT(p.left_out, is_larger);
        CHECK_INT(out.size_bytes > 0, !is_larger);
        CHECK(p.json.capacity_bytes <= KUBE_OBJECT_MAX_BYTES + 1);
        kube_protobuf_done(&p);
    }
}

#define PAGE_JSON                                                                                                      \
    "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"t\"},\"items\":[{\"metadata\":{"        \
    "\"name\":\"a\"}},{\"metadata\":{\"name\":\"b\"}}]}"

TEST(a_page_becomes_one_object_whatever_the_pieces) {
    check(kube_protobuf_feed_list, SLICE(PAGE), 0, PAGE_JSON);
    check(kube_protobuf_feed_list,
          SLICE("k8s\x00\x12\x05\x0a\x03\x12\x01"
                "9"),
          0, "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"9\"}}");
    check(kube_protobuf_feed_list, SLICE("k8s\x00\x12\x00"), 0, "{\"kind\":\"List\"}");
    /* unknown fields, an item without members, metadata at the end */
    check(kube_protobuf_feed_list,
          SLICE("k8s\x00\x38\x96\x01\x12\x0c\x1d"
                "1234\x12\x00\x0a\x03\x12\x01"
                "9"),
          0, "{\"kind\":\"List\",\"items\":[{}],\"metadata\":{\"resourceVersion\":\"9\"}}");
}

static int ignore(void *context, struct slice object) {
    (void)context, (void)object;
    return 0;
}

TEST(no_truncation_of_a_page_is_a_whole_list) {
    struct slice whole = SLICE(PAGE);
    int whole_count = 0;
    for (size_t n = 0; n <= whole.size_bytes; n++) {
        struct kube_protobuf p;
        struct kube_list l;
        struct buf out CLEANUP_BUF = {0};
        buf_init(&out, 1000);
        kube_protobuf_init(&p, &pod);
        kube_list_init(&l);
        CHECK_INT(feed(kube_protobuf_feed_list, &p, (struct slice){whole.data, n}, 2, &out), 0);
        CHECK_INT(kube_list_feed(&l, buf_slice(&out), ignore, NULL), 0);
        whole_count += kube_list_is_whole(&l);
        kube_list_done(&l);
        kube_protobuf_done(&p);
    }
    CHECK_INT(whole_count, 1 + sizeof TAIL - 1); /* the list itself ends before the envelope's last fields */
}

TEST(malformed_pages_are_refused) {
    check(kube_protobuf_feed_list, SLICE("k8x"), -EBADMSG, "");
    check(kube_protobuf_feed_list, SLICE("k8s\x00\x02"), -EBADMSG, ""); /* field number 0 */
    check(kube_protobuf_feed_list, SLICE("k8s\x00\x0b"), -EBADMSG, ""); /* a group */
    check(kube_protobuf_feed_list, SLICE("k8s\x00\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), -EBADMSG, "");
    check(kube_protobuf_feed_list, SLICE("k8s\x00\x12\x04\x12\x05"), -EBADMSG,
          "{\"kind\":\"List\""); /* beyond the list */
    check(kube_protobuf_feed_list, SLICE("k8s\x00\x12\x04\x12\x02\x0a\x05"), -EBADMSG, "{\"kind\":\"List\"");
}

static const struct protobuf_field brief_meta_rows[] = {PROTOBUF_FIELD(5, PROTOBUF_STRING, false, "uid", NULL, NULL)};
static const struct protobuf_message brief_meta = PROTOBUF_MESSAGE_OF(brief_meta_rows);
static const struct protobuf_field brief_rows[] = {
    PROTOBUF_FIELD(1, PROTOBUF_MESSAGE, false, "metadata", &brief_meta, NULL)};
static const struct protobuf_message brief = PROTOBUF_MESSAGE_OF(brief_rows);

static const struct protobuf_message *choose_brief(void *uid, struct slice of_object) {
    return slice_is(of_object, uid) ? &brief : &pod;
}

TEST(what_is_read_of_an_object_depends_on_its_uid) {
#define WITH_UID(name, uid) "\x0a\x06\x0a\x01" name "\x2a\x01" uid
    struct slice page = SLICE("k8s\x00" TYPE("Lst") "\x12\x19\x0a\x03\x12\x01"
                                                    "7\x12\x08" WITH_UID("x", "u") "\x12\x08" WITH_UID("y", "v") TAIL);
    struct kube_protobuf p;
    kube_protobuf_init(&p, &pod);
    p.choose = choose_brief;
    p.choice_context = "u";
    for (int again = 0; again < 2; again++) { /* after kube_protobuf_clear, too */
        struct buf out CLEANUP_BUF = {0};
        buf_init(&out, 100000);
        CHECK_INT(feed(kube_protobuf_feed_list, &p, page, page.size_bytes, &out), 0);
        CHECK_TEXT(buf_text(&out), "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":["
                                   "{\"metadata\":{\"uid\":\"u\"}},{\"metadata\":{\"name\":\"y\"}}]}");
        kube_protobuf_clear(&p);
    }
    kube_protobuf_done(&p);
}

TEST(a_body_that_is_a_status) {
    struct kube_protobuf p;
    kube_protobuf_init(&p, &pod);
    struct slice body = SLICE("k8s\x00\x0a\x08\x12\x06Status\x12\x0b\x1a\x04gone\x30\x9a\x03" TAIL);
    struct slice json = kube_protobuf_one(&p, body);
    CHECK(slice_is(json, "{\"kind\":\"Status\",\"message\":\"gone\",\"code\":410}"));
    for (size_t n = 0; n < 24; n++) /* cut within the message */
        CHECK(!slice_is(kube_protobuf_one(&p, (struct slice){body.data, n}),
                        "{\"kind\":\"Status\",\"message\":\"gone\",\"code\":410}"));
    CHECK_INT(kube_protobuf_one(&p, SLICE("{\"kind\":\"Status\"}")).size_bytes, 0);
    CHECK(kube_protobuf_is("application/vnd.kubernetes.protobuf;stream=watch") &&
          !kube_protobuf_is("application/json"));
    kube_protobuf_done(&p);
}
