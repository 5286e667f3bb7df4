#include "operator/facts/places.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "operator/facts/loss.h"
#include "operator/job/jobs.h"

#include <stdlib.h>
#include <string.h>

static int compare_pods(const void *a, const void *b) {
    const struct pod *x = *(struct pod *const *)a, *y = *(struct pod *const *)b;
    int order = strcmp(x->replicated_job, y->replicated_job);
    if (order != 0)
        return order;
    if (x->job_index != y->job_index)
        return x->job_index < y->job_index ? -1 : 1;
    if (x->created_ms != y->created_ms)
        return x->created_ms < y->created_ms ? -1 : 1;
    return strcmp(pod_uid(x), pod_uid(y));
}

struct place {
    int64_t free_from_ms;
    size_t index;
};

/* A binary heap: the place that was free longest is first. */
struct places {
    struct place *heap;
    size_t count;
    int64_t *looked_at;
};

static bool is_before(struct places *p, size_t a, size_t b) {
    const struct place *x = &p->heap[a], *y = &p->heap[b];
    ++*p->looked_at;
    return x->free_from_ms != y->free_from_ms ? x->free_from_ms < y->free_from_ms : x->index < y->index;
}

static void swap(struct places *p, size_t a, size_t b) {
    struct place one = p->heap[a];
    p->heap[a] = p->heap[b];
    p->heap[b] = one;
}

static void sink_first(struct places *p) {
    for (size_t at = 0, next = 0;; at = next) {
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < p->count; child++)
            if (is_before(p, child, next))
                next = child;
        if (next == at)
            return;
        swap(p, at, next);
    }
}

static void add_place(struct places *p, int64_t free_from_ms) {
    size_t at = p->count++;
    p->heap[at] = (struct place){free_from_ms, at};
    for (; at > 0 && is_before(p, at, (at - 1) / 2); at = (at - 1) / 2)
        swap(p, at, (at - 1) / 2);
}

static void move(struct model_job *job, struct pod *p, int index) {
    if (p->slot_index == index)
        return;
    p->slot_index = index;
    job->facts.needs_all_pods |= p->slot >= 0;
    store_mark_pod(p);
}

/* When its place became free; of a pod whose end was not observed, from when on it may have been. */
static int64_t free_from_ms(const struct pod *p) {
    if (p->phase == POD_SUCCEEDED)
        return TIME_OPEN;
    int64_t lost_ms = fact_pod_lost_ms(p);
    return p->has_vanished ? min_of(lost_ms, p->removed_ms) : lost_ms;
}

/* Each pod gets the place that was free longest at its creation. A place becomes free when its pod is lost. */
static void place_all(struct model_job *job, struct pod **pods, size_t count) {
    struct places all = {mem_resize(NULL, count + 1, sizeof *all.heap), 0, &job->jobs->places_looked_at};
    for (size_t i = 0; i < count; i++) {
        bool is_next_job = i == 0 || strcmp(pods[i]->replicated_job, pods[i - 1]->replicated_job) != 0 ||
                           pods[i]->job_index != pods[i - 1]->job_index;
        if (is_next_job)
            all.count = 0;
        int64_t from_ms = free_from_ms(pods[i]);
        if (all.count == 0 || all.heap[0].free_from_ms > pods[i]->created_ms + 1000) {
            move(job, pods[i], (int)all.count);
            add_place(&all, from_ms);
            continue;
        }
        move(job, pods[i], (int)all.heap[0].index);
        all.heap[0].free_from_ms = from_ms;
        sink_first(&all);
    }
    free(all.heap);
}

void fact_place_pods(struct model_job *job) {
    struct target *t = job->target;
    size_t count = 0;
    if (t->pods.unindexed == 0 || (t->pods.dirty == NULL && !job->facts.needs_all_pods))
        return;
    struct pod **pods = mem_resize(NULL, t->pods.unindexed, sizeof(struct pod *));
    for (size_t i = 0; i < t->pods.count; i++)
        if (t->pods.items[i]->completion_index < 0)
            pods[count++] = t->pods.items[i];
    qsort(pods, count, sizeof *pods, compare_pods);
    place_all(job, pods, count);
    free(pods);
}
