#include "operator/store/history.h"
#include "base/mem.h"
#include "operator/store/store.h"

#include <string.h>

const struct transition *history_last(const struct history *h) {
    return h->count > 0 ? &h->items[h->count - 1] : NULL;
}

bool history_is_true(const struct history *h) {
    return h->count > 0 && h->items[h->count - 1].is_true;
}

static void drop_oldest(struct history *h) {
    free(h->items[0].message);
    memmove(&h->items[0], &h->items[1], (size_t)(h->count - 1) * sizeof *h->items);
    h->count--;
    h->is_cut = true;
}

bool history_add(struct history *h, struct transition t) {
    struct transition *last = h->count > 0 ? &h->items[h->count - 1] : NULL;
    if (last && last->is_true == t.is_true) {
        bool is_correction = last->is_derived && !t.is_derived;
        if (!is_correction && (t.is_derived || t.at_ms <= last->at_ms)) {
            free(t.message);
            return false;
        }
        if (is_correction) {
            int64_t min_ms = h->count > 1 ? h->items[h->count - 2].at_ms : INT64_MIN;
            free(last->message);
            *last = t;
            last->at_ms = t.at_ms > min_ms ? t.at_ms : min_ms;
            return true;
        }
    }
    if (last && t.at_ms < last->at_ms)
        t.at_ms = last->at_ms;
    if (h->count == STORE_MAX_TRANSITIONS)
        drop_oldest(h);
    STORE_GROW(h->items, h->count, h->capacity);
    h->items[h->count++] = t;
    return true;
}

void history_done(struct history *h) {
    for (int i = 0; i < h->count; i++)
        free(h->items[i].message);
    free(h->items);
    *h = (struct history){0};
}

struct span *spans_add(struct spans *s, int64_t from_ms, int64_t to_ms) {
    if (s->count == STORE_MAX_TRANSITIONS) {
        memmove(&s->items[0], &s->items[1], (size_t)(s->count - 1) * sizeof *s->items);
        s->count--;
    }
    STORE_GROW(s->items, s->count, s->capacity);
    s->items[s->count] = (struct span){from_ms, to_ms};
    return &s->items[s->count++];
}
