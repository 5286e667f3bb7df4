/* The page reader and the frame reader on bytes alone. */
#include "base/mem.h"
#include "harness.h"
#include "kube/frame.h"
#include "kube/known.h"
#include "kube/list.h"

#include <errno.h>
#include <stdlib.h>

static int note_item(void *context, struct slice object) {
    buf_format(context, "<%.*s>", SLICE_ARG(object));
    return 0;
}

/* In pieces of each size; returns the worst result. */
static int feed(const char *text, size_t size, size_t piece, struct kube_list *l, struct buf *out) {
    for (size_t at = 0; at < size; at += piece) {
        int r = kube_list_feed(l, (struct slice){text + at, size - at < piece ? size - at : piece}, note_item, out);
        if (r < 0)
            return r;
    }
    return 0;
}

static void check_page(const char *text, const char *items, const char *version, const char *token) {
    for (size_t piece = 1; piece <= strlen(text); piece++) {
        struct kube_list l;
        struct buf out CLEANUP_BUF = {0};
        buf_init(&out, 100000);
        kube_list_init(&l);
        CHECK_INT(feed(text, strlen(text), piece, &l, &out), 0);
        CHECK(kube_list_is_whole(&l));
        CHECK_TEXT(buf_text(&out), items);
        CHECK_TEXT(l.resource_version, version);
        CHECK_TEXT(l.continue_token != NULL ? l.continue_token : "", token);
        kube_list_done(&l);
    }
}

#define BUILTIN                                                                                                        \
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"abc\","        \
    "\"remainingItemCount\":3},\"items\":[{\"a\":\"}]{\\\"\",\"b\":[{},[]]},{\"items\":[{\"metadata\":{}}]}]}\n"

TEST(items_are_cut_out_whatever_the_order_and_the_pieces) {
    check_page(BUILTIN, "<{\"a\":\"}]{\\\"\",\"b\":[{},[]]}><{\"items\":[{\"metadata\":{}}]}>", "7", "abc");
    check_page("{\"apiVersion\":\"x/v1\",\"items\":[{\"a\":1}],\"kind\":\"XList\",\"metadata\":{\"continue\":\"\","
               "\"resourceVersion\":\"8\"}}",
               "<{\"a\":1}>", "8", "");
    check_page("{ \"items\" : [ ] , \"metadata\" : { \"resourceVersion\" : \"9\" } }", "", "9", "");
    check_page("{\"items\":null,\"x\":\"metadata\",\"metadata\":{\"resourceVersion\":\"9\"}}", "", "9", "");
}

TEST(no_truncation_of_a_page_is_whole) {
    for (size_t n = 0; n < sizeof BUILTIN - 2; n++) {
        struct kube_list l;
        struct buf out CLEANUP_BUF = {0};
        buf_init(&out, 100000);
        kube_list_init(&l);
        feed(BUILTIN, n, n + 1, &l, &out);
        CHECK(!kube_list_is_whole(&l));
        kube_list_done(&l);
    }
}

TEST(flipped_bytes_are_survived) {
    unsigned seed = 1;
    for (int i = 0; i < 20000; i++) {
        char text[] = BUILTIN;
        for (int k = 0; k < 3; k++)
            text[(size_t)rand_r(&seed) % (sizeof text - 1)] = "{}[]\",:\\x0"[rand_r(&seed) % 10];
        struct kube_list l;
        struct kube_frame f;
        struct buf out CLEANUP_BUF = {0};
        buf_init(&out, 100000);
        kube_list_init(&l);
        feed(text, sizeof text - 1, (size_t)rand_r(&seed) % 50 + 1, &l, &out);
        kube_frame_parse(slice_of(text), &f);
        kube_list_done(&l);
    }
}

TEST(a_reply_that_is_not_a_list_is_refused) {
    const char *wrong[] = {"[1]", "\"x\"", "hello", "}", "{}{}", "<html>"};
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct kube_list l;
        struct buf out CLEANUP_BUF = {0};
        buf_init(&out, 1000);
        kube_list_init(&l);
        CHECK_INT(feed(wrong[i], strlen(wrong[i]), 100, &l, &out), -EBADMSG);
        kube_list_done(&l);
    }
}

TEST(an_item_that_is_too_large_is_left_out_and_the_rest_is_read) {
    struct kube_list l;
    struct buf out CLEANUP_BUF = {0};
    buf_init(&out, 1000);
    kube_list_init(&l);
    char *large CLEANUP_FREE = mem_alloc(KUBE_OBJECT_MAX_BYTES + 1);
    memset(large, 'x', KUBE_OBJECT_MAX_BYTES);
    kube_list_feed(&l, SLICE("{\"items\":[{\"a\":\""), note_item, &out);
    kube_list_feed(&l, slice_of(large), note_item, &out);
    kube_list_feed(&l, SLICE("\"},{\"b\":1}],\"metadata\":{\"resourceVersion\":\"1\"}}"), note_item, &out);
    CHECK(kube_list_is_whole(&l));
    CHECK_TEXT(buf_text(&out), "<{\"b\":1}>");
    CHECK_INT(l.left_out, 1);
    kube_list_done(&l);
}

