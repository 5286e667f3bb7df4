#include "base/tail.h"

#include "base/mem.h"

#include <string.h>

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static void rotate(struct tail *t) {
    if (t->at == 0)
        return;
    char *data = mem_alloc(t->maximum_bytes);
    memcpy(data, t->data + t->at, t->size_bytes - t->at);
    memcpy(data + t->size_bytes - t->at, t->data, t->at);
    free(t->data);
    t->data = data;
    t->at = 0;
}

void tail_append(struct tail *t, struct slice bytes) {
    if (bytes.size_bytes > t->maximum_bytes) {
        t->is_cut = true;
        bytes = slice_skip(bytes, bytes.size_bytes - t->maximum_bytes);
    }
    size_t free_bytes = t->maximum_bytes - t->size_bytes, plain = smaller(free_bytes, bytes.size_bytes);
    if (plain > 0) {
        t->data = mem_resize(t->data, t->size_bytes + plain, 1);
        memcpy(t->data + t->size_bytes, bytes.data, plain);
        t->size_bytes += plain;
        bytes = slice_skip(bytes, plain);
    }
    t->is_cut |= bytes.size_bytes > 0;
    while (bytes.size_bytes > 0) {
        size_t n = smaller(t->size_bytes - t->at, bytes.size_bytes);
        memcpy(t->data + t->at, bytes.data, n);
        t->at = (t->at + n) % t->size_bytes;
        bytes = slice_skip(bytes, n);
    }
}

struct slice tail_slice(struct tail *t) {
    rotate(t);
    return (struct slice){t->data, t->size_bytes};
}

void tail_done(struct tail *t) {
    free(t->data);
    *t = (struct tail){.maximum_bytes = t->maximum_bytes};
}
