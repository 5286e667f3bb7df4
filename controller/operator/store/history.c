/* Histories and spans of store.h. */
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
            int64_t least = h->count > 1 ? h->items[h->count - 2].at_ms : INT64_MIN;
            free(last->message);
            *last = t;
            last->at_ms = t.at_ms > least ? t.at_ms : least;
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

void history_insert(struct history *h, int at, struct transition t) {
    if (h->count == STORE_MAX_TRANSITIONS) {
        free(t.message);
        return;
    }
    STORE_GROW(h->items, h->count, h->capacity);
    memmove(&h->items[at + 1], &h->items[at], (size_t)(h->count - at) * sizeof *h->items);
    h->items[at] = t;
    h->count++;
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

/* Lists come together; what was told before them was so some time earlier. */
void store_told(struct target *t, int64_t received_ms) {
    if (t->told_ms == TIME_UNKNOWN || received_ms > t->told_ms + STORE_LATE_MS)
        t->told_before_ms = t->told_ms;
    t->told_ms = received_ms;
}

void store_missed(const struct model *m, struct target *t, int64_t received_ms) {
    int64_t from_ms = t->told_before_ms != TIME_UNKNOWN ? t->told_before_ms
                      : t->is_seen                      ? t->first_seen_ms
                                                        : t->created_ms;
    if (m->pods_complete_ms != TIME_UNKNOWN && m->pods_complete_ms > from_ms)
        from_ms = m->pods_complete_ms;
    store_unseen(t, from_ms, received_ms);
}

void store_told_late(const struct model *m, struct target *t, int64_t at_ms, int64_t received_ms) {
    bool was_before = t->is_seen && at_ms <= t->first_seen_ms; /* all of that is told as one */
    if (at_ms != TIME_UNKNOWN && at_ms + STORE_LATE_MS < received_ms && at_ms > t->watched_ms && !was_before)
        store_missed(m, t, received_ms);
}

void store_unseen(struct target *t, int64_t from_ms, int64_t to_ms) {
    struct span *last = t->unseen.count > 0 ? &t->unseen.items[t->unseen.count - 1] : NULL;
    if (t->created_ms != TIME_UNKNOWN && from_ms < t->created_ms)
        from_ms = t->created_ms;
    if (last && from_ms <= last->to_ms)
        last->to_ms = to_ms > last->to_ms ? to_ms : last->to_ms;
    else if (from_ms < to_ms)
        spans_add(&t->unseen, from_ms, to_ms);
}

struct instance *container_now(struct container *c) {
    return &c->instances[c->count - 1];
}

struct instance *container_instance(struct container *c, int restart_count) {
    for (int i = c->count - 1; i >= 0; i--)
        if (c->instances[i].restart_count == restart_count)
            return &c->instances[i];
    return NULL;
}
