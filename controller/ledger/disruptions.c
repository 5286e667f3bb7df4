#include "ledger/disruptions.h"

#include "base/bisect.h"
#include "base/mem.h"

#include <string.h>

/* By time, cause, and whether it opens an interruption. Disruptions that are equal in all three are alike. */
static int compare(const struct alike *x, const struct alike *y) {
    if (x->at_ms != y->at_ms)
        return x->at_ms < y->at_ms ? -1 : 1;
    if (x->cause != y->cause)
        return x->cause < y->cause ? -1 : 1;
    return (int)x->opens - (int)y->opens;
}

/* The first that is not before it. */
static size_t place_of(const struct ledger *l, const struct alike *a) {
    return BISECT(i, l->alike_count, compare(&l->alike[i], a) < 0);
}

/* Of two that are alike, that of the lower slot stands for both; in one slot the one whose text comes first. */
static bool precedes(const struct disruption_fact *x, const struct disruption_fact *y) {
    int order = texts_compare(x, y);
    return x->slot != y->slot ? x->slot < y->slot : order != 0 ? order < 0 : x->key < y->key;
}

static void put(struct ledger *l, size_t position) {
    const struct disruption_fact *d = &l->disruptions.items[position];
    struct alike a = {d->at_ms, d->cause, d->opens, (uint32_t)position};
    size_t at = place_of(l, &a);
    if (at < l->alike_count && compare(&l->alike[at], &a) == 0) {
        if (precedes(d, &l->disruptions.items[l->alike[at].position]))
            l->alike[at] = a;
        return;
    }
    MEM_GROW(l->alike, l->alike_count, l->alike_capacity);
    memmove(&l->alike[at + 1], &l->alike[at], (l->alike_count++ - at) * sizeof *l->alike);
    l->alike[at] = a;
}

void disruptions_changed(struct ledger *l, size_t position, const struct disruption_fact *before) {
    const struct disruption_fact *d = &l->disruptions.items[position];
    bool is_same = before->opens == d->opens && before->slot == d->slot;
    if (before->at_ms == d->at_ms && (is_same || d->at_ms == TIME_UNKNOWN))
        return;
    if (before->at_ms != TIME_UNKNOWN) { /* it may have stood for others that are alike */
        struct alike a = {before->at_ms, d->cause, before->opens, 0};
        size_t at = place_of(l, &a);
        l->has_alike &= at < l->alike_count && compare(&l->alike[at], &a) == 0 && l->alike[at].position != position;
    }
    if (l->has_alike && d->at_ms != TIME_UNKNOWN)
        put(l, position);
}

const struct disruption_fact **disruptions_known(struct ledger *l, int64_t since_ms, int64_t known_ms,
                                                 size_t *ret_count) {
    if (!l->has_alike) {
        l->alike_count = 0;
        l->has_alike = true;
        for (size_t i = 0; i < l->disruptions.count; i++)
            if (l->disruptions.items[i].at_ms != TIME_UNKNOWN)
                put(l, i);
        l->occupancies_visited += (int64_t)l->disruptions.count;
    }
    size_t n = 0;
    const struct disruption_fact **known = mem_resize(NULL, l->alike_count + 1, sizeof *known);
    for (size_t i = 0; i < l->alike_count; i++)
        if (l->alike[i].at_ms >= since_ms && l->alike[i].at_ms <= known_ms)
            known[n++] = &l->disruptions.items[l->alike[i].position];
    *ret_count = n;
    return known;
}
