/* What others call scheduling goodput, so that numbers can be compared: all pods Ready (GKE), Running / (Finished -
 * Created) (Kueue's discussion: admitted time, as in status.accumulatedPastExecutionTimeSeconds). */
#include "base/mem.h"
#include "operator/facts.h"
#include "operator/view.h"

struct edge {
    int64_t at_ms;
    int by;
};

static int compare_edges(const void *a, const void *b) {
    const struct edge *x = a, *y = b;
    if (x->at_ms != y->at_ms)
        return x->at_ms < y->at_ms ? -1 : 1;
    return x->by - y->by;
}

/* Time in which as many required pods were Ready, or had succeeded, as are required now. */
static int64_t all_ready_ms(const struct view *v) {
    const struct target *t = v->target;
    struct edge *edges = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < t->pod_count; i++) {
        const struct pod *p = t->pods[i];
        if (job_slot(v->job, p) < 0)
            continue;
        for (int k = 0; k < p->ready.count; k++) {
            struct span s = p->ready.items[k];
            /* What happens to a pod after it is done takes nothing back. */
            bool is_done =
                k + 1 == p->ready.count && p->phase == POD_SUCCEEDED && fact_pod_lost_ms(p) >= fact_pod_ended_ms(p);
            if (is_done)
                s.to_ms = TIME_OPEN;
            MEM_GROW(edges, count, capacity);
            edges[count++] = (struct edge){s.from_ms, 1};
            MEM_GROW(edges, count, capacity);
            edges[count++] = (struct edge){s.to_ms < v->through_ms ? s.to_ms : v->through_ms, -1};
        }
    }
    if (count > 0)
        qsort(edges, count, sizeof *edges, compare_edges);
    int64_t ready = 0, sum_ms = 0, since_ms = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t at_ms = edges[i].at_ms < v->through_ms ? edges[i].at_ms : v->through_ms;
        if (v->result.slots_required > 0 && ready >= v->result.slots_required && at_ms > since_ms)
            sum_ms += at_ms - since_ms;
        ready += edges[i].by;
        since_ms = at_ms;
    }
    free(edges);
    return sum_ms;
}

static int64_t admitted_ms(const struct view *v) {
    int64_t sum_ms = 0;
    if (v->target->workloads == NULL)
        return RECORD_NONE;
    for (const struct workload *w = v->target->workloads; w; w = w->next_in_target)
        for (int i = 0; i < w->admitted.count; i++) {
            int64_t from_ms = w->admitted.items[i].at_ms, to_ms = v->through_ms;
            if (i + 1 < w->admitted.count)
                to_ms = w->admitted.items[i + 1].at_ms;
            if (w->finished_ms != TIME_UNKNOWN && w->finished_ms < to_ms)
                to_ms = w->finished_ms;
            to_ms = to_ms < v->through_ms ? to_ms : v->through_ms;
            sum_ms += w->admitted.items[i].is_true && to_ms > from_ms ? to_ms - from_ms : 0;
        }
    return sum_ms < v->result.wall_ms ? sum_ms : v->result.wall_ms;
}

void view_definitions(struct view *v) {
    v->ready_ms = all_ready_ms(v);
    v->admitted_ms = admitted_ms(v);
}
