#include "io/timers.h"

#include "base/mem.h"

void timers_done(struct timers *all) {
    free(all->heap);
    *all = (struct timers){0};
}

static bool is_before(struct timers *all, const struct timer *a, const struct timer *b) {
    all->compared++;
    return a->deadline_us != b->deadline_us ? a->deadline_us < b->deadline_us : a->order < b->order;
}

static void put(struct timers *all, size_t i, struct timer *t) {
    all->heap[i] = t;
    t->place = i + 1;
}

static void sift_up(struct timers *all, size_t i) {
    struct timer *t = all->heap[i];
    while (i > 0 && is_before(all, t, all->heap[(i - 1) / 2])) {
        put(all, i, all->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    put(all, i, t);
}

static void sift_down(struct timers *all, size_t i) {
    struct timer *t = all->heap[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= all->count)
            break;
        if (child + 1 < all->count && is_before(all, all->heap[child + 1], all->heap[child]))
            child++;
        if (!is_before(all, all->heap[child], t))
            break;
        put(all, i, all->heap[child]);
        i = child;
    }
    put(all, i, t);
}

void timers_set(struct timers *all, struct timer *t, int64_t deadline_us) {
    timers_stop(all, t);
    t->deadline_us = deadline_us;
    t->order = all->next_order++;
    MEM_GROW(all->heap, all->count, all->capacity);
    put(all, all->count++, t);
    sift_up(all, all->count - 1);
}

void timers_stop(struct timers *all, struct timer *t) {
    if (t->place == 0)
        return;
    size_t hole = t->place - 1;
    t->place = 0;
    struct timer *last = all->heap[--all->count];
    if (last == t)
        return;
    put(all, hole, last);
    sift_up(all, hole);
    sift_down(all, last->place - 1);
}

struct timer *timers_first(const struct timers *all) {
    return all->count == 0 ? NULL : all->heap[0];
}
