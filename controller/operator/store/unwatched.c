/* Time that is not watched: before this process watched, between what a predecessor knew and that, and while the watch
 * of pods was cut. Pods may have been created and deleted in it unobserved. facts/unwatched.c finds what is proved all
 * the same. */
#include "operator/store/unwatched.h"
#include "base/mem.h"
#include "base/minmax.h"

#include <stdlib.h>

void store_watching(struct store *store, int64_t received_ms) {
    store->received_ms = max_of(store->received_ms, received_ms);
    if (store->watching_ms == TIME_OPEN)
        store->watching_ms = received_ms;
}

int64_t store_known_ms(const struct store *store, enum resource resource, int64_t now_ms) {
    int64_t known_ms = store->watermark_ms[resource];
    return store->is_absent[resource] || known_ms == TIME_UNKNOWN ? now_ms : min_of(now_ms, known_ms);
}

void store_count_failed(const struct store *store, struct kube_job *j, int64_t failed_pods, bool was_watched,
                        int64_t received_ms) {
    const struct span *cut = store->cuts.count > 0 ? &store->cuts.items[store->cuts.count - 1] : NULL;
    bool is_going = j->deletion_ms != TIME_UNKNOWN; /* its pods end because of that */
    int64_t more = is_going ? 0 : max_of(failed_pods - j->failed_pods, 0);
    if (!was_watched || (cut && cut->to_ms > j->seen_ms && cut->from_ms < received_ms)) {
        j->failed_unwatched += more;
    } else if (more > 0) {
        j->failed_unsettled = more + (j->failed_ms > store->pods_complete_ms ? j->failed_unsettled : 0);
        j->failed_ms = received_ms;
    }
    j->failed_pods = failed_pods;
    j->seen_ms = received_ms;
}

void store_cut(struct store *store, int64_t from_ms, int64_t to_ms) {
    struct span *last = store->cuts.count > 0 ? &store->cuts.items[store->cuts.count - 1] : NULL;
    if (from_ms >= to_ms || (last && from_ms >= last->from_ms && to_ms <= last->to_ms))
        return;
    for (size_t i = 0; i < store->kube_jobs.count; i++) {
        struct kube_job *j = map_at(&store->kube_jobs, i);
        j->failed_unwatched += j->failed_ms > from_ms ? j->failed_unsettled : 0;
        j->failed_unsettled = j->failed_ms > from_ms ? 0 : j->failed_unsettled;
    }
    if (last && from_ms <= last->to_ms) {
        last->from_ms = min_of(last->from_ms, from_ms);
        last->to_ms = max_of(last->to_ms, to_ms);
    } else {
        spans_add(&store->cuts, from_ms, to_ms);
    }
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
        for (size_t i = 0; i < store->targets[kind].count; i++)
            store_touch_target(store, map_at(&store->targets[kind], i));
}

static void unwatch(struct store *store, const struct map *targets, struct slice namespace_, int64_t from_ms) {
    for (size_t i = 0; i < targets->count; i++) {
        struct target *t = map_at(targets, i);
        if ((namespace_.size_bytes > 0 && !slice_is(namespace_, t->namespace_)) || from_ms >= store->received_ms)
            continue;
        spans_add(&t->watch.gaps, from_ms, store->received_ms);
        store_touch_target(store, t);
    }
}

void store_unwatch(struct store *store, struct slice namespace_, int64_t from_ms) {
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
        unwatch(store, &store->targets[kind], namespace_, from_ms);
}

static void add(struct spans *all, const struct target *t, int64_t from_ms, int64_t to_ms) {
    from_ms = max_of(from_ms, t->created_ms);
    if (t->end.at_ms != TIME_UNKNOWN)
        to_ms = min_of(to_ms, t->end.at_ms);
    if (from_ms < to_ms)
        spans_add(all, from_ms, to_ms);
}

static int compare_spans(const void *a, const void *b) {
    const struct span *x = a, *y = b;
    return (x->from_ms > y->from_ms) - (x->from_ms < y->from_ms);
}

static void merge(struct spans *all) {
    int n = 0;
    if (all->count > 1)
        qsort(all->items, (size_t)all->count, sizeof *all->items, compare_spans);
    for (int i = 0; i < all->count; i++) {
        struct span *last = n > 0 ? &all->items[n - 1] : NULL;
        if (last && all->items[i].from_ms <= last->to_ms)
            last->to_ms = max_of(last->to_ms, all->items[i].to_ms);
        else
            all->items[n++] = all->items[i];
    }
    all->count = n;
}

struct spans store_unwatched(const struct store *store, const struct target *t) {
    struct spans all = {0};
    for (int i = 0; i < t->watch.gaps.count; i++)
        add(&all, t, t->watch.gaps.items[i].from_ms, t->watch.gaps.items[i].to_ms);
    int64_t from_ms = max_of(t->watch.known_ms, t->created_ms);
    int64_t to_ms = t->watch.resumed_ms != TIME_UNKNOWN ? t->watch.resumed_ms : store->watching_ms;
    if (to_ms >= from_ms + STORE_SECOND_MS || (t->watch.known_ms != TIME_UNKNOWN && to_ms > from_ms))
        add(&all, t, from_ms, to_ms);
    for (int i = 0; i < store->cuts.count; i++)
        if (store->cuts.items[i].to_ms > from_ms)
            add(&all, t, max_of(store->cuts.items[i].from_ms, from_ms), store->cuts.items[i].to_ms);
    merge(&all);
    return all;
}

int64_t store_known_until_ms(const struct pod *p) {
    if (p->is_deleted)
        return p->removed_ms;
    return p->is_restored ? max_of(p->target->watch.known_ms, p->seen_ms) + 1 : TIME_OPEN; /* it existed at that time */
}
