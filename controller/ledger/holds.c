#include "ledger/holds.h"

#include "base/mem.h"

#include <string.h>

/* The earlier kind wins; within one kind the hold that began first, on a tie the one that ends last, then the one whose
 * evidence comes first. */
static int compare_holds(const void *a, const void *b) {
    const struct hold_fact *x = *(const struct hold_fact *const *)a, *y = *(const struct hold_fact *const *)b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->from_ms != y->from_ms)
        return x->from_ms < y->from_ms ? -1 : 1;
    if (x->to_ms != y->to_ms)
        return x->to_ms > y->to_ms ? -1 : 1;
    int order = strcmp(x->evidence != NULL ? x->evidence : "", y->evidence != NULL ? y->evidence : "");
    return order != 0 ? order : (x->key > y->key) - (x->key < y->key);
}

static int compare_times(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool is_scheduling(enum bucket kind) {
    return bucket_family(kind) == FAMILY_SCHEDULING;
}

/* Puts one hold on the part of the timeline that no hold before it took. Holds come in order of precedence and, within
 * one kind, of time; *position is where the last one of the kind began. */
static void lay(struct hold_timeline *t, const struct hold_fact *hold, size_t *position) {
    size_t i = *position;
    while (i < t->count && t->items[i].from_ms < hold->from_ms)
        i++;
    *position = i;
    for (; i < t->count && t->items[i].from_ms < hold->to_ms; i++) {
        const struct hold_fact **place = is_scheduling(hold->kind) ? &t->items[i].scheduling : &t->items[i].process;
        if (*place == NULL)
            *place = hold;
    }
}

static struct hold_timeline make(const struct ledger *l) {
    size_t count = 0, times = 0;
    const struct hold_fact **holds = mem_resize(NULL, l->holds.count + 1, sizeof *holds);
    int64_t *edges = mem_resize(NULL, l->holds.count * 2 + 1, sizeof *edges);
    edges[times++] = INT64_MIN;
    for (size_t i = 0; i < l->holds.count; i++) {
        const struct hold_fact *h = &l->holds.items[i];
        if (h->from_ms >= h->to_ms)
            continue;
        holds[count++] = h;
        edges[times++] = h->from_ms;
        edges[times++] = h->to_ms;
    }
    qsort(holds, count, sizeof *holds, compare_holds);
    qsort(edges, times, sizeof *edges, compare_times);
    struct hold_timeline t = {mem_alloc(times * sizeof *t.items), 0};
    for (size_t i = 0; i < times; i++)
        if (t.count == 0 || t.items[t.count - 1].from_ms != edges[i])
            t.items[t.count++].from_ms = edges[i];
    size_t position = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && holds[i]->kind != holds[i - 1]->kind)
            position = 0;
        lay(&t, holds[i], &position);
    }
    free(holds);
    free(edges);
    return t;
}

const struct hold_timeline *hold_timeline_get(struct ledger *l) {
    if (!l->has_hold_times) {
        free(l->hold_times.items);
        l->hold_times = make(l);
        l->has_hold_times = true;
    }
    return &l->hold_times;
}
