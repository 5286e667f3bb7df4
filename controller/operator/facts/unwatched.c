/* A slot is known from a pod's creation to its end (ledger_set_unwatched). Before and after, in unwatched time, an
 * unobserved pod may have held it. This file finds the time in which no pod can have existed, because the target or
 * Kueue held all of them back. A condition carries only its last transition, and so proves only the time after it. */
#include "operator/facts/unwatched.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/store/unwatched.h"

#include <stdlib.h>

#define AT_ONCE_MS 2000 /* a controller creates its objects within this time */

struct proofs {
    struct spans empty; /* in no order */
    struct span unwatched;
};

static void prove(struct proofs *p, int64_t from_ms, int64_t to_ms) {
    from_ms = max_of(from_ms, p->unwatched.from_ms);
    to_ms = min_of(to_ms, p->unwatched.to_ms);
    if (from_ms < to_ms)
        spans_add(&p->empty, from_ms, to_ms);
}

/* The last transition before the end of the span: certainly none followed it within the span. NULL: none. */
static const struct transition *last_of(const struct proofs *p, const struct history *h) {
    const struct transition *last = NULL;
    for (int i = 0; i < h->count && h->items[i].at_ms < p->unwatched.to_ms; i++)
        last = &h->items[i];
    return last;
}

/* The state after the last transition lasts until the end of the span. */
static void prove_state(struct proofs *p, const struct history *h, bool is_empty_if) {
    const struct transition *last = last_of(p, h);
    if (last && last->is_true == is_empty_if)
        prove(p, last->at_ms, p->unwatched.to_ms);
}

static const struct transition *first_true(const struct history *h, int64_t from_ms) {
    for (int i = 0; i < h->count; i++)
        if (h->items[i].is_true && h->items[i].at_ms >= from_ms)
            return &h->items[i];
    return NULL;
}

/* The only Workload that can have held the target during the span; NULL: there are more, or it was not observed since.
 */
static const struct workload *workload_of(const struct target *t, const struct span *s) {
    const struct workload *only = NULL;
    for (const struct workload *w = t->workloads; w; w = w->next_in_target) {
        if (w->removed_ms != TIME_UNKNOWN && w->removed_ms <= s->from_ms)
            continue;
        bool is_known = !w->is_restored || s->to_ms <= t->watch.known_ms; /* a predecessor may have listed it */
        bool was_observed_since = is_known && (w->removed_ms == TIME_UNKNOWN || w->removed_ms > s->to_ms);
        if (only || !was_observed_since || w->name == NULL)
            return NULL;
        only = w;
    }
    return only;
}

static void prove_by_workload(struct proofs *p, const struct target *t, const struct workload *w) {
    prove_state(p, &w->admitted, false);
    prove_state(p, &w->evicted, true);
    const struct transition *admitted = first_true(&w->admitted, INT64_MIN);
    if (w->evicted.count == 0) /* without an eviction it is admitted at most once */
        prove(p, w->created_ms <= t->created_ms + AT_ONCE_MS ? t->created_ms : w->created_ms,
              admitted ? admitted->at_ms : p->unwatched.to_ms);
    const struct transition *over = last_of(p, &w->evicted); /* from the new reservation to the next admission */
    const struct transition *again = over && !over->is_true ? first_true(&w->admitted, over->at_ms) : NULL;
    if (again)
        prove(p, over->at_ms, again->at_ms);
}

/* No pod exists before the target; the first Jobs and pods are created right after it. */
static void prove_beginning(struct proofs *p, const struct target *t) {
    if (t->pods.first_created_ms <= t->created_ms + AT_ONCE_MS)
        prove(p, t->created_ms, t->pods.first_created_ms);
}

static int compare_spans(const void *a, const void *b) {
    const struct span *x = a, *y = b;
    return (x->from_ms > y->from_ms) - (x->from_ms < y->from_ms);
}

/* Adds the parts of the span that are not proved empty. */
static void subtract(const struct proofs *p, struct ledger_span *out, size_t *count) {
    int64_t from_ms = p->unwatched.from_ms;
    for (int i = 0; i < p->empty.count; i++) {
        if (p->empty.items[i].from_ms > from_ms)
            out[(*count)++] = (struct ledger_span){from_ms, p->empty.items[i].from_ms};
        from_ms = max_of(from_ms, p->empty.items[i].to_ms);
    }
    if (from_ms < p->unwatched.to_ms)
        out[(*count)++] = (struct ledger_span){from_ms, p->unwatched.to_ms};
}

static bool is_same(const struct spans *a, const struct spans *b) {
    bool is_same = a->count == b->count;
    for (int i = 0; is_same && i < a->count; i++)
        is_same = a->items[i].from_ms == b->items[i].from_ms && a->items[i].to_ms == b->items[i].to_ms;
    return is_same;
}

void fact_set_unwatched(struct model_job *job) {
    const struct target *t = job->target;
    struct spans all = store_unwatched(job->store, t);
    struct ledger_span *out = NULL;
    size_t count = 0;
    for (int i = 0; i < all.count; i++) {
        struct proofs p = {.unwatched = all.items[i]};
        const struct workload *w = workload_of(t, &p.unwatched);
        bool is_known = !t->is_restored || p.unwatched.to_ms <= t->watch.known_ms;
        bool was_observed_since = is_known && !(t->end.has_vanished && t->end.removed_ms <= p.unwatched.to_ms);
        if (was_observed_since &&
            !t->spec.is_started_in_order) /* otherwise its condition may stay True (observe_target.c) */
            prove_state(&p, &t->suspended, true);
        if (w)
            prove_by_workload(&p, t, w);
        prove_beginning(&p, t);
        if (p.empty.count > 1)
            qsort(p.empty.items, (size_t)p.empty.count, sizeof *p.empty.items, compare_spans);
        out = mem_resize(out, count + (size_t)p.empty.count + 1, sizeof *out);
        subtract(&p, out, &count);
        free(p.empty.items);
    }
    ledger_set_unwatched(job->ledger, out, count);
    free(out);
    job->facts.needs_all_pods |=
        !is_same(&job->facts.unwatched, &all); /* the proved time of each pod may have changed */
    free(job->facts.unwatched.items);
    job->facts.unwatched = all;
}
