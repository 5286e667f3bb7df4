/* A list's page: the first byte is the size of the pieces in which it comes: that must not matter. A page that is well-
 * formed by the strict scanner is cut into exactly its items. */
#include "base/jscan.h"
#include "base/mem.h"
#include "kube/frame.h"
#include "kube/list.h"
#include "reach.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct page {
    struct kube_list list;
    struct buf items;
    int result;
};

static int on_item(void *context, struct slice object) {
    struct page *p = context;
    struct kube_frame f;
    assert(object.size_bytes >= 2 && object.data[0] == '{');
    kube_frame_parse_item(object, &f);
    buf_append_slice(&p->items, object);
    buf_append_text(&p->items, "\n");
    return 0;
}

static void read_page(struct page *p, struct slice bytes, size_t piece) {
    kube_list_init(&p->list);
    buf_init(&p->items, 64 << 20);
    p->result = 0;
    for (size_t at = 0; at < bytes.size_bytes && p->result == 0; at += piece) {
        size_t n = bytes.size_bytes - at < piece ? bytes.size_bytes - at : piece;
        char *exact = mem_alloc(n); /* so that a read beyond a piece, or after it, is seen */
        memcpy(exact, bytes.data + at, n);
        p->result = kube_list_feed(&p->list, (struct slice){exact, n}, on_item, p);
        free(exact);
    }
}

static void end_page(struct page *p) {
    kube_list_done(&p->list);
    buf_done(&p->items);
}

/* The items by the strict scanner; false if the bytes are no well-formed page, or one with two lists of items. */
static bool scan_items(struct slice bytes, struct buf *items) {
    struct jscan j;
    struct slice key, raw;
    int lists = 0;
    jscan_init(&j, bytes);
    if (!jscan_object(&j))
        return false;
    while (jscan_key(&j, &key)) {
        if (!slice_is(key, "items") || jscan_peek(&j) != JSCAN_ARRAY) {
            jscan_skip(&j);
            continue;
        }
        lists++;
        jscan_array(&j);
        while (jscan_element(&j)) {
            bool is_object = jscan_peek(&j) == JSCAN_OBJECT;
            if (jscan_raw(&j, &raw) && is_object) {
                buf_append_slice(items, raw);
                buf_append_text(items, "\n");
            }
        }
    }
    return jscan_at_end(&j) && lists <= 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    struct slice bytes = {(const char *)data + 1, size - 1};
    struct page whole, pieces;
    struct buf items CLEANUP_BUF = {0};
    buf_init(&items, 64 << 20);
    read_page(&whole, bytes, size);
    read_page(&pieces, bytes, data[0] + 1U);
    if (whole.result < 0)
        REACHED("a page that is refused");
    assert(whole.result == pieces.result);
    assert(slice_equal(buf_slice(&whole.items), buf_slice(&pieces.items)));
    if (whole.result == 0) {
        assert(kube_list_is_whole(&whole.list) == kube_list_is_whole(&pieces.list));
        assert(strcmp(whole.list.resource_version, pieces.list.resource_version) == 0);
        const char *a = whole.list.continue_token, *b = pieces.list.continue_token;
        assert((a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0));
    }
    if (scan_items(bytes, &items) && whole.result == 0) {
        if (items.size_bytes > 0 && kube_list_is_whole(&whole.list))
            REACHED("a whole page with items");
        assert(slice_equal(buf_slice(&items), buf_slice(&whole.items)));
    }
    end_page(&whole);
    end_page(&pieces);
    return 0;
}
