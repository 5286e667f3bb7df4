#include "base/mem.h"
#include "harness.h"
#include "kube/lines.h"

static int note_line(void *context, struct slice line, bool is_cut) {
    buf_format(context, "[%.*s%s]", SLICE_ARG(line), is_cut ? "..." : "");
    return 0;
}

static int refuse(void *context, struct slice line, bool is_cut) {
    (void)line, (void)is_cut;
    return ++*(int *)context == 2 ? -1 : 0;
}

TEST(lines_are_the_same_in_whatever_pieces_they_come) {
    static const char text[] = "one\ntwo\r\n\n12345678\n123456789\nabcdefghijklmnopqrstuvw\n\r\nlast";
    static const char expected[] = "[one][two][][12345678][12345678...][abcdefgh...][][last]";
    for (size_t piece = 1; piece <= sizeof text; piece++) {
        struct lines l;
        struct buf out CLEANUP_BUF = {0};
        buf_init(&out, 1000);
        lines_init(&l, 8);
        for (size_t at = 0; at < sizeof text - 1; at += piece) {
            size_t left = sizeof text - 1 - at;
            lines_feed(&l, (struct slice){text + at, piece < left ? piece : left}, note_line, &out);
        }
        lines_finish(&l, note_line, &out);
        CHECK_TEXT(buf_text(&out), expected);
        lines_done(&l);
    }
}

TEST(a_line_handler_can_stop_the_feed) {
    struct lines l;
    int count = 0;
    lines_init(&l, 100);
    CHECK_INT(lines_feed(&l, SLICE("a\nb\nc\n"), refuse, &count), -1);
    CHECK_INT(count, 2);
    lines_done(&l);
}
