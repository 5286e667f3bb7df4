#include "fleet/nodes.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static int compare_int(int64_t a, int64_t b) {
    return a < b ? -1 : a > b;
}

static int by_key(const struct node_failures *x, const struct node_failures *y) {
    int r = strcmp(x->node, y->node);
    r = r != 0 ? r : compare_int((int64_t)x->class_, (int64_t)y->class_);
    return r != 0 ? r : compare_int((int64_t)x->owner, (int64_t)y->owner);
}

/* The newest of a key last: its pool counts. */
static int by_key_and_time(const void *a, const void *b) {
    const struct node_failures *x = a, *y = b;
    int r = by_key(x, y);
    r = r != 0 ? r : compare_int(x->last_ms, y->last_ms);
    return r != 0 ? r : compare_int(x->pool, y->pool);
}

static int by_failures(const void *a, const void *b) {
    const struct node_failures *x = a, *y = b;
    int r = compare_int(y->count, x->count);
    r = r != 0 ? r : compare_int(y->chip_ms, x->chip_ms);
    return r != 0 ? r : by_key(x, y);
}

/* Sums neighbors of the same key; returns how many are left. */
static size_t merge(struct node_failures *all, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || by_key(&all[kept - 1], &all[i]) != 0) {
            all[kept++] = all[i];
            continue;
        }
        struct node_failures *same = &all[kept - 1];
        same->count += all[i].count;
        same->chip_ms += all[i].chip_ms;
        same->pool = all[i].pool;
        same->last_ms = all[i].last_ms;
    }
    return kept;
}

void nodes_count(const struct roll *roll, struct nodes *out) {
    size_t count = roll->failure_count;
    CLEANUP_FREE struct node_failures *all = mem_alloc((count + 1) * sizeof *all);
    *out = (struct nodes){0};
    for (size_t i = 0; i < count; i++) {
        const struct roll_failure *f = &roll->failures[i];
        all[i] = (struct node_failures){f->node, f->pool, f->class_, f->owner, 1, f->chip_ms, f->at_ms};
    }
    qsort(all, count, sizeof *all, by_key_and_time);
    count = merge(all, count);
    qsort(all, count, sizeof *all, by_failures);
    for (size_t i = 0; i < count; i++) {
        if (out->count < NODES_MAX) {
            out->items[out->count++] = all[i];
            continue;
        }
        out->other_count += all[i].count;
        out->other_chip_ms += all[i].chip_ms;
    }
}