TEST(frames_are_read) {
    struct kube_frame f;
    CHECK_INT(kube_frame_parse(SLICE("{\"type\":\"DELETED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\","
                                     "\"namespace\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"5\"},\"reason\":1}}"),
                               &f),
              0);
    CHECK(f.kind == KUBE_FRAME_EVENT && f.event.type == KUBE_DELETED);
    CHECK(slice_is(f.event.name, "p") && slice_is(f.event.namespace_, "n") && slice_is(f.event.uid, "u"));
    CHECK(slice_starts(f.event.object, "{\"kind\"") && slice_ends(f.event.object, "1}"));
    CHECK_INT(kube_frame_parse(SLICE("{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"6\","
                                     "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}"),
                               &f),
              0);
    CHECK(f.kind == KUBE_FRAME_BOOKMARK && f.is_initial_end);
    /* As kube-apiserver 1.36 writes it. */
    CHECK_INT(kube_frame_parse(SLICE("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
                                     "\"metadata\":{},\"status\":\"Failure\",\"message\":\"too old resource version: 1 "
                                     "(2)\",\"reason\":\"Expired\",\"code\":410}}"),
                               &f),
              0);
    CHECK(f.kind == KUBE_FRAME_ERROR && f.code == 410);
    CHECK_TEXT(f.reason, "Expired");
}

TEST(wrong_frames_are_refused) {
    const char *wrong[] = {
        "",
        "{}",
        "[]",
        "{\"type\":\"ADDED\"}",
        "{\"type\":\"ADDED\",\"object\":{}}",
        "{\"type\":\"NEWS\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}}",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"},\"x\":tru}}",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}} x",
        "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{}}}"};
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct kube_frame f;
        if (kube_frame_parse(slice_of(wrong[i]), &f) != -EBADMSG)
            harness_fail(__FILE__, __LINE__, "%s was taken", wrong[i]);
    }
}

#define SEEN "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"5\""

/* The rest of an object is its reader's, who must be given exactly that. */
TEST(skimming_finds_exactly_the_object_of_a_line) {
    static const struct {
        const char *line, *object;
    } cases[] = {
        {"{\"type\":\"ADDED\",\"object\":" SEEN "},\"x\":{}}}", SEEN "},\"x\":{}}"},
        {"{\"type\":\"ADDED\",\"object\":" SEEN "}}} \r", SEEN "}}"},
        {"{\"type\":\"ADDED\",\"object\":" SEEN "},\"x\":tru}}", SEEN "},\"x\":tru}"}, /* the reader finds it */
        {"{\"object\":" SEEN "}},\"type\":\"ADDED\"}", SEEN "}}"},                     /* another order */
    };
    struct kube_frame f;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CHECK_INT(kube_frame_glance(slice_of(cases[i].line), &f), 0);
        CHECK(f.kind == KUBE_FRAME_EVENT && f.event.type == KUBE_ADDED && slice_is(f.event.uid, "u"));
        CHECK(slice_is(f.event.object, cases[i].object));
        CHECK_INT(kube_frame_glance_item(slice_of(cases[i].object), &f), 0);
        CHECK(slice_is(f.event.object, cases[i].object) && slice_is(f.event.resource_version, "5"));
    }
    CHECK_INT(kube_frame_glance(SLICE("{\"type\":\"ADDED\",\"object\":" SEEN), &f), -EBADMSG);
    CHECK_INT(kube_frame_glance(SLICE("{\"type\":\"ADDED\",\"object\":" SEEN "}}} x"), &f), -EBADMSG);
    CHECK_INT(kube_frame_glance(SLICE("{\"type\":\"BOOKMARK\",\"object\":" SEEN "}}}"), &f), 0);
    CHECK(f.kind == KUBE_FRAME_BOOKMARK);
}

TEST(escape_covers_every_byte_and_the_end_of_the_buffer) {
    char out[64];
    CHECK(kube_escape(out, sizeof out, "a-b_c.d~e/f=g,h i\xc3\xa9"));
    CHECK_TEXT(out, "a-b_c.d~e%2Ff%3Dg%2Ch%20i%C3%A9");
    CHECK(kube_escape(out, 4, "abc"));
    CHECK(!kube_escape(out, 3, "abc"));
    CHECK(!kube_escape(out, 3, "/"));
    CHECK(kube_escape(out, 4, "/"));
}
