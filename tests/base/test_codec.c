#include "harness.h"

#include "base/clock.h"
#include "base/codec.h"
#include "base/mem.h"

#include <string.h>

enum color { RED, GREEN, BLUE };

struct thing {
    int64_t number, at_ms, until_ms, never_ms;
    uint64_t hash;
    bool is_so;
    enum color color;
    char *name, *nothing;
    char word[8];
    int64_t list[4];
    size_t count;
};

static void visit(struct codec *c, struct thing *t) {
    codec_i64(c, &t->number);
    codec_time(c, &t->at_ms);
    codec_time(c, &t->until_ms);
    codec_time(c, &t->never_ms);
    codec_u64(c, &t->hash);
    codec_bool(c, &t->is_so);
    CODEC_INT(c, &t->color, RED, BLUE);
    codec_text(c, &t->name, 20);
    codec_text(c, &t->nothing, 20);
    codec_chars(c, t->word, sizeof t->word);
    t->count = codec_count(c, t->count, ARRAY_SIZE(t->list));
    for (size_t i = 0; i < t->count; i++)
        codec_i64(c, &t->list[i]);
}

static struct thing example(void) {
    return (struct thing){.number = INT64_MIN + 1,
                          .at_ms = 1795243719000,
                          .until_ms = TIME_OPEN,
                          .never_ms = TIME_UNKNOWN,
                          .hash = UINT64_MAX,
                          .is_so = true,
                          .color = BLUE,
                          .name = mem_strdup(""),
                          .word = "seven77",
                          .list = {0, -1, INT64_MAX, 300},
                          .count = 4};
}

static void done(struct thing *t) {
    free(t->name);
    free(t->nothing);
}

TEST(what_a_codec_writes_it_reads_back) {
    struct thing t = example(), back = {.nothing = mem_strdup("was here")};
    CLEANUP_BUF struct buf b;
    buf_init(&b, 1000);
    struct codec c = codec_writing(&b);
    visit(&c, &t);
    CHECK(!c.failed);
    c = codec_reading(buf_slice(&b));
    visit(&c, &back);
    CHECK(codec_is_done(&c));
    CHECK_INT(back.number, t.number);
    CHECK_INT(back.at_ms, t.at_ms);
    CHECK_INT(back.until_ms, TIME_OPEN);
    CHECK_INT(back.never_ms, TIME_UNKNOWN);
    CHECK(back.hash == t.hash && back.is_so && back.color == BLUE);
    CHECK_TEXT(back.name, "");
    CHECK(back.nothing == NULL);
    CHECK_TEXT(back.word, "seven77");
    CHECK_INT(back.count, 4);
    CHECK(memcmp(back.list, t.list, sizeof t.list) == 0);
    done(&t);
    done(&back);
}

TEST(a_codec_notices_every_cut_and_survives_every_change) {
    struct thing t = example();
    CLEANUP_BUF struct buf b;
    buf_init(&b, 1000);
    struct codec c = codec_writing(&b);
    visit(&c, &t);
    for (size_t n = 0; n < b.size_bytes; n++) {
        struct thing back = {0};
        c = codec_reading((struct slice){b.data, n});
        visit(&c, &back);
        CHECK(c.failed);
        done(&back);
        for (int bit = 0; bit < 8; bit++) {
            struct thing changed = {0};
            b.data[n] = (char)(b.data[n] ^ (1 << bit));
            c = codec_reading(buf_slice(&b));
            visit(&c, &changed);
            CHECK(changed.count <= 4 && changed.color <= BLUE);
            b.data[n] = (char)(b.data[n] ^ (1 << bit));
            done(&changed);
        }
    }
    done(&t);
}

TEST(a_full_buffer_fails_the_codec) {
    struct thing t = example();
    CLEANUP_BUF struct buf b;
    buf_init(&b, 10);
    struct codec c = codec_writing(&b);
    visit(&c, &t);
    CHECK(c.failed);
    done(&t);
}
