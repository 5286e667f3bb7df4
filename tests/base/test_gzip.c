/* A gzip stream that is joined from parts, read by zlib's own reader, which checks its sum and its length. */
#include "harness.h"
#include "random.h"

#include "base/gzip.h"

#include <string.h>
#include <zlib.h>

enum { GZIP_BITS = 15 + 16, MAX_BYTES = 4 << 20 };

/* What it unpacks to: all of it, and nothing behind it. */
static void check_unpacks(struct slice packed, struct slice text) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, MAX_BYTES);
    z_stream z = {.next_in = (z_const Bytef *)(uintptr_t)packed.data, .avail_in = (uInt)packed.size_bytes};
    REQUIRE(inflateInit2(&z, GZIP_BITS) == Z_OK);
    char *space = buf_extend(&out, text.size_bytes + 1);
    z.next_out = (Bytef *)space;
    z.avail_out = (uInt)text.size_bytes + 1;
    CHECK_INT(inflate(&z, Z_FINISH), Z_STREAM_END);
    CHECK_INT(z.avail_in, 0);
    CHECK_INT(z.total_out, text.size_bytes);
    CHECK(memcmp(space, text.data, text.size_bytes) == 0);
    inflateEnd(&z);
}

TEST(nothing_is_a_stream_too) {
    struct gzip gzip;
    CLEANUP_BUF struct buf out;
    buf_init(&out, 64);
    gzip_begin(&gzip, &out);
    gzip_end(&gzip);
    check_unpacks(buf_slice(&out), slice_of(""));
}

/* Parts grow in turns, by pieces of any size, and follow each other in the stream. */
TEST(parts_that_grow_in_turns_are_one_stream) {
    enum { PARTS = 4 };
    uint64_t r = random_setting("GOODPUT_SEED", 22);
    for (int turn = 0; turn < 60; turn++) {
        struct gzip gzip;
        struct gzip_part parts[PARTS];
        struct buf plain[PARTS];
        CLEANUP_BUF struct buf whole, out;
        buf_init(&whole, MAX_BYTES);
        buf_init(&out, MAX_BYTES);
        for (int i = 0; i < PARTS; i++) {
            gzip_part_init(&parts[i], MAX_BYTES);
            buf_init(&plain[i], MAX_BYTES);
        }
        for (int64_t n = random_below(&r, 40); n > 0; n--) {
            int i = (int)random_below(&r, PARTS);
            size_t from = plain[i].size_bytes;
            for (int64_t lines = random_below(&r, 2000); lines > 0; lines--)
                buf_format(&plain[i], "name{job=\"%lld\"} %lld\n", (long long)lines,
                           (long long)random_below(&r, 1000000));
            gzip_part_add(&parts[i], (struct slice){buf_text(&plain[i]) + from, plain[i].size_bytes - from});
        }
        gzip_begin(&gzip, &out);
        for (int i = 0; i < PARTS; i++) {
            buf_append_slice(&whole, buf_slice(&plain[i]));
            gzip_join(&gzip, &parts[i]);
            gzip_part_done(&parts[i]);
            buf_done(&plain[i]);
        }
        gzip_end(&gzip);
        CHECK(!out.truncated && !whole.truncated);
        check_unpacks(buf_slice(&out), buf_slice(&whole));
    }
}

TEST(a_part_that_does_not_fit_truncates_the_stream) {
    struct gzip gzip;
    struct gzip_part part;
    CLEANUP_BUF struct buf out;
    uint64_t r = 7;
    buf_init(&out, 1 << 20);
    gzip_part_init(&part, 100);
    for (int i = 0; i < 1000; i++) {
        int64_t noise = random_below(&r, INT64_MAX);
        gzip_part_add(&part, (struct slice){(const char *)&noise, sizeof noise});
    }
    gzip_begin(&gzip, &out);
    gzip_join(&gzip, &part);
    CHECK(out.truncated);
    gzip_part_done(&part);
}
