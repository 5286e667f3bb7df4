#include "kube/lines.h"

void lines_init(struct lines *l, size_t max_line_bytes) {
    *l = (struct lines){0};
    buf_init(&l->head, max_line_bytes);
}

void lines_done(struct lines *l) {
    buf_done(&l->head);
}

void lines_clear(struct lines *l) {
    buf_clear(&l->head);
    l->is_skipping = false;
}

static struct slice without_cr(struct slice line) {
    if (line.size_bytes > 0 && line.data[line.size_bytes - 1] == '\r')
        line.size_bytes--;
    return line;
}

/* A part of a line that does not end here. Hands the head on as soon as the maximum is passed. */
static int keep(struct lines *l, struct slice part, lines_handler *handler, void *context) {
    if (l->is_skipping || part.size_bytes == 0)
        return 0;
    size_t room = l->head.maximum_bytes - l->head.size_bytes;
    struct slice fits = {part.data, part.size_bytes < room ? part.size_bytes : room};
    buf_append_slice(&l->head, fits);
    if (part.size_bytes <= room)
        return 0;
    l->is_skipping = true;
    int r = handler(context, buf_slice(&l->head), true);
    buf_clear(&l->head);
    return r;
}

static int end_line(struct lines *l, struct slice rest, lines_handler *handler, void *context) {
    if (!l->is_skipping && l->head.size_bytes == 0 && rest.size_bytes <= l->head.maximum_bytes)
        return handler(context, without_cr(rest), false);
    int r = keep(l, rest, handler, context);
    if (!l->is_skipping)
        r = handler(context, without_cr(buf_slice(&l->head)), false);
    lines_clear(l);
    return r;
}

int lines_feed(struct lines *l, struct slice bytes, lines_handler *handler, void *context) {
    struct slice line;
    while (slice_take_until(&bytes, '\n', &line)) {
        int r = end_line(l, line, handler, context);
        if (r < 0)
            return r;
    }
    return keep(l, bytes, handler, context);
}

int lines_finish(struct lines *l, lines_handler *handler, void *context) {
    if (l->head.size_bytes == 0) {
        lines_clear(l);
        return 0;
    }
    return end_line(l, (struct slice){0}, handler, context);
}
