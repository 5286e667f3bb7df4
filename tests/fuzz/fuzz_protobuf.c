/* A watch or a list in protobuf. The first byte is the size of the pieces in which it comes, which must not matter; the
 * second one says of what kind its objects are, and whether it is a list. What is handed on is well-formed JSON. */
#include "base/jscan.h"
#include "base/mem.h"
#include "kube/frame.h"
#include "kube/list.h"
#include "kube/protobuf_reply.h"
#include "operator/objects/messages.h"
#include "reach.h"

#include <assert.h>
#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct protobuf_message *const messages[] = {&object_pod_message, &object_job_message,
                                                          &object_node_message, &object_event_message};

struct output {
    struct buf json;
    int result, left_out;
};

static int keep(void *context, struct slice json) {
    struct output *o = context;
    return buf_append_slice(&o->json, json);
}

static void read_whole(struct output *o, const struct protobuf_message *message, bool is_list, struct slice bytes,
                       size_t piece) {
    struct kube_protobuf p;
    buf_init(&o->json, 256 << 20);
    o->result = 0;
    kube_protobuf_init(&p, message);
    for (size_t at = 0; at < bytes.size_bytes && o->result == 0; at += piece) {
        size_t n = bytes.size_bytes - at < piece ? bytes.size_bytes - at : piece;
        char *exact = mem_alloc(n); /* so that a read beyond a piece, or after it, is seen */
        memcpy(exact, bytes.data + at, n);
        o->result =
            (is_list ? kube_protobuf_feed_list : kube_protobuf_feed_watch)(&p, (struct slice){exact, n}, keep, o);
        free(exact);
    }
    assert(o->result == 0 || o->result == -EBADMSG);
    assert(p.part.capacity_bytes <= KUBE_OBJECT_MAX_BYTES + 64 && p.json.capacity_bytes <= KUBE_OBJECT_MAX_BYTES + 64);
    o->left_out = p.left_out;
    kube_protobuf_done(&p);
}

static void check_json(struct slice json) {
    struct jscan j;
    struct slice raw;
    jscan_init(&j, json);
    assert(jscan_raw(&j, &raw) && jscan_at_end(&j));
}

static void check_watch(struct slice lines) {
    struct slice line;
    struct kube_frame f;
    while (slice_take_line(&lines, &line)) {
        check_json(line);
        if (kube_frame_parse(line, &f) == 0 && f.kind == KUBE_FRAME_EVENT)
            REACHED("an event");
        else if (kube_frame_parse(line, &f) == 0)
            REACHED("a bookmark or an error");
    }
}

static int check_item(void *context, struct slice object) {
    (void)context;
    check_json(object);
    REACHED("an item of a list");
    return 0;
}

static void check_list(struct slice json) {
    struct kube_list list;
    kube_list_init(&list);
    if (kube_list_feed(&list, json, check_item, NULL) == 0 && kube_list_is_whole(&list))
        REACHED("a whole list");
    kube_list_done(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3)
        return 0;
    const struct protobuf_message *message = messages[data[1] % ARRAY_SIZE(messages)];
    bool is_list = data[1] & 128;
    struct slice bytes = {(const char *)data + 2, size - 2};
    struct output whole, pieces;
    read_whole(&whole, message, is_list, bytes, bytes.size_bytes);
    read_whole(&pieces, message, is_list, bytes, data[0] + 1U);
    assert(whole.result == pieces.result && whole.left_out == pieces.left_out);
    assert(slice_equal(buf_slice(&whole.json), buf_slice(&pieces.json)));
    if (whole.result < 0)
        REACHED("a reply that is refused");
    if (is_list)
        check_list(buf_slice(&whole.json));
    else
        check_watch(buf_slice(&whole.json));
    struct kube_protobuf p;
    kube_protobuf_init(&p, message);
    struct slice one = kube_protobuf_one(&p, bytes);
    if (one.size_bytes > 0) {
        REACHED("a body that is one object");
        check_json(one);
    }
    kube_protobuf_done(&p);
    buf_done(&whole.json);
    buf_done(&pieces.json);
    return 0;
}
