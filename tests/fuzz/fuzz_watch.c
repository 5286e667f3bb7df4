/* A watch's bytes: lines, and what a frame says. The first byte is the size of the pieces in which they come: that must
 * not matter. */
#include "base/mem.h"
#include "kube/frame.h"
#include "kube/lines.h"
#include "reach.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_MAX_BYTES = 1 << 16 };

static void is_within(struct slice part, struct slice whole) {
    assert(part.size_bytes == 0 ||
           (part.data >= whole.data && part.data + part.size_bytes <= whole.data + whole.size_bytes));
}

/* What is well-formed is seen at a glance as well, and of what is not, nothing beyond the line is looked at. */
static void look(struct slice line, bool is_well_formed) {
    struct kube_frame f;
    int r = kube_frame_glance(line, &f);
    assert(r == 0 || !is_well_formed);
    if (r < 0)
        return;
    is_within(f.event.object, line);
    is_within(f.event.name, line);
    is_within(f.event.uid, line);
    assert(f.event.object.data[0] == '{' && (f.kind != KUBE_FRAME_EVENT || f.event.name.size_bytes > 0));
    struct kube_frame item;
    if (kube_frame_glance_item(f.event.object, &item) == 0 && is_well_formed && f.kind == KUBE_FRAME_EVENT)
        assert(slice_equal(item.event.name, f.event.name));
}

static int on_line(void *context, struct slice line, bool is_cut) {
    struct buf *out = context;
    struct kube_frame f;
    assert(memchr(line.data, '\n', line.size_bytes) == NULL && line.size_bytes <= LINE_MAX_BYTES);
    buf_format(out, "%zu%s", line.size_bytes, is_cut ? "cut" : "");
    bool is_well_formed = kube_frame_parse(line, &f) == 0;
    look(line, is_well_formed);
    if (is_well_formed) {
        if (f.kind == KUBE_FRAME_EVENT)
            REACHED("an event");
        else
            REACHED("a frame that is not an event");
        is_within(f.event.object, line);
        is_within(f.event.name, line);
        is_within(f.event.namespace_, line);
        is_within(f.event.uid, line);
        is_within(f.event.resource_version, line);
        assert(f.event.object.data[0] == '{' && f.code >= 0 && f.code < 1000);
        assert(memchr(f.reason, 0, sizeof f.reason) != NULL && memchr(f.message, 0, sizeof f.message) != NULL);
        buf_format(out, " kind %d %s %s\n", (int)f.kind, f.reason, f.message);
        struct kube_frame item;
        if (f.kind == KUBE_FRAME_EVENT) { /* an object that a watch delivers is one that a list may hold */
            assert(kube_frame_parse_item(f.event.object, &item) == 0);
            assert(slice_equal(item.event.name, f.event.name) && slice_equal(item.event.uid, f.event.uid));
        }
    }
    return 0;
}

static void feed(struct slice bytes, size_t piece, struct buf *out) {
    struct lines l;
    lines_init(&l, LINE_MAX_BYTES);
    for (size_t at = 0; at < bytes.size_bytes; at += piece) {
        size_t n = bytes.size_bytes - at < piece ? bytes.size_bytes - at : piece;
        char *exact = mem_alloc(n);
        memcpy(exact, bytes.data + at, n); /* so that a read beyond a piece, or after it, is seen */
        assert(lines_feed(&l, (struct slice){exact, n}, on_line, out) == 0);
        free(exact);
    }
    assert(lines_finish(&l, on_line, out) == 0);
    lines_done(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    struct slice bytes = {(const char *)data + 1, size - 1};
    struct buf whole CLEANUP_BUF = {0}, pieces CLEANUP_BUF = {0};
    buf_init(&whole, 64 << 20);
    buf_init(&pieces, 64 << 20);
    feed(bytes, size, &whole);
    feed(bytes, data[0] + 1U, &pieces);
    assert(slice_equal(buf_slice(&whole), buf_slice(&pieces)));
    return 0;
}
